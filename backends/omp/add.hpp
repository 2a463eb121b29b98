// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add on the cores: tiles of C handed out to threads in contiguous ranges, each written along C's
// fastest dimension. Assumes a checked problem; takes any strides and types.
#pragma once

#include <xpose/backends/add_problem.hpp>
#include <xpose/backends/omp/parallel.hpp>

#include <algorithm>
#include <cstdlib>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A side of 64 keeps the lines that a turned operand is read from in the first-level cache; the
/// other is long for the sake of operands in order.
struct omp_add_tile {
  static constexpr index rows = 64;
  static constexpr index cols = 256;
};

template <class Problem>
void add_tile(Problem const& problem, index b, index first_row, index first_col) {
  index const last_row = std::min(first_row + omp_add_tile::rows, problem.rows);
  index const width = std::min(omp_add_tile::cols, problem.cols - first_col);
  bool const is_in_order =
      problem.a.col_stride == 1 && problem.b.col_stride == 1 && problem.c.col_stride == 1;
  for (index i = first_row; i < last_row; ++i) {
    auto const* const x = &problem.a.at(b, i, first_col);
    auto const* const y = &problem.b.at(b, i, first_col);
    auto* const sum = &problem.c.at(b, i, first_col);
    if (is_in_order)
      for (index j = 0; j < width; ++j) sum[j] = problem.value(x[j], y[j]);
    else
      for (index j = 0; j < width; ++j)
        sum[j * problem.c.col_stride] =
            problem.value(x[j * problem.a.col_stride], y[j * problem.b.col_stride]);
  }
}

template <class Problem>
void omp_add(int threads, Problem const& given) {
  bool const is_turned = given.cols == 1 || (given.rows > 1 && std::abs(given.c.row_stride) <
                                                                   std::abs(given.c.col_stride));
  Problem const problem = is_turned ? given.transposed() : given;
  index const row_tiles = (problem.rows + omp_add_tile::rows - 1) / omp_add_tile::rows;
  index const col_tiles = (problem.cols + omp_add_tile::cols - 1) / omp_add_tile::cols;
  index const per_matrix = row_tiles * col_tiles;
  // Waking a team costs more than adding this much on one thread.
  constexpr index serial_elements = 65536 / index{sizeof(typename Problem::output_type)};
  int const team = problem.batch * problem.rows * problem.cols <= serial_elements ? 1 : threads;
  parallel_for(team, problem.batch * per_matrix, [&](index task) {
    index const tile = task % per_matrix;
    add_tile(problem, task / per_matrix, tile / col_tiles * omp_add_tile::rows,
             tile % col_tiles * omp_add_tile::cols);
  });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
