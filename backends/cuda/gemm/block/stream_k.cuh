// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The tile scheduler of persistent kernels, and stream-K: tiles that would leave a part of the last
// wave idle are shared by all clusters of a launch (a cluster is one block but with wgmma). Each
// takes as many k tiles as the others, of whatever tiles of C. Three clusters and four tiles of
// three k tiles:
//
//   tile of C      0       1       2       3
//   k tile         0 1 2   0 1 2   0 1 2   0 1 2
//   cluster        a a a   a b b   b b c   c c c
//
// A cluster begins with the last tile of its share. If the share ends before the tile does, the
// accumulators go to the workspace: of b, for two k tiles of tile 2. The cluster that has the last
// k tile of a tile adds what others left of it, and stores C: b of tile 1, what a left. They are
// added from the last k to the first, in an order that the shape alone decides. A block waits for
// blocks of lower clusters alone, and for what they do first. Assumes that a device starts the
// clusters of a launch in ascending order, as all have: so two launches at once do not wait for
// each other.
// Osama et al., Stream-K: work-centric parallel decomposition for dense matrix-matrix
// multiplication on the GPU, 2023.
#pragma once

#include <xpose/backends/cuda/gemm/block/block_tile.cuh>
#include <xpose/backends/cuda/gemm/block/stream_k_share.hpp>
#include <xpose/backends/cuda/ptx/barriers.cuh>
#include <xpose/backends/cuda/ptx/wgmma.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Whether a tile's kernel has code for it.
template <class Tile>
constexpr bool has_stream_k = can_stream_k(Tile::config);

/// What a block multiplies, one after the other: whole tiles, gridDim.x apart, in the order of
/// rasterized_tile(). `block` is blockIdx.x, reread_block_index() where registers are few.
template <class Tile, bool HasStreamK = has_stream_k<Tile>>
class tile_scheduler {
 public:
  __device__ tile_scheduler(gemm_grid const& grid, stream_k_share const&, unsigned tiles,
                            unsigned block)
      : grid_(grid), tiles_(tiles), tile_(block) {}

  __device__ bool has_work() const { return tile_ < tiles_; }
  __device__ void advance() { tile_ += gridDim.x; }
  template <class Problem>
  __device__ work_tile work(Problem const& problem) const {
    return work_tile_of<Tile>(problem, grid_, tile_);
  }
  __device__ unsigned tile() const { return tile_; }
  __device__ static constexpr bool ends_tile() { return true; }

 private:
  gemm_grid const& grid_;
  unsigned tiles_, tile_;
};

/// Before these, of tiles that are shared, its cluster's share.
template <class Tile>
class tile_scheduler<Tile, true> {
 public:
  __device__ tile_scheduler(gemm_grid const& grid, stream_k_share const& share, unsigned tiles,
                            unsigned block)
      : grid_(grid), share_(share), tiles_(tiles), tile_(block) {
    if (share_.tiles == 0) return;
    unsigned const end = first_k_tile(cluster() + 1);
    unsigned const last = (end - 1) / share_.k_tiles;
    tile_ = last << log_blocks() | rank();
    end_ = end - last * share_.k_tiles;
  }

  __device__ bool has_work() const { return tile_ < tiles_; }
  __device__ void advance() {
    if (!is_shared()) {
      tile_ += gridDim.x;
    } else if (first_k_tile(cluster()) < first_k_tile_of_tile()) {
      tile_ -= 1u << log_blocks();
      end_ = share_.k_tiles;
    } else {
      tile_ = reread_block_index() + (share_.tiles << log_blocks());
      end_ = 0;
    }
  }
  template <class Problem>
  __device__ work_tile work(Problem const& problem) const {
    work_tile of_tile = work_tile_of<Tile>(problem, grid_, tile_);
    if (!is_shared()) return of_tile;
    index const k_end = index{end_} * Tile::k_extent;
    of_tile.k_begin = index{begin()} * Tile::k_extent;
    of_tile.k_extent = (k_end < problem.k_extent ? k_end : problem.k_extent) - of_tile.k_begin;
    return of_tile;
  }
  __device__ unsigned tile() const { return tile_; }
  /// What work() returned before is not what it returns now, as far as the compiler knows.
  __device__ void hide() { asm volatile("" : "+r"(tile_), "+r"(end_)); }

  /// Whether the work has the first k tile of its tile, and the last.
  __device__ bool begins_tile() const { return !is_shared() || begin() == 0; }
  __device__ bool ends_tile() const { return !is_shared() || end_ == share_.k_tiles; }
  /// visit(block) for those that left accumulators of the tile, from the last k to the first.
  template <class Visit>
  __device__ void for_each_other(Visit const& visit) const {
    unsigned const first = first_k_tile_of_tile();
    for (unsigned other = cluster(); first_k_tile(other) > first;)
      visit(--other << log_blocks() | rank());
  }

