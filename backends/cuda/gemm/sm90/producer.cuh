// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Producer of a wgmma kernel: one thread that fills the stages of the pipeline by TMA.
#pragma once

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/cuda/gemm/sm90/descriptors.cuh>
#include <xpose/backends/cuda/gemm/sm90/pipeline.cuh>
#include <xpose/backends/cuda/ptx/tma.cuh>

namespace xpose::detail {

/// The box of an operand that begins at (mn, k) of a plane.
template <bool IsMnMajor>
__device__ inline void load_operand_box(unsigned to, tma_descriptor const& descriptor, int mn,
                                        int k, int plane, unsigned barrier, unsigned block_mask) {
  int const x = IsMnMajor ? mn : k;
  int const y = IsMnMajor ? k : mn;
  if (block_mask == 1) tma_load(to, descriptor, x, y, plane, barrier);
  else tma_load_multicast(to, descriptor, x, y, plane, barrier, block_mask);
}

/// Whether all blocks read the same rows of an MN-major operand, and these are shorter than a cache
/// line. Each block then begins at a k of its own: asked for the same k at once, slices of the L2
/// have many requests for few bytes. 4096x16x4096 of float16 16.0 us in place of 18.6, column-major
/// 19.5 in place of 22.7. Not for K-major operands: 16x4096x4096 25.5 in place of 18.5 (H100,
/// 2026-11-22).
template <class Tile, class Problem>
__device__ inline bool shares_short_rows(Problem const& problem) {
  constexpr index cache_line = 128;
  return (Tile::b_is_mn_major && problem.cols * index{sizeof(*problem.b.data)} < cache_line) ||
         (Tile::a_is_mn_major && problem.rows * index{sizeof(*problem.a.data)} < cache_line);
}

/// Loads all k tiles of a tile of C: from number `first` on, and round to the one before it.
template <class Tile>
__device__ void produce_stages(pipeline_smem<Tile> const& smem, pipeline_state<Tile::stages>& at,
                               work_tile const& block, gemm_tma_descriptors const& descriptors,
                               unsigned rank, unsigned first) {
  constexpr unsigned all_blocks = (1u << Tile::cluster) - 1;
  int const a_plane = descriptors.a_is_batched ? static_cast<int>(block.batch) * Tile::planes : 0;
  int const b_plane = descriptors.b_is_batched ? static_cast<int>(block.batch) * Tile::planes : 0;
  int const first_b_box = static_cast<int>(rank) * Tile::b_boxes_per_block;
  int const row = static_cast<int>(block.coordinates.row);
  int const col = static_cast<int>(block.coordinates.col) + first_b_box * 64;
  auto const k_tiles = static_cast<unsigned>(ceil_div(block.k_extent, Tile::k_extent));
  unsigned k_tile = first % k_tiles;
  for (unsigned n = 0; n < k_tiles; ++n) {
    index const k = block.k_begin + index{k_tile} * Tile::k_extent;
    if (++k_tile == k_tiles) k_tile = 0;
    int const stage = at.stage();
    unsigned const full = smem.full_barrier(stage);
    mbarrier_wait(smem.empty_barrier(stage), at.parity() ^ 1);
    mbarrier_arrive_expect_tx(full, Tile::stage_bytes);
#pragma unroll
    for (int plane = 0; plane < Tile::planes; ++plane) {
      unsigned const a =
          smem.a(stage) + static_cast<unsigned>(plane * Tile::a_boxes * Tile::a_box_bytes);
      unsigned const b =
          smem.b(stage) +
          static_cast<unsigned>((plane * Tile::b_boxes + first_b_box) * Tile::b_box_bytes);
#pragma unroll
      for (int box = 0; box < Tile::a_boxes; ++box)
        load_operand_box<Tile::a_is_mn_major>(a + static_cast<unsigned>(box * Tile::a_box_bytes),
                                              descriptors.a, row + box * Tile::a_box_rows,
                                              static_cast<int>(k), a_plane + plane, full, 1);
#pragma unroll
      for (int box = 0; box < Tile::b_boxes_per_block; ++box)
        load_operand_box<Tile::b_is_mn_major>(b + static_cast<unsigned>(box * Tile::b_box_bytes),
                                              descriptors.b, col + box * 64, static_cast<int>(k),
                                              b_plane + plane, full, all_blocks);
    }
    at.advance();
  }
}

}  // namespace xpose::detail
