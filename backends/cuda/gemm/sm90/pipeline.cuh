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

/// Where a block is in its multicast_cluster. Ranks go down the cluster's columns.
struct cluster_position {
  unsigned rows, cols, row, col;

  __device__ cluster_position(gemm_grid const& grid, unsigned rank)
      : rows(1u << grid.log_cluster_rows),
        cols(1u << grid.log_cluster_cols),
        row(rank & (rows - 1)),
        col(rank >> grid.log_cluster_rows) {}

  __device__ unsigned blocks() const { return rows * cols; }
  /// Blocks that this one loads for, or that load for it: those beside, above and below it.
  __device__ unsigned sharers() const { return rows + cols - 1; }
  /// The rank of one of them.
  __device__ unsigned sharer(unsigned number) const {
    if (number < rows) return col * rows + number;
    unsigned const other = number - rows;
    return (other < col ? other : other + 1) * rows + row;
  }
  /// Bits of the ranks that A is multicast to, and B.
  __device__ unsigned beside() const {
    unsigned mask = 0;
    for (unsigned c = 0; c < cols; ++c) mask |= 1u << (c * rows + row);
    return mask;
  }
  __device__ unsigned below() const { return ((1u << rows) - 1) << (col * rows); }
};

/// Addresses in a block's shared memory: tiles, barriers, buffers of the epilogue.
template <class Tile>
struct pipeline_smem {
  unsigned tiles, barriers;
  unsigned barriers_of_sharer;  // of the block that the thread's lane arrives at; 0: of none

  __device__ unsigned a(int stage) const {
    return tiles + static_cast<unsigned>(stage * Tile::stage_bytes);
  }
  __device__ unsigned b(int stage) const {
    return a(stage) + static_cast<unsigned>(Tile::planes * Tile::a_plane_bytes);
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

  /// By all threads of a warp: its wgmma have read the stage. A stage is empty for a block when
  /// each warp of each block that it loads for has released it.
  __device__ void release(int stage) const {
    if (barriers_of_sharer != 0)
      mbarrier_arrive_cluster(barriers_of_sharer + static_cast<unsigned>(stage * 16 + 8));
  }
};

/// What a block loads of the tiles of an operand: its slice, for the blocks of a mask.
template <bool IsMnMajor, int PanelMn, int LineBytes, int Lines, int KExtent>
class slice_loader {
  using slice = operand_slice<IsMnMajor, Lines, KExtent>;

 public:
  __device__ slice_loader(tma_descriptor const& descriptor, unsigned blocks, unsigned number,
                          unsigned block_mask)
      : descriptor_(descriptor),
        slice_(static_cast<int>(blocks)),
        first_(static_cast<int>(number) * slice_.lines),
        block_mask_(block_mask) {}

  /// Of the tile at (mn, k) of a plane, to the tile in shared memory at `to`.
  __device__ void load(unsigned to, int mn, int k, int plane, unsigned barrier) const {
    for (int line = first_; line < first_ + slice_.lines; line += slice_.box_lines) {
      int const x = IsMnMajor ? mn + line / KExtent * PanelMn : k;
      int const y = IsMnMajor ? k + line % KExtent : mn + line;
      unsigned const at = to + static_cast<unsigned>(line * LineBytes);
      if ((block_mask_ & (block_mask_ - 1)) == 0) tma_load(at, descriptor_, x, y, plane, barrier);
      else tma_load_multicast(at, descriptor_, x, y, plane, barrier, block_mask_);
    }
  }

 private:
  tma_descriptor const& descriptor_;
  slice const slice_;
  int const first_;
  unsigned const block_mask_;
};

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
                               cluster_position const& cluster, unsigned first) {
  slice_loader<Tile::a_is_mn_major, Tile::a_panel_rows, Tile::swizzle_bytes, Tile::a_lines,
               Tile::k_extent> const a_loader(descriptors.a, cluster.cols, cluster.col,
                                              cluster.beside());
  slice_loader<Tile::b_is_mn_major, Tile::b_panel_cols, Tile::b_swizzle_bytes, Tile::b_lines,
               Tile::k_extent> const b_loader(descriptors.b, cluster.rows, cluster.row,
                                              cluster.below());
  int const a_plane = descriptors.a_is_batched ? static_cast<int>(block.batch) * Tile::planes : 0;
  int const b_plane = descriptors.b_is_batched ? static_cast<int>(block.batch) * Tile::planes : 0;
  int const row = static_cast<int>(block.coordinates.row);
  int const col = static_cast<int>(block.coordinates.col);
  auto const k_begin = static_cast<int>(block.k_begin);
  auto const k_tiles = static_cast<unsigned>(ceil_div(block.k_extent, Tile::k_extent));
  unsigned k_tile = first % k_tiles;
  for (unsigned n = 0; n < k_tiles; ++n) {
    int const k = k_begin + static_cast<int>(k_tile) * Tile::k_extent;
    if (++k_tile == k_tiles) k_tile = 0;
    int const stage = at.stage();
    unsigned const full = smem.full_barrier(stage);
    mbarrier_wait(smem.empty_barrier(stage), at.parity() ^ 1);
    mbarrier_arrive_expect_tx(full, Tile::stage_bytes);
#pragma unroll
    for (int plane = 0; plane < Tile::planes; ++plane) {
      a_loader.load(smem.a(stage) + static_cast<unsigned>(plane * Tile::a_plane_bytes), row, k,
                    a_plane + plane, full);
      b_loader.load(smem.b(stage) + static_cast<unsigned>(plane * Tile::b_plane_bytes), col, k,
                    b_plane + plane, full);
    }
    at.advance();
  }
}

}  // namespace xpose::detail
