// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Epilogue of a wgmma kernel, from accumulators to C: through shared memory by TMA where it can
// store C, and to unaligned rows; to a layer or the user's epilogue (layer.cuh,
// staged_epilogue.cuh); else as epilogue_writer does. This code runs once a tile: instructions
// fetched for the first time cost more than what they do.
#pragma once

#include <xpose/backends/cuda/gemm/sm90/layer.cuh>
#include <xpose/backends/cuda/gemm/sm90/staged_epilogue.cuh>
#include <xpose/backends/cuda/gemm/split_k.cuh>

namespace xpose::detail {

/// Stores of a warpgroup, of `Cols` columns each, that may be in flight when it writes to the next
/// buffer. None where a tile is a single store: the next tile begins with the same buffer.
template <class Tile, int Cols>
constexpr int tma_stores_in_flight =
    Tile::cols / Cols % Tile::epilogue_buffers == 0 ? Tile::epilogue_buffers - 1 : 0;

/// 64 rows of C in a buffer of shared memory, of the columns from `first` on. The 16 bytes at
/// column j of row r lie at column j ^ (r % 8), as SWIZZLE_128B wants it (64B: j ^ (r / 2 % 4)).
template <class Tile, class C>
struct epilogue_tile {
  static constexpr int bytes = epilogue_row_bytes<Tile, C>;
  static constexpr int cols = bytes / static_cast<int>(sizeof(C));
  static constexpr unsigned swizzle_mask = bytes == 128 ? 0x70 : 0x30;

  unsigned buffer;

  __device__ unsigned address(int row, int byte) const {
    unsigned const at = static_cast<unsigned>(row * bytes + byte);
    return buffer + (at ^ (at >> 3 & swizzle_mask));
  }

