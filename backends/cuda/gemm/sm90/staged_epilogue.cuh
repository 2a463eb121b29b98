// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Epilogues that need accumulators of a wgmma kernel in shared memory first: all but plain rows of
// C (epilogue.cuh), and the sum of splits of k in a cluster.
#pragma once

#include <xpose/backends/cuda/gemm/sm90/cluster_reduction.cuh>
#include <xpose/backends/cuda/gemm/sm90/pipeline.cuh>
#include <xpose/backends/cuda/gemm/split_k.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// visit(first) with `first` as the constant that it is one of: 0, Step, .. below End. So a loop's
/// body may name registers by it, and is compiled once but for that.
template <int End, int Step, class Visit>
__device__ inline void with_constant(int first, Visit const& visit) {
#pragma unroll
  for (int c = 0; c < End; c += Step)
    if (c == first) visit(c);
}

/// Accumulators in shared memory, `Cols` columns, from row 0 of an address on. The 16 bytes at
/// column j of row r lie at column j ^ (2 r % 8): a half warp's pairs of four rows, and a row's
/// vectors, read each bank once. Cols is a multiple of 32.
template <class K, int Cols>
struct staged_accumulators {
  static constexpr int cols = Cols;

  unsigned base;

  __device__ unsigned address(int row, int col) const {
    int const byte = col * static_cast<int>(sizeof(K)) ^ row % 4 * 32;
    return base + static_cast<unsigned>(row * cols * static_cast<int>(sizeof(K)) + byte);
  }
  /// A thread's columns from `first` on, those that there are; rows count from `first_row` of the
  /// block tile.
  template <class Accumulators>
  __device__ void fill(Accumulators const& accumulators, int first_row, int first) const {
    int const pair = static_cast<int>(Accumulators::thread()) % 4 * 2;
#pragma unroll
    for (int r = 0; r < Accumulators::rows; ++r) {
      int const row = accumulators.row_of(r) - first_row;
#pragma unroll
      for (int col = 0; col < cols; col += 8) {
        if (first + col >= 4 * Accumulators::cols) break;
        element_group<K, 2> held;
        for (int e = 0; e < 2; ++e) held[e] = accumulators.value(r, (first + col) / 4 + e);
        st_shared(address(row, col + pair), held);
      }
    }
  }
};

/// Stores neighbours in a row of partials (split_k.cuh).
template <class Problem>
struct partial_writer {
  using K = typename Problem::accumulate_type;
  K* first;
  index pitch;

  __device__ void write(index row, element_group<K, neighbour_writer<Problem>::width> const& x) {
    *reinterpret_cast<element_group<K, neighbour_writer<Problem>::width>*>(first + row * pitch) = x;
  }
};

/// With beta, any strides of C, the user's epilogue, any layer; or partials. Accumulators go
/// through shared memory, so that one loop over rows has the code of these, four neighbours a
/// thread. Unrolled over a thread's accumulators it took ptxas minutes.
template <class Tile, class Accumulators, class Problem>
__device__ void store_by_rows(Accumulators const& accumulators, Problem const& problem,
                              gemm_grid const& grid, work_tile const& block,
                              pipeline_smem<Tile> const& smem) {
  using K = typename Problem::accumulate_type;
  constexpr int width = neighbour_writer<Problem>::width;
  using staged = staged_accumulators<K, 32 * Tile::epilogue_buffers>;
  static_assert(64 * staged::cols * sizeof(K) <=
                Tile::epilogue_buffers * Tile::epilogue_buffer_bytes);
  constexpr int lanes = staged::cols / width;  // of a row
  constexpr int rows_at_once = 32 / lanes;
  int const thread = static_cast<int>(Accumulators::thread());
  int const warpgroup = thread / 128;
  int const lane = thread % 32;
  int const first_row = thread % 128 / 32 * 16 + lane / lanes;
  int const col = lane % lanes * width;
  index const row_of_warpgroup = block.coordinates.row + warpgroup * 64;
  int const rows_left = inside_tile(problem.rows, row_of_warpgroup);
  int const cols_left = least_of(inside_tile(problem.cols, block.coordinates.col), Tile::cols);
  staged const held{smem.epilogue_buffer(0)};
#pragma unroll 1
  for (int first = 0; first < Tile::cols; first += staged::cols) {
    index const col_of_c = block.coordinates.col + first + col;
    int const inside = cols_left - first - col;
    warpgroup_sync(1 + warpgroup);
    with_constant<Tile::cols, staged::cols>(
        first, [&](int constant) { held.fill(accumulators, warpgroup * 64, constant); });
    warpgroup_sync(1 + warpgroup);
    auto const write_by = [&](auto writer) {
#pragma unroll(Tile::row_blocks > 1 ? 1 : 2)
      for (int of_warp = 0; of_warp < 16; of_warp += rows_at_once) {
        int const row = first_row + of_warp;
        if (inside <= 0 || row >= rows_left) continue;
        writer.write(row_of_warpgroup + row,
                     bits_as<element_group<K, width>>(ld_shared_vec16(held.address(row, col))));
      }
    };
    if (grid.partials != nullptr) {
      write_by(partial_writer<Problem>{partial_address<K>(problem, grid, block, 0, col_of_c),
                                       partials_pitch(problem.cols)});
      continue;
    }
    if constexpr (may_have_layer<typename Problem::epilogue_type>)
      if (problem.epilogue.is_given()) {
        auto const layered = with_layer(problem);
        write_by(neighbour_writer<std::decay_t<decltype(layered)>>(layered, grid, block.batch,
                                                                   col_of_c, inside));
        continue;
      }
    write_by(neighbour_writer<Problem>(problem, grid, block.batch, col_of_c, inside));
  }
}

/// Adds the accumulators of a cluster's blocks, each of a split of k, and stores them. All threads
/// of the producer call cluster_sync() twice meanwhile.
template <class Tile, class Accumulators, class Problem>
__device__ void reduce_in_cluster(Accumulators const& accumulators, Problem const& problem,
                                  gemm_grid const& grid, work_tile const& block,
                                  pipeline_smem<Tile> const& smem) {
  using K = typename Problem::accumulate_type;
  using staged = staged_accumulators<K, (Tile::cols + 31) / 32 * 32>;
  static_assert(Tile::rows * staged::cols * sizeof(K) <= Tile::stages * Tile::stage_bytes);
  staged const held{smem.a(0)};
  named_sync(1 + Tile::consumer_warpgroups, Tile::consumer_threads);  // no wgmma reads the stages
  held.fill(accumulators, 0, 0);
  store_sums_of_cluster<Tile::rows, Tile::cols, Tile::consumer_threads>(held, problem, grid, block);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
