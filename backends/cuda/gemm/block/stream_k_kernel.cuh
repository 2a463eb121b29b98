// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm_tile_kernel() with stream-K: the blocks that a GPU holds at a time share what would leave a
// part of the last wave idle, and take the other tiles one after the other (block/stream_k.cuh).
// Chosen for complex floats, and doubles and complex doubles on tensor cores, where the
// multiprocessors would end with a part of a wave.
#pragma once

#include <xpose/backends/cuda/gemm/block/mainloop.cuh>
#include <xpose/backends/cuda/gemm/block/stream_k.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class Tile, class Accumulators, class Problem>
__global__ void __launch_bounds__(Tile::threads, Tile::config.resident_blocks)
    gemm_stream_k_kernel(Problem problem, gemm_grid grid, unsigned tiles, stream_k_share share) {
  using partial = partial_tile<Tile, Accumulators, typename Problem::accumulate_type>;
  static_assert(predication_costs<Tile> && staged_fragment<Accumulators>::rows == 0);
  // Where a thread may have 255 registers, the tile's coordinates are computed again for the
  // epilogue: kept throughout the products, they make 64x64 of complex doubles spill. With fewer
  // they are kept: 64x64 of doubles, of 168, would spill where they are computed.
  constexpr bool computes_work_again = Tile::threads * Tile::config.resident_blocks <= 256;
  extern __shared__ __align__(16) unsigned char shared[];
  pdl_wait();
  if (!grid.condition.holds()) return;
  tile_scheduler<Tile> of_block(grid, share, tiles, blockIdx.x);
  auto const work_of_block = [&] {
    work_tile of_tile = of_block.work(problem);
    of_tile.coordinates = shifted_inside<Tile>(of_tile.coordinates, problem, grid);
    return of_tile;
  };
  for (; of_block.has_work(); of_block.advance()) {
    work_tile work = work_of_block();
    Accumulators accumulators(problem);
    mainloop<Tile>(accumulators, problem, grid, work, shared);
    if constexpr (computes_work_again) {
      of_block.hide();
      work = work_of_block();
    }
    cp_async_wait<0>();
    __syncthreads();  // before the stages have the next tile's
    if (!of_block.ends_tile()) {
      partial(share, reread_block_index()).leave(accumulators);
      continue;
    }
    if (!of_block.begins_tile())
      of_block.for_each_other(
          [&](unsigned other) { partial(share, other).add_to(accumulators, problem.semiring); });
    store_tile<Tile>(accumulators, problem, grid, work, shared);
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
