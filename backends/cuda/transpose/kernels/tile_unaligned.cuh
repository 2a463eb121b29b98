// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transpose of elements of N words at any address and pitch that is a multiple of a word, which may
// be changed on its way, as they are read (memory/unaligned_rows.cuh) or stored (memory/store_vec16.cuh).
// Every output row is cut where IT is aligned to a 32-byte sector, so a tile holds a sector's worth
// of rows more than it writes and all stores but those at a row's ends are whole 16-byte ones.
// Cut at 16 bytes instead, two tiles share a sector and L2 fetches it: 0.74 of a copy, not 0.93; at
// 64 or 128: no gain (H100, 2026-11-21).
// Columns a sector's words apart share their shift: a thread takes P of those and pays the index
// sums once.
#pragma once

#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/backends/cuda/memory/unaligned_rows.cuh>
#include <xpose/backends/cuda/memory/store_vec16.cuh>

#include <type_traits>

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
  /// The chunks that a thread gathers in step l: chunk `down` of P columns from `col`.
  struct gathered {
    int down, col;
  };
  static __device__ gathered gathered_by(int l) {
    constexpr int warps_down = chunks_down / lanes_down;
    int const e = threadIdx.x + l * T, lane = e % 32, warp = e / 32;
    int const group = warp / warps_down * lanes_across + lane / lanes_down;
    return {warp % warps_down * lanes_down + lane % lanes_down,
            group / column_step * (P * column_step) + group % column_step};
  }
};

/// The chunk of words from `first_word` (from slot 0) down P columns, j and column_step further on.
template <class Tile, class Stored>
__device__ inline void gather_shifted(char const* stage, row_window const& rows, int first_word,
                                      int j, typename Stored::gathered (&out)[Tile::packed_cols]) {
  using word = typename Stored::word;
  constexpr int W = Stored::in_bytes, N = Tile::words, P = Tile::packed_cols;
  constexpr int to_next_column = Tile::column_step * N * W;
  unsigned const shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(rows.in));
  auto const byte_of_element = [&](int slot) {
    unsigned const row_shift =
        W == 16 ? 0 : (shift + static_cast<unsigned>(slot) * static_cast<unsigned>(rows.ld)) & 15;
    return Tile::byte_of(slot) + static_cast<int>(row_shift) + j * N * W;
  };
  if constexpr (W == 1 && N == 3) {
    six_triples triples[P];
    int const slot = first_word / N;
#pragma unroll
    for (int k = 0; k < six_triples::count; ++k) {
      int const at = byte_of_element(slot + k);
#pragma unroll
      for (int m = 0; m < P; ++m) triples[m].words[k] = triple_at(stage, at + m * to_next_column);
    }
#pragma unroll
    for (int m = 0; m < P; ++m) out[m].chunk = triples[m].chunk(first_word - slot * N);
  } else {
#pragma unroll
    for (int k = 0; k < Tile::V; ++k) {
      int const slot = (first_word + k) / N, part = (first_word + k) - slot * N;
      char const* const at = stage + byte_of_element(slot) + part * W;
#pragma unroll
      for (int m = 0; m < P; ++m)
        out[m].words[k] = *reinterpret_cast<word const*>(at + m * to_next_column);
    }
  }
}

template <class Stored, class Tile, int MinBlocks, class Rows = rows_as_read>
__global__ void __launch_bounds__(Tile::threads, MinBlocks)
    transpose_skewed(transpose_problem const __grid_constant__ p, tile_order const order,
                     Stored const stored, Rows const read) {
  constexpr int W = Stored::in_bytes, N = Tile::words, R = Tile::rows, C = Tile::cols;
  constexpr int P = Tile::packed_cols, V = Tile::V, step = Tile::column_step;
  extern __shared__ uint4 stage_chunks[];
  char* const stage = reinterpret_cast<char*>(stage_chunks);
  auto const at = place_of(p, order);
  auto const rows = window_of<R, C * N * W, N * W>(p, at, Tile::extra_rows);
  int const cols = min(C, p.cols - at.col_tile * C);

  auto const out_row_of = [&](int j) {
    return at.out + (index{at.col_tile} * C + j) * p.out_pitch;
  };
  auto const out_word_of = [&](int q, int skew) {
    return index{at.row_tile} * (R * N) + q * V - skew;
  };
  constexpr bool is_beside = !std::is_same_v<typename Stored::beside, nothing_beside>;
  static_assert(!is_beside || Tile::gathers == 1, "what is beside comes with the tile");
  typename Stored::beside beside[P];
  if constexpr (is_beside) {
    auto const from = Tile::gathered_by(0);
    int const skew = bytes_above<sector_bytes>(out_row_of(from.col)) / Stored::out_bytes;
#pragma unroll
    for (int m = 0; m < P; ++m)
      if (from.col + m * step < cols)
        beside[m] = stored.beside_of(at.number, at.col_tile * C + from.col + m * step,
                                     out_word_of(from.down, skew), index{p.rows} * N);
  }
  read.template load<Tile, W>(rows, at, C * N, stage);
  __syncthreads();

#pragma unroll 1
  for (int l = 0; l < Tile::gathers; ++l) {
    auto const from = Tile::gathered_by(l);
    int const q = from.down, j = from.col;
    char* const out_row = out_row_of(j);
    int const skew = bytes_above<sector_bytes>(out_row) / Stored::out_bytes;
    typename Stored::gathered v[P];
    gather_shifted<Tile, Stored>(stage, rows, Tile::extra_rows * N + q * V - skew, j, v);
    index const out_word = out_word_of(q, skew);
#pragma unroll
    for (int m = 0; m < P; ++m)
      if (j + m * step < cols)
        stored.store(out_row + m * step * p.out_pitch, out_word, index{p.rows} * N, v[m],
                     beside[m]);
  }
}

/// Elements of one word that are changed on their way.
template <class Tile, int MinBlocks, class Stored, class Rows = rows_as_read>
void launch_skewed(execution const& where, char const* name, transpose_problem const& p,
                   Stored const& stored, Rows const& read = {}) {
  index const down = (p.rows + index{Tile::extra_rows} + Tile::rows - 1) / Tile::rows;
  index const across = (p.cols + index{Tile::cols} - 1) / Tile::cols;
  launch_blocks(where, down * across * p.places, Tile::threads, Tile::shared_bytes, name,
                transpose_skewed<Stored, Tile, MinBlocks, Rows>, p, tile_order(down, across),
                stored, read);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
