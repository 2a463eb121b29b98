// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// omp's add for any strides and types: tiles of C, written along C's fastest dimension. Operands
// that run the other way are transposed in scratch first. Assumes a checked problem.
#pragma once

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/core/problems/add_problem.hpp>
#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/backends/omp/runtime/workspace.hpp>
#include <xpose/backends/omp/transpose/simd/moves.hpp>

#include <algorithm>
#include <cstdlib>

namespace xpose {
inline namespace v0 {
namespace detail {

struct add_tile {
  index batch;
  index first_row;
  index first_col;
  index height;
  index width;
};

/// C's tiles: square where an operand is transposed, else as long as C's row of scratch.
struct add_tiles {
  index rows;
  index cols;
  index row_tiles;
  index col_tiles;

  add_tile at(index task, index all_rows, index all_cols) const {
    index const tile = task % (row_tiles * col_tiles);
    index const first_row = tile / col_tiles * rows;
    index const first_col = tile % col_tiles * cols;
    return {task / (row_tiles * col_tiles), first_row, first_col,
            std::min(rows, all_rows - first_row), std::min(cols, all_cols - first_col)};
  }
};

template <class Problem>
add_tiles tiles_of(Problem const& p, index rows, index cols) {
  return {rows, cols, ceil_div(p.rows, rows), ceil_div(p.cols, cols)};
}

/// The elements of an operand's tile.
template <class T>
struct tile_elements {
  T const* first;
  index row_stride;
  index col_stride;
};

template <class T>
bool is_transposed(strided_batch<T> const& o) {
  return o.row_stride == 1 && o.col_stride != 1;
}

/// The operand's tile in place, or transposed in scratch. What is multiplied by zero is not read.
template <class T>
tile_elements<T> row_order_tile(strided_batch<T const> const& o, scalar_kind scalar,
                                add_tile const& t, simd_kernels const& simd, char* scratch,
                                char* workspace) {
  T const* const first = &o.at(t.batch, t.first_row, t.first_col);
  constexpr index bytes = sizeof(T);
  if (!is_transposed(o) || bytes > max_simd_element_bytes || scalar == scalar_kind::zero)
    return {first, o.row_stride, o.col_stride};
  simd.transposes_for(bytes).transpose(
      {reinterpret_cast<char const*>(first), o.col_stride * bytes, scratch, t.width * bytes,
       t.height, t.width, nullptr, bytes},
      store_mode::cached, workspace);
  return {reinterpret_cast<T const*>(scratch), t.width, 1};
}

/// One row of C, elements to_step apart. Takes the problem by value: no store can change it, so its
/// conditions leave the loop.
template <class Problem, class A, class B>
void add_row(Problem const problem, tile_elements<A> const& a, tile_elements<B> const& b, index i,
             typename Problem::output_type* to, index to_step, index width) {
  A const* const x = a.first + i * a.row_stride;
  B const* const y = b.first + i * b.row_stride;
  if (a.col_stride == 1 && b.col_stride == 1 && to_step == 1)
    for (index j = 0; j < width; ++j) to[j] = problem.value(x[j], y[j]);
  else
    for (index j = 0; j < width; ++j)
      to[j * to_step] = problem.value(x[j * a.col_stride], y[j * b.col_stride]);
}

template <class A, class B, class C, class K>
add_tiles tiles_without_simd(add_problem<A, B, C, K> const& p) {
  // 512 bytes of a row of either side: long enough for memory, and two tiles fit the L2 cache.
  constexpr index side = std::min<index>(
      256, std::max<index>(16, 512 / index{std::max({sizeof(A), sizeof(B), sizeof(C)})}));
  constexpr index scratch_cols = std::max<index>(1, tile_function_bytes / index{sizeof(C)});
  bool const has_transposed = is_transposed(p.a) || is_transposed(p.b);
  index const cols = has_transposed ? side : scratch_cols;
  index const rows =
      has_transposed ? side : std::max<index>(1, scratch_cols / std::max<index>(1, p.cols));
  return tiles_of(p, rows, cols);
}

/// The same problem with C contiguous along its rows, and with the fewest rows.
template <class Problem>
Problem along_c(Problem const& given) {
  bool const runs_down = given.cols == 1 || (given.rows > 1 && std::abs(given.c.row_stride) <
                                                                   std::abs(given.c.col_stride));
  return (runs_down ? given.transposed() : given).in_one_row();
}

template <class Problem>
void omp_add(execution const& where, Problem const& given) {
  if (explain_only(where, "add_tiles")) return;
  using C = typename Problem::output_type;
  constexpr index bytes = sizeof(C);
  Problem const problem = along_c(given);
  add_tiles const tiles = tiles_without_simd(problem);
  index const tasks = problem.batch * tiles.row_tiles * tiles.col_tiles;
  index const c_bytes = problem.batch * problem.rows * problem.cols * bytes;
  int const team = suits_one_thread(c_bytes) ? 1 : team_for(where.threads, tasks);
  // Rows of a few cache lines are not worth scratch.
  bool const is_streamed =
      problem.c.col_stride == 1 && bytes <= tile_function_bytes &&
      std::min(tiles.cols, problem.cols) * bytes >= 256 &&
      exceeds_caches(static_cast<int>(std::min<index>(team, tasks)), 3 * c_bytes);
  simd_kernels const& simd = active_simd_kernels();

  workspace const memory(team * transpose_workspace_bytes, team);
  parallel_for(team, tasks, [&](index task, int member) {
    add_tile const t = tiles.at(task, problem.rows, problem.cols);
    // Workspace: [ of transpose, for so small a tile | scratch of C's row | of A | of B ].
    constexpr index max_scratch_bytes = 256 * 256 * 2;
    char* const workspace = memory.data() + member * transpose_workspace_bytes;
    char* const scratch_b = workspace + transpose_workspace_bytes - max_scratch_bytes;
    char* const scratch_a = scratch_b - max_scratch_bytes;
    char* const scratch_c = scratch_a - tile_function_bytes;
    auto const a = row_order_tile(problem.a, problem.alpha_kind, t, simd, scratch_a, workspace);
    auto const b = row_order_tile(problem.b, problem.beta_kind, t, simd, scratch_b, workspace);
    for (index i = 0; i < t.height; ++i) {
      C* const to = &problem.c.at(t.batch, t.first_row + i, t.first_col);
      if (is_streamed) {
        add_row(problem, a, b, i, reinterpret_cast<C*>(scratch_c), 1, t.width);
        simd.copy_rows(scratch_c, 0, reinterpret_cast<char*>(to), 0, t.width * bytes, 1,
                       store_mode::streamed);
      } else {
        add_row(problem, a, b, i, to, problem.c.col_stride, t.width);
      }
    }
    if (is_streamed) simd.flush_stream();
  });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