  template <class Accumulators, class Problem>
  __device__ void fill(Accumulators const& accumulators, Problem const& problem, int first) const {
    auto known = scalars_of<true>(problem);
    known.beta_is_zero = true;
    int const pair = static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
    for (int r = 0; r < Accumulators::rows; ++r) {
      int const row = accumulators.row_of(r) % 64;
#pragma unroll
      for (int col = 0; col < cols; col += 8) {
        element_group<C, 2> results;
#pragma unroll
        for (int e = 0; e < 2; ++e)
          problem.write_to(results[e], known, 0, 0, accumulators.value(r, (first + col) / 4 + e));
        st_shared(address(row, (col + pair) * static_cast<int>(sizeof(C))), results);
      }
    }
  }
};

/// Fills the warpgroup's two buffers in turn: before_fill(), and visit(tile, first) when filled.
template <class Tile, class Accumulators, class Problem, class BeforeFill, class Visit>
__device__ void for_each_epilogue_tile(Accumulators const& accumulators, Problem const& problem,
                                       pipeline_smem<Tile> const& smem,
                                       BeforeFill const& before_fill, Visit const& visit) {
  using epilogue = epilogue_tile<Tile, typename Problem::c_type>;
#pragma unroll
  for (int first = 0; first < Tile::cols; first += epilogue::cols) {
    epilogue const tile{smem.epilogue_buffer(first / epilogue::cols % Tile::epilogue_buffers)};
    before_fill();
    tile.fill(accumulators, problem, first);
    visit(tile, first);
  }
}

/// By TMA, 64 rows of C at once.
template <class Tile, class Accumulators, class Problem>
__device__ void tma_store_rows(Accumulators const& accumulators, Problem const& problem,
                               work_tile const& block, tma_descriptor const& descriptor,
                               pipeline_smem<Tile> const& smem) {
  constexpr int cols = epilogue_tile<Tile, typename Problem::c_type>::cols;
  int const warpgroup = static_cast<int>(threadIdx.x) / 128;
  bool const is_issuer = threadIdx.x % 128 == 0;
  for_each_epilogue_tile(
      accumulators, problem, smem,
      [&] {
        if (is_issuer) tma_store_wait<tma_stores_in_flight<Tile, cols>>();
        warpgroup_sync(1 + warpgroup);
      },
      [&](auto const& tile, int first) {
        fence_proxy_async();
        warpgroup_sync(1 + warpgroup);
        if (is_issuer)
          tma_store(tile.buffer, descriptor, static_cast<int>(block.coordinates.col) + first,
                    static_cast<int>(block.coordinates.row) + warpgroup * 64,
                    static_cast<int>(block.batch));
      });
}

/// By TMA, a column-major C of 4-byte elements: a buffer has 32 columns, in boxes of 32 rows of C.
template <class Tile, class Accumulators, class Problem>
__device__ void tma_store_cols(Accumulators const& accumulators, Problem const& problem,
                               work_tile const& block, tma_descriptor const& descriptor,
                               pipeline_smem<Tile> const& smem) {
  using C = typename Problem::c_type;
  static_assert(sizeof(C) == 4);
  constexpr int cols = col_major_epilogue_cols<Tile>;
  constexpr int boxes = 2;  // of a buffer
  int const warpgroup = static_cast<int>(threadIdx.x) / 128;
  bool const is_issuer = threadIdx.x % 128 == 0;
  auto known = scalars_of<true>(problem);
  known.beta_is_zero = true;
  int const pair = static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
  for (int first = 0; first < Tile::cols; first += cols) {
    unsigned const buffer = smem.epilogue_buffer(first / cols % Tile::epilogue_buffers);
    if (is_issuer) tma_store_wait<boxes * tma_stores_in_flight<Tile, cols>>();
    warpgroup_sync(1 + warpgroup);
#pragma unroll
    for (int r = 0; r < Accumulators::rows; ++r) {
      int const row = accumulators.row_of(r) % 64;
#pragma unroll
      for (int c = 0; c < cols / 4; ++c) {
        int const col = c / 2 * 8 + pair + c % 2;
        element_group<C, 1> result;
        problem.write_to(result[0], known, 0, 0, accumulators.value(r, first / 4 + c));
        st_shared(buffer + static_cast<unsigned>(row / 32 * cols * 128 + col * 128 +
                                                 ((row % 32 / 4) ^ (col % 8)) * 16 + row % 4 * 4),
                  result);
      }
    }
    fence_proxy_async();
    warpgroup_sync(1 + warpgroup);
    if (is_issuer)
      for (int box = 0; box < boxes; ++box)
        tma_store(buffer + static_cast<unsigned>(box * cols * 128), descriptor,
                  static_cast<int>(block.coordinates.row) + warpgroup * 64 + box * 32,
                  static_cast<int>(block.coordinates.col) + first, static_cast<int>(block.batch));
  }
}

/// Stores a lane's word: two elements of 2 bytes, or one of 4, of the `cols_left` that exist. Pairs
/// of 2-byte elements are stored aligned to 4 bytes. In a row that is not, a lane's pair is its
/// second element and its neighbour's first.
template <class C>
__device__ inline void store_word(C* row, int lane, int lanes, unsigned word, int cols_left) {
  if constexpr (sizeof(C) == 4) {
    if (lane < cols_left) reinterpret_cast<unsigned*>(row)[lane] = word;
  } else {
    auto* const elements = reinterpret_cast<std::uint16_t*>(row);
    unsigned const next = __shfl_down_sync(0xFFFFFFFFu, word, 1);
    bool const is_shifted = (reinterpret_cast<std::uintptr_t>(row) & 2) != 0;
    bool const is_last = lane == lanes - 1;
    int const first = 2 * lane + (is_shifted ? 1 : 0);
    unsigned const pair = is_shifted ? __funnelshift_r(word, next, 16) : word;
    bool const has_both = !(is_shifted && is_last);
    if (has_both && first + 1 < cols_left) *reinterpret_cast<unsigned*>(elements + first) = pair;
    else if (first < cols_left) elements[first] = static_cast<std::uint16_t>(pair);
    if (is_shifted && lane == 0 && cols_left > 0) elements[0] = static_cast<std::uint16_t>(word);
  }
}

/// Rows of contiguous elements at any address; a word a lane.
template <class Tile, class Accumulators, class Problem>
__device__ void store_unaligned_rows(Accumulators const& accumulators, Problem const& problem,
                                     work_tile const& block, pipeline_smem<Tile> const& smem) {
  using C = typename Problem::c_type;
  using result = epilogue_tile<Tile, C>;
  constexpr int lanes = result::bytes / 4;  // of a row
  constexpr int rows_at_once = 32 / lanes;
  int const warpgroup = static_cast<int>(threadIdx.x) / 128;
  int const first_row_of_lane =
      static_cast<int>(threadIdx.x) % 128 / 32 * 16 + static_cast<int>(threadIdx.x) % 32 / lanes;
  int const lane = static_cast<int>(threadIdx.x) % lanes;
  int const rows_left = inside_tile(problem.rows, block.coordinates.row) - warpgroup * 64;
  int const cols_left = inside_tile(problem.cols, block.coordinates.col);
  C* const first_row = &problem.c.at(block.batch, block.coordinates.row, block.coordinates.col) +
                       static_cast<index>(warpgroup * 64) * problem.c.row_stride;
  for_each_epilogue_tile(
      accumulators, problem, smem,
      [&] {
        // Where the next tile begins with the other buffer, all read this one before they last met.
        if constexpr (Tile::cols / result::cols % Tile::epilogue_buffers != 0)
          warpgroup_sync(1 + warpgroup);
      },
      [&](result const& tile, int first) {
        warpgroup_sync(1 + warpgroup);
#pragma unroll 4
        for (int of_warp = 0; of_warp < 16; of_warp += rows_at_once) {
          int const row = first_row_of_lane + of_warp;
          unsigned const word = ld_shared(tile.address(row, lane * 4));
          store_word(first_row + row * problem.c.row_stride + first, lane, lanes, word,
                     row < rows_left ? cols_left - first : 0);
        }
      });
}

template <class Tile, class Accumulators, class Problem>
__device__ void store_plain(Accumulators& accumulators, Problem const& problem,
                            gemm_grid const& grid, work_tile const& block,
                            gemm_tma_descriptors const& descriptors,
                            pipeline_smem<Tile> const& smem) {
  if constexpr (has_smem_epilogue<Problem>) {
    if (descriptors.stores_rows)
      return tma_store_rows(accumulators, problem, block, descriptors.c, smem);
    if constexpr (Tile::a_from_registers)
      if (descriptors.stores_cols)
        return tma_store_cols(accumulators, problem, block, descriptors.c, smem);
    if (problem.scalars.beta_is_zero && problem.c.col_stride == 1)
      return store_unaligned_rows(accumulators, problem, block, smem);
  }
  epilogue_writer<Accumulators, Problem> const writer(accumulators, problem, block.batch,
                                                      block.coordinates);
  if (grid.c != c_access::row_vectors) return writer.write_scalars();
  accumulators.transpose_quads();
  writer.write_row_vectors();
}

template <class Tile, class Accumulators, class Problem>
__device__ void wgmma_epilogue(Accumulators& accumulators, Problem const& problem,
                               gemm_grid const& grid, work_tile const& block,
                               gemm_tma_descriptors const& descriptors,
                               pipeline_smem<Tile> const& smem) {
  if (grid.partials != nullptr) {
    accumulators.transpose_quads();
    return store_split_k_partials(accumulators, problem, grid, block);
  }
  constexpr bool has_cluster_splits =
      can_split_in_cluster(Tile::config) && adds_in_cluster<Problem>;
  if constexpr (!stores_plain<Problem>) {
    if constexpr (has_cluster_splits)
      if (grid.splits_in_cluster)
        return reduce_in_cluster(accumulators, problem, grid, block, smem);
    return store_by_epilogue(accumulators, problem, grid, block, smem);
  } else {
    if constexpr (may_have_layer<typename Problem::epilogue_type>)
      if (problem.epilogue.is_given()) {
        if constexpr (has_cluster_splits)
          if (grid.splits_in_cluster)
            return reduce_in_cluster(accumulators, with_layer(problem), grid, block, smem);
        if (!is_cheap_layer(problem))
          return store_by_epilogue(accumulators, with_layer(problem), grid, block, smem);
        apply_layer(accumulators, problem, block);
        return store_plain(accumulators, problem, grid, block, descriptors, smem);
      }
    if constexpr (has_cluster_splits)
      if (grid.splits_in_cluster)
        return reduce_in_cluster(accumulators, problem, grid, block, smem);
    store_plain(accumulators, problem, grid, block, descriptors, smem);
  }
}

}  // namespace xpose::detail
