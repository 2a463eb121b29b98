// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The pipeline between the producer and the consumer warpgroups of a wgmma kernel: stages of shared
// memory, each with a full and an empty barrier. One thread is the producer, and fills them by TMA.
//
//   producer   wait empty[s]   expect bytes on full[s]   TMA loads of stage s
//   consumers  wait full[s]    wgmma on stage s          arrive at empty[s] of all its cluster
#pragma once

#include <xpose/backends/cuda/gemm/sm90/config.cuh>
#include <xpose/backends/cuda/ptx/barriers.cuh>
#include <xpose/backends/cuda/ptx/shared_memory.cuh>
#include <xpose/backends/cuda/ptx/tma.cuh>

namespace xpose::detail {

/// The stage a side is at, and the parity of its phase.
template <int Stages>
class pipeline_state {
 public:
  __device__ void advance() {
    if (++stage_ < Stages) return;
    stage_ = 0;
    parity_ ^= 1;
  }
  __device__ int stage() const { return stage_; }
  __device__ unsigned parity() const { return parity_; }

 private:
  int stage_ = 0;
  unsigned parity_ = 0;
};

/// Addresses in a block's shared memory: tiles, barriers, buffers of the epilogue.
template <class Tile>
struct pipeline_smem {
  unsigned tiles, barriers;

  __device__ unsigned a(int stage) const {
    return tiles + static_cast<unsigned>(stage * Tile::stage_bytes);
  }
  __device__ unsigned b(int stage) const {
    return a(stage) + static_cast<unsigned>(Tile::planes * Tile::a_boxes * Tile::a_box_bytes);
  }
  __device__ unsigned full_barrier(int stage) const {
    return barriers + static_cast<unsigned>(stage * 16);
  }
  __device__ unsigned empty_barrier(int stage) const { return full_barrier(stage) + 8; }
  /// Of the thread's warpgroup.
  __device__ unsigned epilogue_buffer(int buffer) const {
    int const warpgroup = static_cast<int>(threadIdx.x) / 128;
    return a(Tile::stages) + static_cast<unsigned>((warpgroup * Tile::epilogue_buffers + buffer) *
                                                   Tile::epilogue_buffer_bytes);
  }

  /// By all threads of a warp: its wgmma have read the stage. A stage is empty when each warp of
  /// each block that its B was multicast to has released it.
  __device__ void release(int stage) const {
    unsigned const lane = threadIdx.x % 32;
    if constexpr (Tile::cluster == 1) {
      if (lane == 0) mbarrier_arrive(empty_barrier(stage));
    } else {
      if (lane < Tile::cluster) mbarrier_arrive_cluster(empty_barrier(stage), lane);
    }
  }
};

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
  int const row = static_cast<int>(block.coordinates.row);
  int const col = static_cast<int>(block.coordinates.col);
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
          smem.b(stage) + static_cast<unsigned>(plane * Tile::b_boxes * Tile::b_box_bytes);
#pragma unroll
      for (int box = 0; box < Tile::a_boxes; ++box)
        load_operand_box<Tile::a_is_mn_major>(a + static_cast<unsigned>(box * Tile::a_box_bytes),
                                              descriptors.a, row + box * Tile::a_box_rows,
                                              static_cast<int>(k), a_plane + plane, full, 1);
#pragma unroll
      for (int box = 0; box < Tile::b_boxes; ++box)
        if (Tile::cluster == 1 || box % Tile::cluster == static_cast<int>(rank))
          load_operand_box<Tile::b_is_mn_major>(
              b + static_cast<unsigned>(box * Tile::b_box_bytes), descriptors.b,
              col + box * Tile::b_box_cols, static_cast<int>(k), b_plane + plane, full, all_blocks);
    }
    at.advance();
  }
}

}  // namespace xpose::detail
