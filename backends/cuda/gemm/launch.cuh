// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// From a chosen config to launches: the grid, the split-K workspace, and one launch for as many
// matrices of the batch as fit both.
#pragma once

#include <xpose/backends/cuda/gemm/block/mainloop.cuh>
#include <xpose/backends/cuda/gemm/split_k.cuh>
#include <xpose/backends/cuda/runtime/workspace.hpp>

namespace xpose::detail {

template <class Tile, class Accumulators, class Problem>
gemm_grid grid_of(Problem const& p, gemm_choice const& choice, gemm_condition const& condition) {
  using K = typename Problem::accumulate_type;
  gemm_grid grid{0,
                 static_cast<unsigned>(row_tiles_of(Tile::config, p.rows)),
                 static_cast<unsigned>(col_tiles_of(Tile::config, p.cols)),
                 static_cast<unsigned>(choice.split_k),
                 choice.k_per_split,
                 access_of(p.a, p.batch, p.a.row_stride, p.a.col_stride),
                 access_of(p.b, p.batch, p.b.col_stride, p.b.row_stride),
                 c_access_of(p.c, p.batch, p.rows, p.cols, Accumulators::vector_rows,
                             Accumulators::vector_cols),
                 false,
                 false,
                 nullptr,
                 condition};
  // Vectors of operands, and those of partials, stay aligned in a shifted tile.
  auto const is_multiple = [](index extent, int width) { return extent % width == 0; };
  grid.shifts_rows =
      grid.a != operand_access::mn_major_vec16 ||
      is_multiple(p.rows, elements_of_vec16<std::remove_cv_t<typename Problem::a_type>>);
  grid.shifts_cols =
      (grid.b != operand_access::mn_major_vec16 ||
       is_multiple(p.cols, elements_of_vec16<std::remove_cv_t<typename Problem::b_type>>)) &&
      (grid.split_k == 1 || is_multiple(p.cols, elements_of_vec16<K>));
  return grid;
}

/// launch(blocks, grid), as often as the split-K workspace or the grid is too small for all
/// matrices of the batch; the split-K reduction follows each.
template <class Tile, class Accumulators, class Problem, class Launch>
static void launch_gemm_grid(execution const& where, Problem const& problem,
                             gemm_choice const& choice, gemm_condition const& condition,
                             Launch const& launch) {
  gemm_grid grid = grid_of<Tile, Accumulators>(problem, choice, condition);
  index const blocks = index{grid.row_tiles} * grid.col_tiles * choice.split_k;
  index const bytes = partials_bytes(problem, choice.split_k);
  index batches = std::max<index>(1, most_blocks / blocks);
  if (bytes > 0) batches = std::min(batches, std::max<index>(1, max_split_k_workspace / bytes));
  batches = std::min(batches, problem.batch);
  auto const run = [&] {
    for (; grid.first_batch < problem.batch; grid.first_batch += batches) {
      index const now = std::min(batches, problem.batch - grid.first_batch);
      launch(now * blocks, grid);
      if (grid.split_k > 1) launch_split_k_reduce(where, problem, grid, now);
    }
  };
  if (choice.split_k == 1) return run();
  stream_workspace const workspace(where, batches * bytes);
  grid.partials = workspace.data();
  run();
}

template <class Tile, class Accumulators, class Problem>
static void launch_tile_kernel(
    execution const& where, Problem const& problem, gemm_choice const& choice,
    void (*kernel)(Problem, gemm_grid) = gemm_tile_kernel<Tile, Accumulators, Problem>,
    gemm_condition const& condition = {}) {
  using K = typename Problem::accumulate_type;
  launch_gemm_grid<Tile, Accumulators>(
      where, problem, choice, condition, [&](index blocks, gemm_grid const& grid) {
        // With PDL, blocks start on the multiprocessors that are done first, and many of them share
        // few: 1024x1024x1024 of double takes 48 us with it, 42 without, but 64x64x64 of float 2.6
        // with it, 3.6 without (H100, 2026-11-22).
        bool const is_even = Tile::config.kind == gemm_kernel_kind::gemv ||
                             2 * blocks <= properties_of_device().multiprocessors;
        if (is_even)
          launch_pdl(where, 1, blocks, Tile::threads, Tile::template shared_bytes<K>,
                     Tile::config.name, kernel, problem, grid);
        else
          launch_blocks(where, blocks, Tile::threads, Tile::template shared_bytes<K>,
                        Tile::config.name, kernel, problem, grid);
      });
}

}  // namespace xpose::detail
