// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The pipeline between the producer and the consumer warpgroups of a wgmma kernel: stages of shared
// memory, each with a full and an empty barrier. Two threads are the producers, one of either
// operand, and fill them by TMA.
//
//   producers  wait empty[s]   expect bytes on full[s]   TMA loads of stage s
//   consumers  wait full[s]    wgmma on stage s          arrive at empty[s] of all its cluster
#pragma once

#include <xpose/backends/cuda/gemm/block/stream_k.cuh>
#include <xpose/backends/cuda/gemm/sm90/config.cuh>
#include <xpose/backends/cuda/ptx/barriers.cuh>
#include <xpose/backends/cuda/ptx/shared_memory.cuh>
#include <xpose/backends/cuda/ptx/tma.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

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
  unsigned log_rows, log_cols, rows, cols, row, col;

  __device__ cluster_position(gemm_grid const& grid, unsigned rank)
      : log_rows(grid.log_cluster_rows),
        log_cols(grid.log_cluster_cols),
        rows(1u << log_rows),
        cols(1u << log_cols),
        row(rank & (rows - 1)),
        col(rank >> log_rows) {}

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

/// Addresses in a block's shared memory: tiles, barriers, buffers of the epilogue, a layer's
/// values.
template <class Tile>
struct pipeline_smem {
  unsigned tiles, barriers;
  unsigned barriers_of_sharer;  // of the block that the thread's lane arrives at; 0: of none

  __device__ unsigned a(int stage) const {
    return tiles + static_cast<unsigned>(stage * Tile::stage_bytes);
  }
  __device__ unsigned b(int stage) const {
    return a(stage) + static_cast<unsigned>(Tile::planes * Tile::a_tile::bytes);
  }
  __device__ unsigned full_barrier(int stage) const {
    return barriers + static_cast<unsigned>(stage * 16);
  }
  __device__ unsigned empty_barrier(int stage) const { return full_barrier(stage) + 8; }
  __device__ unsigned layer_full_barrier() const { return full_barrier(Tile::stages); }
  __device__ unsigned layer_empty_barrier() const { return empty_barrier(Tile::stages); }
  /// Of the thread's warpgroup.
  __device__ unsigned epilogue_buffer(int buffer) const {
    int const warpgroup = static_cast<int>(threadIdx.x) / 128;
    return a(Tile::stages) + static_cast<unsigned>((warpgroup * Tile::epilogue_buffers + buffer) *
                                                   Tile::epilogue_buffer_bytes);
  }
  __device__ unsigned layer_scale() const {
    return a(Tile::stages) + static_cast<unsigned>(Tile::bytes_of_epilogue);
  }
  __device__ unsigned layer_bias() const {
    return layer_scale() + static_cast<unsigned>(Tile::bytes_of_layer / 2);
  }

  /// By all threads of a warp: its wgmma have read the stage. A stage is empty for a block when
  /// each warp of each block that it loads for has released it.
  __device__ void release(int stage) const {
    if (barriers_of_sharer != 0)
      mbarrier_arrive_cluster(barriers_of_sharer + static_cast<unsigned>(stage * 16 + 8));
  }
};

/// A's tiles: where they begin in a stage, and in A. Of B the same.
template <class Tile>
struct a_operand {
  using tile = typename Tile::a_tile;
  static constexpr int offset = 0;

  __device__ static index first_mn(work_tile const& block) { return block.coordinates.row; }
};
template <class Tile>
struct b_operand {
  using tile = typename Tile::b_tile;
  static constexpr int offset = Tile::planes * Tile::a_tile::bytes;

  __device__ static index first_mn(work_tile const& block) { return block.coordinates.col; }
};

/// Loads a block's slice of an operand's tiles, for the blocks of a mask. One thread runs this,
/// each instruction after the other: at the start of a product it is what the tensor cores wait
/// for.
template <class Operand>
class slice_loader {
  using tile = typename Operand::tile;

 public:
  __device__ slice_loader(tma_descriptor const& descriptor, tma_descriptor const& of_last_panel,
                          unsigned log_blocks, unsigned number, unsigned block_mask)
      : descriptor_(descriptor), of_last_panel_(of_last_panel), block_mask_(block_mask) {
    int const lines = tile::slice_lines(static_cast<int>(log_blocks));
    int const first = static_cast<int>(number) * lines;
    first_line_ = tile::is_mn_major ? first : least_of(first, tile::mn - lines);
    loaded_bytes_ = tile::loaded_bytes(static_cast<int>(log_blocks));
    is_multicast_ = log_blocks > 0;
  }

  /// Bytes that a stage receives, from all blocks.
  __device__ int loaded_bytes() const { return loaded_bytes_; }

