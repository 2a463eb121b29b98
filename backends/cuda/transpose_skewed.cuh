// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transpose of elements of N words at any address and pitch that is a multiple of a word, which may
// be changed on its way (words_stored.cuh).
// Every output row is cut where IT is aligned to a 32-byte sector, so a tile holds a sector's worth
// of rows more than it writes and all stores but those at a row's ends are whole 16-byte ones.
// Cut at 16 bytes instead, two tiles share a sector and L2 fetches it: 0.74 of a copy, not 0.93; at
// 64 or 128: no gain (H100, 2026-11-21).
// Columns a sector's words apart share their shift: a thread takes P of those and pays the index
// sums once.
#pragma once

#include <xpose/backends/cuda/launch.cuh>
#include <xpose/backends/cuda/raw_rows.cuh>
#include <xpose/backends/cuda/words_stored.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// InBytes, OutBytes: of a word before and after its change.
template <int InBytes, int OutBytes, int N, int R, int C, int T, int P>
struct skewed_tile {
  static constexpr int V = chunk_bytes / OutBytes;
  static constexpr int words = N, rows = R, cols = C, threads = T, packed_cols = P;
  static constexpr int extra_rows = (sector_bytes / OutBytes + N - 1) / N;
  static constexpr int slots = R + extra_rows;
  static constexpr int chunks_in_row = C * N * InBytes / 16 + (InBytes < 16 ? 1 : 0);
  static constexpr int pad = V * chunks_in_row % 2 ? 0 : 16;  // bytes, every V rows
  static constexpr int shared_bytes = slots * chunks_in_row * 16 + (slots / V + 1) * pad;
  static constexpr int loads = (slots * chunks_in_row + T - 1) / T;
  static constexpr int chunks_down = R * N / V;
  static constexpr int lanes_down = chunks_down % 8 == 0 ? 8 : chunks_down % 4 == 0 ? 4 : 2;
  static constexpr int lanes_across = 32 / lanes_down;
  static constexpr int column_step = sector_bytes / OutBytes;
  static constexpr int gathers = chunks_down * (C / P) / T;
  static_assert(C * N * InBytes % 16 == 0 && R * N % V == 0,
                "a tile has whole chunks on both sides");
  static_assert(chunks_down * (C / P) % T == 0, "every thread stores the same number of chunks");
  static_assert(C % (P * column_step) == 0 && chunks_down % lanes_down == 0,
                "a thread's columns and a warp's chunks fill the tile");

  static __device__ int byte_of(int slot) { return slot * (chunks_in_row * 16) + slot / V * pad; }
};

/// The chunk of words from `first_word` (from slot 0) down P columns, j and column_step further on.
template <class Tile, class Stored>
__device__ inline void gather_shifted(char const* stage, row_window const& rows, int first_word,
                                      int j, typename Stored::gathered (&out)[Tile::packed_cols]) {
  using word = typename Stored::word;
  constexpr int W = Stored::in_bytes, N = Tile::words;
  unsigned const shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(rows.in));
#pragma unroll
  for (int k = 0; k < Tile::V; ++k) {
    int const slot = (first_word + k) / N, part = (first_word + k) - slot * N;
    unsigned const row_shift =
        W == 16 ? 0 : (shift + static_cast<unsigned>(slot) * static_cast<unsigned>(rows.ld)) & 15;
    char const* const at = stage + Tile::byte_of(slot) + row_shift + (j * N + part) * W;
#pragma unroll
    for (int m = 0; m < Tile::packed_cols; ++m)
      out[m].words[k] = *reinterpret_cast<word const*>(at + m * (Tile::column_step * N * W));
  }
}

template <class Stored, class Tile, int MinBlocks>
__global__ void __launch_bounds__(Tile::threads, MinBlocks)
    transpose_skewed(transpose_problem const __grid_constant__ p, tile_order const order,
                     Stored const stored) {
  constexpr int W = Stored::in_bytes, N = Tile::words, R = Tile::rows, C = Tile::cols;
  constexpr int P = Tile::packed_cols, V = Tile::V, step = Tile::column_step;
  extern __shared__ uint4 stage_chunks[];
  char* const stage = reinterpret_cast<char*>(stage_chunks);
  auto const at = place_of(p, order);
  auto const rows = window_of<R, C * N * W, N * W>(p, at, Tile::extra_rows);
  int const cols = min(C, p.cols - at.col_tile * C);

  load_raw_rows<Tile, W>(rows, stage);
  __syncthreads();

  constexpr int warps_down = Tile::chunks_down / Tile::lanes_down;
#pragma unroll 1
  for (int l = 0; l < Tile::gathers; ++l) {
    int const e = threadIdx.x + l * Tile::threads, lane = e % 32, warp = e / 32;
    int const q = warp % warps_down * Tile::lanes_down + lane % Tile::lanes_down;
    int const group = warp / warps_down * Tile::lanes_across + lane / Tile::lanes_down;
    int const j = group / step * (P * step) + group % step;
    char* const out_row = at.out + (index{at.col_tile} * C + j) * p.out_pitch;
    int const skew = bytes_above<sector_bytes>(out_row) / Stored::out_bytes;
    typename Stored::gathered v[P];
    gather_shifted<Tile, Stored>(stage, rows, Tile::extra_rows * N + q * V - skew, j, v);
    index const out_word = index{at.row_tile} * (R * N) + q * V - skew;
#pragma unroll
    for (int m = 0; m < P; ++m)
      if (j + m * step < cols)
        stored.store(at.number, at.col_tile * C + j + m * step, out_row + m * step * p.out_pitch,
                     out_word, index{p.rows} * N, v[m]);
  }
}

/// 256 bytes along both sides where two blocks fit a multiprocessor. Words below 4 bytes leave
/// threads fewer chunks than that for two columns each.
template <class Stored>
struct changed_tile_size {
  static constexpr int rows = Stored::out_bytes <= 2   ? 128
                              : Stored::out_bytes <= 8 ? 256 / Stored::out_bytes
                                                       : 32;
  static constexpr int fewest_cols = sector_bytes / Stored::out_bytes;
  static constexpr int cols =
      256 / Stored::in_bytes > fewest_cols ? 256 / Stored::in_bytes : fewest_cols;
  static constexpr int most_threads = 512;
  static constexpr int chunks = rows * cols * Stored::out_bytes / chunk_bytes;
  static constexpr int columns =
      chunks >= 2 * most_threads && cols % (2 * fewest_cols) == 0 ? 2 : 1;
  static constexpr int threads = chunks / columns < most_threads ? chunks / columns : most_threads;
};

template <class Stored>
using changed_tile =
    skewed_tile<Stored::in_bytes, Stored::out_bytes, 1, changed_tile_size<Stored>::rows,
                changed_tile_size<Stored>::cols, changed_tile_size<Stored>::threads,
                changed_tile_size<Stored>::columns>;

/// Elements of one word that are changed on their way.
template <class Stored>
void launch_skewed(execution const& where, char const* name, transpose_problem const& p,
                   Stored const& stored) {
  using tile = changed_tile<Stored>;
  constexpr int min_blocks = 2;
  index const down = (p.rows + index{tile::extra_rows} + tile::rows - 1) / tile::rows;
  index const across = (p.cols + index{tile::cols} - 1) / tile::cols;
  launch_blocks(where, down * across * p.places, tile::threads, tile::shared_bytes, name,
                transpose_skewed<Stored, tile, min_blocks>, p, tile_order(down, across), stored);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