 private:
  __device__ bool is_shared() const { return end_ > 0; }
  __device__ unsigned log_blocks() const { return grid_.log_cluster_rows + grid_.log_cluster_cols; }
  __device__ unsigned cluster() const { return reread_block_index() >> log_blocks(); }
  __device__ unsigned rank() const { return reread_block_index() & ((1u << log_blocks()) - 1); }
  /// Of a cluster's share, and of the tile: counted through all shared tiles.
  __device__ unsigned first_k_tile(unsigned of_cluster) const {
    return of_cluster * share_.of_cluster +
           (of_cluster < share_.longer ? of_cluster : share_.longer);
  }
  __device__ unsigned first_k_tile_of_tile() const {
    return (tile_ >> log_blocks()) * share_.k_tiles;
  }
  /// The first k tile of the work, in its tile.
  __device__ unsigned begin() const {
    unsigned const of_cluster = first_k_tile(cluster());
    unsigned const of_tile = first_k_tile_of_tile();
    return of_cluster > of_tile ? of_cluster - of_tile : 0;
  }

  gemm_grid const& grid_;
  stream_k_share const& share_;
  unsigned tiles_, tile_;
  unsigned end_ = 0;  // behind the last k tile of the work, in its tile; 0: the tile is not shared
};

/// Accumulators that a block leaves in the workspace: vectors of 16 bytes, each thread's in a
/// column of its own. The consumer warpgroups of wgmma do not wait for each other, so each is a
/// team; else the block is one.
template <class Tile, class Accumulators, class K>
class partial_tile {
  static constexpr int width = 16 / static_cast<int>(sizeof(K));
  static constexpr int of_thread = Accumulators::rows * Accumulators::cols;
  static constexpr int of_team = is_wgmma(Tile::config) ? 128 : Tile::threads;
  using group = element_group<K, width, 16>;
  static_assert(Accumulators::cols % width == 0 && Tile::config.k_slices == 1);

 public:
  static constexpr int teams = Tile::rows * Tile::cols / of_thread / of_team;
  static constexpr index bytes = index{Tile::rows} * Tile::cols * index{sizeof(K)};
  // Whether value() knows all accumulators of a thread, as it does but for 256 rows of wgmma.
  static constexpr bool has_all = teams * of_team == threads_of(Tile::config);

  __device__ partial_tile(stream_k_share const& share, unsigned block)
      : share_(share), number_(block * teams + static_cast<unsigned>(team())) {}

  __device__ void leave(Accumulators const& accumulators) const {
    static_assert(has_all);
    uint4* const to = vectors();
#pragma unroll
    for (int n = 0; n < of_thread; n += width) {
      group held;
#pragma unroll
      for (int e = 0; e < width; ++e)
        held[e] = accumulators.value(n / Accumulators::cols, n % Accumulators::cols + e);
      __stcg(to + n / width * of_team, bits_as<uint4>(held));
    }
    sync_team();
    if (is_speaker()) st_release_gpu(ticket(), share_.ticket);
  }

  /// Waits for them, and adds them. The ticket is taken back: a graph's next launch has the same.
  template <class Semiring>
  __device__ void add_to(Accumulators& accumulators, Semiring const& semiring) const {
    if (is_speaker()) {
      while (ld_acquire_gpu(ticket()) != share_.ticket) {
      }
      *ticket() = 0;
    }
    sync_team();
    uint4 const* const from = vectors();
#pragma unroll
    for (int n = 0; n < of_thread; n += width) {
      auto const held = bits_as<group>(__ldcg(from + n / width * of_team));
      int const r = n / Accumulators::cols;
#pragma unroll
      for (int e = 0; e < width; ++e) {
        int const c = n % Accumulators::cols + e;
        accumulators.set(r, c, semiring.add(accumulators.value(r, c), held.elements[e]));
      }
    }
  }

 private:
  __device__ static int team() { return static_cast<int>(threadIdx.x) / of_team; }
  __device__ static bool is_speaker() { return threadIdx.x % of_team == 0; }
  __device__ static void sync_team() {
    if constexpr (is_wgmma(Tile::config)) warpgroup_sync(1 + team());
    else __syncthreads();
  }
  __device__ uint4* vectors() const {
    return static_cast<uint4*>(share_.partials) + index{number_} * (of_team * of_thread / width) +
           threadIdx.x % of_team;
  }
  __device__ std::uint64_t* ticket() const { return share_.tickets + number_; }

  stream_k_share const& share_;
  unsigned number_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
