// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transpose of elements of N words of W bytes at any address and pitch that is a multiple of W.
// Every output row is cut where IT is aligned to a 32-byte sector, so a tile holds a sector's worth
// of rows more than it writes and all stores but those at a row's ends are whole 16-byte ones.
// Cut at 16 bytes instead, two tiles share a sector and L2 fetches it: 0.74 of a copy, not 0.93; at
// 64 or 128: no gain (H100, 2026-11-21).
// Columns 32 / W apart share their shift: a thread takes P of those and pays the index sums once.
#pragma once

#include <xpose/backends/cuda/raw_rows.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

template <int W, int N, int R, int C, int T, int P>
struct skewed_tile {
  static constexpr int V = 16 / W;
  static constexpr int rows = R, cols = C, threads = T;
  static constexpr int extra_rows = (sector_bytes / W + N - 1) / N;
  static constexpr int slots = R + extra_rows;
  static constexpr int chunks_in_row = C * N * W / 16 + (W < 16 ? 1 : 0);
  static constexpr int pad = V * chunks_in_row % 2 ? 0 : 16;  // bytes, every V rows
  static constexpr int shared_bytes = slots * chunks_in_row * 16 + (slots / V + 1) * pad;
  static constexpr int loads = (slots * chunks_in_row + T - 1) / T;
  static constexpr int chunks_down = R * N / V;
  static constexpr int lanes_down = chunks_down % 8 == 0 ? 8 : chunks_down % 4 == 0 ? 4 : 2;
  static constexpr int lanes_across = 32 / lanes_down;
  static constexpr int column_step = sector_bytes / W;
  static constexpr int gathers = chunks_down * (C / P) / T;
  static_assert(C * N * W % 16 == 0 && R * N % V == 0, "a tile has whole chunks on both sides");
  static_assert(chunks_down * (C / P) % T == 0, "every thread stores the same number of chunks");
  static_assert(C % (P * column_step) == 0 && chunks_down % lanes_down == 0,
                "a thread's columns and a warp's chunks fill the tile");

  static __device__ int byte_of(int slot) { return slot * (chunks_in_row * 16) + slot / V * pad; }
};

/// The chunk of words from `first_word` (from slot 0) down P columns, j and column_step further on.
template <class Tile, int W, int N, int P>
__device__ inline void gather_shifted(char const* stage, row_window const& rows, int first_word,
                                      int j, chunk_words<W> (&out)[P]) {
  using word = typename word_of<W>::type;
  unsigned const shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(rows.in));
#pragma unroll
  for (int k = 0; k < Tile::V; ++k) {
    int const slot = (first_word + k) / N, part = (first_word + k) - slot * N;
    unsigned const row_shift =
        W == 16 ? 0 : (shift + static_cast<unsigned>(slot) * static_cast<unsigned>(rows.ld)) & 15;
    char const* const at = stage + Tile::byte_of(slot) + row_shift + (j * N + part) * W;
#pragma unroll
    for (int m = 0; m < P; ++m)
      out[m].words[k] = *reinterpret_cast<word const*>(at + m * (Tile::column_step * N * W));
  }
}

template <int W, int N, int R, int C, int T, int P, int MinBlocks>
__global__ void __launch_bounds__(T, MinBlocks)
    transpose_skewed(transpose_problem const __grid_constant__ p, tile_order const order) {
  using tile = skewed_tile<W, N, R, C, T, P>;
  extern __shared__ uint4 stage_chunks[];
  char* const stage = reinterpret_cast<char*>(stage_chunks);
  auto const at = place_of(p, order);
  auto const rows = window_of<R, C * N * W, N * W>(p, at, tile::extra_rows);
  int const cols = min(C, p.cols - at.col_tile * C);

  load_raw_rows<tile, W>(rows, stage);
  __syncthreads();

  constexpr int warps_down = tile::chunks_down / tile::lanes_down;
#pragma unroll 1
  for (int l = 0; l < tile::gathers; ++l) {
    int const e = threadIdx.x + l * T, lane = e % 32, warp = e / 32;
    int const q = warp % warps_down * tile::lanes_down + lane % tile::lanes_down;
    int const group = warp / warps_down * tile::lanes_across + lane / tile::lanes_down;
    int const j = group / tile::column_step * (P * tile::column_step) + group % tile::column_step;
    char* const out_row = at.out + (index{at.col_tile} * C + j) * p.out_pitch;
    int const skew = bytes_above<sector_bytes>(out_row) / W;
    chunk_words<W> v[P];
    gather_shifted<tile, W, N, P>(stage, rows, tile::extra_rows * N + q * tile::V - skew, j, v);
    index const out_word = index{at.row_tile} * (R * N) + q * tile::V - skew;
#pragma unroll
    for (int m = 0; m < P; ++m)
      if (j + m * tile::column_step < cols)
        store_in_row<W>(out_row + m * tile::column_step * p.out_pitch, out_word, index{p.rows} * N,
                        v[m].chunk);
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
