// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// From the sums of warpgroups (gemm/sm90/kernel.cuh) to C: by the copy engine where C has a tensor
// map, in rows where they lie in any other place, else as epilogue_writer does. This code runs once
// a tile, and instructions that are fetched for the first time cost more than what they do.
#pragma once

#include <xpose/backends/cuda/gemm/block/epilogue.cuh>
#include <xpose/backends/cuda/gemm/sm90/producer.cuh>
#include <xpose/backends/cuda/gemm/split_k.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Results of a warpgroup on their way to C: lines of a tile's columns from `first` on, whose
/// chunks of 16 bytes change places as SWIZZLE_128B and SWIZZLE_64B do.
template <class Tile, class C>
struct epilogue_tile {
  static constexpr int bytes = epilogue_row_bytes<Tile, C>;
  static constexpr int cols = bytes / static_cast<int>(sizeof(C));
  static constexpr unsigned swaps = bytes == 128 ? 0x70 : 0x30;

  unsigned buffer;

  __device__ unsigned coordinates(int line, int byte) const {
    unsigned const at = static_cast<unsigned>(line * bytes + byte);
    return buffer + (at ^ (at >> 3 & swaps));
  }

  template <class Accumulators, class Problem>
  __device__ void fill(Accumulators const& accumulators, Problem const& problem, int first) const {
    auto known = scalars_of(problem);
    known.beta_is_zero = true;
    int const pair = static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
    for (int r = 0; r < Accumulators::rows; ++r) {
      int const line = accumulators.row_of(r) % 64;
#pragma unroll
      for (int col = 0; col < cols; col += 8) {
        element_group<C, 2> results;
#pragma unroll
        for (int e = 0; e < 2; ++e)
          problem.write_to(results[e], known, 0, 0, accumulators.value(r, (first + col) / 4 + e));
        st_shared(coordinates(line, (col + pair) * static_cast<int>(sizeof(C))), results);
      }
    }
  }
};

/// visit(lines, first) of a tile's results, in one of two buffers of the warpgroup after the other;
/// before_fill() when its threads are about to write to a buffer.
template <class Tile, class Accumulators, class Problem, class BeforeFill, class Visit>
__device__ void for_each_epilogue_tile(Accumulators const& accumulators, Problem const& problem,
                                       pipeline_smem<Tile> const& stages,
                                       BeforeFill const& before_fill, Visit const& visit) {
  using lines = epilogue_tile<Tile, typename Problem::c_type>;
#pragma unroll
  for (int first = 0; first < Tile::cols; first += lines::cols) {
    lines const held{stages.results(first / lines::cols % Tile::epilogue_buffers)};
    before_fill();
    held.fill(accumulators, problem, first);
    visit(held, first);
  }
}

/// By the copy engine.
template <class Tile, class Accumulators, class Problem>
__device__ void tma_store_rows(Accumulators const& accumulators, Problem const& problem,
                               work_tile const& block, tma_descriptor const& map,
                               pipeline_smem<Tile> const& stages) {
  constexpr int cols = epilogue_tile<Tile, typename Problem::c_type>::cols;
  int const warpgroup = static_cast<int>(threadIdx.x) / 128;
  bool const asks = threadIdx.x % 128 == 0;
  for_each_epilogue_tile(
      accumulators, problem, stages,
      [&] {
        if (asks) tma_store_wait<tma_stores_in_flight<Tile, cols>>();
        warpgroup_sync(1 + warpgroup);
      },
      [&](auto const& lines, int first) {
        fence_proxy_async();
        warpgroup_sync(1 + warpgroup);
        if (asks)
          tma_store(lines.buffer, map, static_cast<int>(block.coordinates.col) + first,
                    static_cast<int>(block.coordinates.row) + warpgroup * 64,
                    static_cast<int>(block.batch));
      });
}

