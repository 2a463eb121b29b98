// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on the cores: tiles of C over threads; panels of A and B are packed into the accumulate
// type, so that every layout, stride and element type costs the same in the inner loop. Assumes a
// checked problem. Each element sums over ascending k whatever the thread count.
#pragma once

#include <xpose/backends/gemm_problem.hpp>
#include <xpose/backends/omp/parallel.hpp>

#include <algorithm>
#include <memory>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Tile sizes for accumulators of the given size: a B panel and the C tile stay in a 512 KB
/// second-level cache.
template <std::size_t AccumulateBytes>
struct omp_gemm_tile {
  static constexpr index rows = 64;
  static constexpr index cols = AccumulateBytes <= 8 ? 128 : 64;
  static constexpr index depth = 256;
};

/// One tile of C, starting at (first_row, first_col).
template <class Problem>
void gemm_tile(Problem const& problem, index b, index first_row, index first_col) {
  using K = typename Problem::accumulate_type;
  using tile = omp_gemm_tile<sizeof(K)>;
  index const rows = std::min(tile::rows, problem.rows - first_row);
  index const cols = std::min(tile::cols, problem.cols - first_col);
  index const panel_depth = std::min(tile::depth, problem.depth);
  auto const sums = std::make_unique<K[]>(static_cast<std::size_t>(rows * cols));
  auto const a_panel = std::make_unique<K[]>(static_cast<std::size_t>(rows * panel_depth));
  auto const b_panel = std::make_unique<K[]>(static_cast<std::size_t>(panel_depth * cols));
  std::fill_n(sums.get(), rows * cols, problem.zero());

  for (index first_p = 0; first_p < problem.depth; first_p += tile::depth) {
    index const depth = std::min(tile::depth, problem.depth - first_p);
    for (index i = 0; i < rows; ++i)
      for (index p = 0; p < depth; ++p)
        a_panel.get()[i * depth + p] = problem.read_a(b, first_row + i, first_p + p);
    for (index p = 0; p < depth; ++p)
      for (index j = 0; j < cols; ++j)
        b_panel.get()[p * cols + j] = problem.read_b(b, first_p + p, first_col + j);

    for (index i = 0; i < rows; ++i) {
      K* const sum = sums.get() + i * cols;
      for (index p = 0; p < depth; ++p) {
        K const x = a_panel.get()[i * depth + p];
        K const* const y = b_panel.get() + p * cols;
        for (index j = 0; j < cols; ++j) sum[j] = problem.accumulate(sum[j], x, y[j]);
      }
    }
  }

  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < cols; ++j)
      problem.write(b, first_row + i, first_col + j, sums.get()[i * cols + j]);
}

template <class Problem>
void omp_gemm(int threads, Problem const& problem) {
  using tile = omp_gemm_tile<sizeof(typename Problem::accumulate_type)>;
  index const row_tiles = (problem.rows + tile::rows - 1) / tile::rows;
  index const col_tiles = (problem.cols + tile::cols - 1) / tile::cols;
  index const per_matrix = row_tiles * col_tiles;
  parallel_for(threads, problem.batch * per_matrix, [&](index t) {
    index const in_matrix = t % per_matrix;
    gemm_tile(problem, t / per_matrix, in_matrix / col_tiles * tile::rows,
              in_matrix % col_tiles * tile::cols);
  });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