  /// Of the tile at (mn, k) of plane `of_tensor`, to plane `plane` of the stage at `stage`.
  __device__ void load(unsigned stage, int mn, int k, int plane, int of_tensor,
                       unsigned barrier) const {
    unsigned to = stage + static_cast<unsigned>(Operand::offset + plane * tile::bytes +
                                                first_line_ * tile::line_bytes);
    int x = tile::is_mn_major ? mn : k;
    int const y = (tile::is_mn_major ? k : mn) + first_line_;
#pragma unroll
    for (int panel = 0; panel < tile::panels; ++panel) {
      tma_descriptor const& descriptor = panel + 1 < tile::panels ? descriptor_ : of_last_panel_;
      if (is_multicast_) tma_load_multicast(to, descriptor, x, y, of_tensor, barrier, block_mask_);
      else tma_load(to, descriptor, x, y, of_tensor, barrier);
      to += tile::panel_bytes;
      x += tile::panel_mn;
    }
  }

 private:
  tma_descriptor const& descriptor_;
  tma_descriptor const& of_last_panel_;
  unsigned block_mask_;
  int first_line_, loaded_bytes_;
  bool is_multicast_;
};

/// Whether all blocks read the same rows of an MN-major operand, and these are shorter than a cache
/// line. Each block then begins at a k of its own: asked for the same k at once, slices of the L2
/// have many requests for few bytes. 4096x16x4096 of float16 16.0 us in place of 18.6, column-major
/// 19.5 in place of 22.7. Not for K-major operands: 16x4096x4096 25.5 in place of 18.5 (H100,
/// 2026-11-22).
template <class Tile, class Problem>
__device__ inline bool shares_short_rows(Problem const& problem) {
  constexpr index cache_line = 128;
  return (Tile::b_tile::is_mn_major &&
          problem.cols * index{sizeof(*problem.b.data)} < cache_line) ||
         (Tile::a_tile::is_mn_major && problem.rows * index{sizeof(*problem.a.data)} < cache_line);
}

/// Loads an operand's tiles of a block's work, of which `first` is known: from a k tile on that the
/// cluster begins with, and round to the one before it. Then waits, in a cluster, until all that
/// arrive at this block's barriers have: it may end before they do.
template <class Tile, class Operand, class Problem>
__device__ void produce_operand(pipeline_smem<Tile> const& smem, Problem const& problem,
                                gemm_grid const& grid, work_tile const& first,
                                tile_scheduler<Tile> scheduler, bool is_batched,
                                slice_loader<Operand> const& loader) {
  unsigned const k_tiles_apart = shares_short_rows<Tile>(problem) ? 7 : 0;
  unsigned const log_blocks = grid.log_cluster_rows + grid.log_cluster_cols;
  pipeline_state<Tile::stages> at;
  bool is_first_round = true;  // all stages are empty
  work_tile block = first;
  for (;;) {
    int const first_plane = is_batched ? static_cast<int>(block.batch) * Tile::planes : 0;
    auto const mn = static_cast<int>(Operand::first_mn(block));
    auto const k_begin = static_cast<unsigned>(block.k_begin);
    unsigned const k_end = k_begin + static_cast<unsigned>(block.k_extent);
    auto const k_tiles = static_cast<unsigned>(ceil_div(block.k_extent, Tile::k_extent));
    unsigned k = k_begin;
    if (k_tiles_apart > 0)
      k += (scheduler.tile() >> log_blocks) * k_tiles_apart % k_tiles * Tile::k_extent;
    for (unsigned left = k_tiles; left > 0; --left) {
      int const stage = at.stage();
      unsigned const full = smem.full_barrier(stage);
      if (!is_first_round) mbarrier_wait(smem.empty_barrier(stage), at.parity() ^ 1);
      mbarrier_arrive_expect_tx(full, Tile::planes * loader.loaded_bytes());
#pragma unroll
      for (int plane = 0; plane < Tile::planes; ++plane)
        loader.load(smem.a(stage), mn, static_cast<int>(k), plane, first_plane + plane, full);
      k += Tile::k_extent;
      if (k >= k_end) k = k_begin;
      at.advance();
      if (at.stage() == 0) is_first_round = false;
    }
    scheduler.advance();
    if (!scheduler.has_work()) break;
    block = scheduler.work(problem);
  }
  if (log_blocks == 0) return;
  for (int stage = 0; stage < Tile::stages; ++stage) {
    if (!is_first_round) mbarrier_wait(smem.empty_barrier(at.stage()), at.parity() ^ 1);
    at.advance();
    if (at.stage() == 0) is_first_round = false;
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