/// By the copy engine, columns of 4-byte elements: a buffer has 32 of them, in boxes of 32 rows.
template <class Tile, class Accumulators, class Problem>
__device__ void tma_store_cols(Accumulators const& accumulators, Problem const& problem,
                               work_tile const& block, tma_descriptor const& map,
                               pipeline_smem<Tile> const& stages) {
  using C = typename Problem::c_type;
  static_assert(sizeof(C) == 4);
  constexpr int cols = col_major_epilogue_cols<Tile>;
  constexpr int boxes = 2;  // of a buffer
  int const warpgroup = static_cast<int>(threadIdx.x) / 128;
  bool const asks = threadIdx.x % 128 == 0;
  auto known = scalars_of(problem);
  known.beta_is_zero = true;
  int const pair = static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
  for (int first = 0; first < Tile::cols; first += cols) {
    unsigned const buffer = stages.results(first / cols % Tile::epilogue_buffers);
    if (asks) tma_store_wait<boxes * tma_stores_in_flight<Tile, cols>>();
    warpgroup_sync(1 + warpgroup);
#pragma unroll
    for (int r = 0; r < Accumulators::rows; ++r) {
      int const row = accumulators.row_of(r) % 64;
#pragma unroll
      for (int c = 0; c < cols / 4; ++c) {
        int const line = c / 2 * 8 + pair + c % 2;
        element_group<C, 1> result;
        problem.write_to(result[0], known, 0, 0, accumulators.value(r, first / 4 + c));
        st_shared(buffer + static_cast<unsigned>(row / 32 * cols * 128 + line * 128 +
                                                 ((row % 32 / 4) ^ (line % 8)) * 16 + row % 4 * 4),
                  result);
      }
    }
    fence_proxy_async();
    warpgroup_sync(1 + warpgroup);
    if (asks)
      for (int box = 0; box < boxes; ++box)
        tma_store(buffer + static_cast<unsigned>(box * cols * 128), map,
                  static_cast<int>(block.coordinates.row) + warpgroup * 64 + box * 32,
                  static_cast<int>(block.coordinates.col) + first, static_cast<int>(block.batch));
  }
}

/// A word of results to two elements of two bytes, or one of four; `cols_left` exist from `to` on.
/// Elements of two bytes go in pairs that are aligned to four: where the first is not, a thread's
/// pair is its second and its neighbour's first.
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

/// Rows of neighbours that begin anywhere.
template <class Tile, class Accumulators, class Problem>
__device__ void store_unaligned_rows(Accumulators const& accumulators, Problem const& problem,
                                     work_tile const& block, pipeline_smem<Tile> const& stages) {
  using C = typename Problem::c_type;
  using result = epilogue_tile<Tile, C>;
  constexpr int lanes = result::bytes / 4;  // a word each
  constexpr int rows_at_once = 32 / lanes;
  int const warpgroup = static_cast<int>(threadIdx.x) / 128;
  int const first_line =
      static_cast<int>(threadIdx.x) % 128 / 32 * 16 + static_cast<int>(threadIdx.x) % 32 / lanes;
  int const lane = static_cast<int>(threadIdx.x) % lanes;
  int const rows_left = inside_tile(problem.rows, block.coordinates.row) - warpgroup * 64;
  int const cols_left = inside_tile(problem.cols, block.coordinates.col);
  C* const tile = &problem.c.at(block.batch, block.coordinates.row, block.coordinates.col) +
                  static_cast<index>(warpgroup * 64) * problem.c.row_stride;
  for_each_epilogue_tile(
      accumulators, problem, stages,
      [&] {
        // Of two buffers the other one was read before all met.
        if constexpr (Tile::cols <= result::cols) warpgroup_sync(1 + warpgroup);
      },
      [&](result const& lines, int first) {
        warpgroup_sync(1 + warpgroup);
#pragma unroll 4
        for (int of_warp = 0; of_warp < 16; of_warp += rows_at_once) {
          int const line = first_line + of_warp;
          unsigned const word = ld_shared(lines.coordinates(line, lane * 4));
          store_word(tile + line * problem.c.row_stride + first, lane, lanes, word,
                     line < rows_left ? cols_left - first : 0);
        }
      });
}

/// What a multiplying warpgroup does with a tile's sums.
template <class Tile, class Accumulators, class Problem>
__device__ void wgmma_epilogue(Accumulators& accumulators, Problem const& problem,
                               gemm_grid const& grid, work_tile const& block,
                               gemm_tma_descriptors const& maps,
                               pipeline_smem<Tile> const& stages) {
  if (grid.split_k > 1) {
    accumulators.transpose_quads();
    return store_split_k_partials(accumulators, problem, grid, block);
  }
  if constexpr (has_smem_epilogue<Problem>) {
    if (maps.stores_rows) return tma_store_rows(accumulators, problem, block, maps.c, stages);
    if constexpr (Tile::a_from_registers)
      if (maps.stores_cols) return tma_store_cols(accumulators, problem, block, maps.c, stages);
    if (problem.scalars.beta_is_zero && problem.c.col_stride == 1)
      return store_unaligned_rows(accumulators, problem, block, stages);
  }
  epilogue_writer<Accumulators, Problem> const writer(accumulators, problem, block.batch,
                                                      block.coordinates);
  if (grid.c != c_access::row_vectors) return writer.write_scalars();
  accumulators.transpose_quads();
  writer.write_row_vectors();
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
