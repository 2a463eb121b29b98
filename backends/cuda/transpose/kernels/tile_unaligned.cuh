// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transpose of elements of N words at any address and pitch that are multiples of a word. The words
// may change on the way, when they are loaded (memory/unaligned_rows.cuh) or stored
// (memory/store_vec16.cuh).
//
// Each output row of the tile begins where that row meets a 32-byte sector, so these beginnings are
// staggered. The tile in shared memory holds one sector's worth of extra rows above the tile, and
// all stores but those at a row's ends are full vec16s:
//
//                   | extra rows |     rows of the tile     |
//   row j of out    |         [ sector | sector | .. )      |   misalignment 3
//   row j+1 of out  |     [ sector | sector | .. )          |   misalignment 7
//
// With output rows cut at 16 bytes instead, two tiles share a sector and L2 fetches it: 0.74 of a
// copy, not 0.93; cut at 64 or 128 bytes: no gain (H100, 2026-11-21).
// Columns that are one sector's words apart have the same misalignment: a thread takes P of them
// and computes the indices once.
#pragma once

#include <xpose/backends/cuda/memory/store_vec16.cuh>
#include <xpose/backends/cuda/memory/unaligned_rows.cuh>
#include <xpose/backends/cuda/transpose/launch_tiles.cuh>

#include <type_traits>

namespace xpose {
inline namespace v0 {
namespace detail {

/// InBytes, OutBytes: of a word before and after its change. A slot is a row in shared memory.
template <int InBytes, int OutBytes, int N, int R, int C, int T, int P,
          int ExtraRows = ceil_div(sector_bytes / OutBytes, N)>
struct unaligned_tile {
  static constexpr int V = vec16_bytes / OutBytes;
  static constexpr int words = N, rows = R, cols = C, threads = T, cols_per_thread = P;
  static constexpr int extra_rows = ExtraRows, slots = R + extra_rows;
  static constexpr int vec16s_in_row = C * N * InBytes / 16 + (InBytes < 16 ? 1 : 0);
  static constexpr int pad = V * vec16s_in_row % 2 ? 0 : 16;  // bytes, every V rows
  static constexpr int shared_bytes = slots * vec16s_in_row * 16 + ceil_div(slots, V) * pad;
  static constexpr int loads = ceil_div(slots * vec16s_in_row, T);
  static constexpr int vec16s_down = R * N / V;
  static constexpr int lanes_down = vec16s_down % 8 == 0 ? 8 : vec16s_down % 4 == 0 ? 4 : 2;
  static constexpr int lanes_across = 32 / lanes_down;
  static constexpr int col_stride = sector_bytes / OutBytes;
  static constexpr int gathers = vec16s_down * (C / P) / T;
  static_assert(C * N * InBytes % 16 == 0 && R * N % V == 0,
                "a tile has whole vec16s on both sides");
  static_assert(vec16s_down * (C / P) % T == 0, "every thread stores the same number of vec16s");
  static_assert(C % (P * col_stride) == 0 && vec16s_down % lanes_down == 0,
                "a thread's columns and a warp's vec16s fill the tile");

  /// Of an unsigned number: a signed one takes more instructions to divide.
  static constexpr __device__ int byte_of(unsigned slot) {
    return static_cast<int>(slot * (vec16s_in_row * 16) + slot / V * pad);
  }
  /// What a thread gathers in step l: the vec16 `down` of P columns from `col`.
  struct gathered {
    int down, col;
  };
  static __device__ gathered gathered_by(int l) {
    constexpr int warps_down = vec16s_down / lanes_down;
    unsigned const e = threadIdx.x + static_cast<unsigned>(l) * T, lane = e % 32, warp = e / 32;
    unsigned const group = warp / warps_down * lanes_across + lane / lanes_down;
    return {static_cast<int>(warp % warps_down * lanes_down + lane % lanes_down),
            static_cast<int>(group / col_stride * (P * col_stride) + group % col_stride)};
  }
};

/// Gathers one vec16 for each of P columns, j and every col_stride after it: the words from
/// `first_word` of the column, counted from slot 0.
template <class Tile, class Stored, class Words>
__device__ inline void gather_unaligned(char const* smem, row_window const& rows, int first_word,
                                        int j,
                                        typename Stored::gathered (&out)[Tile::cols_per_thread]) {
  using word = typename Stored::word;
  constexpr int W = Stored::in_bytes, N = Tile::words, P = Tile::cols_per_thread;
  constexpr int to_next_column = Tile::col_stride * N * W;
  constexpr bool is_in_order = std::is_same_v<Words, words_in_order>;
  static_assert(is_in_order || to_next_column % vec16_bytes == 0, "columns are whole vec16s apart");
  unsigned const shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(rows.in));
  unsigned const ld = static_cast<unsigned>(rows.ld), first = static_cast<unsigned>(first_word);
  unsigned const column = static_cast<unsigned>(j * N * W);
  auto const misalignment_in = [&](unsigned slot) {
    return W == 16 ? 0 : (shift + slot * ld) & 15;
  };
  unsigned const slot = first / N;
  if constexpr (W == 1 && N == 3) {
    slot_bytes<Tile> const from(slot, column);
    six_triples triples[P];
#pragma unroll
    for (int k = 0; k < six_triples::count; ++k) {
      unsigned const at = from.at(k) + misalignment_in(slot + k);
      char const* const low = smem + Words::byte_of(slot + k, at & ~3u);
      char const* const high = smem + Words::byte_of(slot + k, (at & ~3u) + 4);
#pragma unroll
      for (int m = 0; m < P; ++m)
        triples[m].words[k] = triple_of(low + m * to_next_column, high + m * to_next_column, at);
    }
#pragma unroll
    for (int m = 0; m < P; ++m) out[m].vec16 = triples[m].vec16(first - slot * N);
  } else if constexpr (N == 1) {
    slot_bytes<Tile> const from(slot, column);
#pragma unroll
    for (int k = 0; k < Tile::V; ++k) {
      char const* const at =
          smem + Words::byte_of(slot + k, from.at(k) + misalignment_in(slot + k));
#pragma unroll
      for (int m = 0; m < P; ++m)
        out[m].words[k] = *reinterpret_cast<word const*>(at + m * to_next_column);
    }
  } else {
    static_assert(is_in_order, "a word is found by its slot and part");
#pragma unroll
    for (int k = 0; k < Tile::V; ++k) {
      unsigned const slot_of_k = (first + k) / N, part = first + k - slot_of_k * N;
      char const* const at =
          smem + (Tile::byte_of(slot_of_k) + misalignment_in(slot_of_k) + column + part * W);
#pragma unroll
      for (int m = 0; m < P; ++m)
        out[m].words[k] = *reinterpret_cast<word const*>(at + m * to_next_column);
    }
  }
}

template <class Stored, class Tile, int MinBlocks, class Rows = plain_row_loader>
__global__ void __launch_bounds__(Tile::threads, MinBlocks)
    transpose_tile_unaligned(transpose_problem const __grid_constant__ p, tile_order const order,
                             Stored const stored, Rows const read) {
  constexpr int W = Stored::in_bytes, N = Tile::words, R = Tile::rows, C = Tile::cols;
  constexpr int P = Tile::cols_per_thread, V = Tile::V, step = Tile::col_stride;
  extern __shared__ uint4 smem_vec16s[];
  char* const smem = reinterpret_cast<char*>(smem_vec16s);
  auto const at = locate_tile(p, order);
  auto const rows = window_of<R, C * N * W, N * W>(p, at, Tile::extra_rows);
  int const cols = min(C, p.cols - at.col_tile * C);

  auto const out_row_of = [&](int j) {
    return at.out + (index{at.col_tile} * C + j) * p.out_pitch;
  };
  auto const first_out_word = [&](int q, int misalignment) {
    return index{at.row_tile} * (R * N) + q * V - misalignment;
  };
  constexpr bool has_source = !std::is_same_v<typename Stored::source, no_source>;
  static_assert(!has_source || Tile::gathers == 1, "the source is loaded with the tile");
  typename Stored::source source[P];
  if constexpr (has_source) {
    auto const from = Tile::gathered_by(0);
    int const misalignment =
        bytes_past_alignment<sector_bytes>(out_row_of(from.col)) / Stored::out_bytes;
#pragma unroll
    for (int m = 0; m < P; ++m)
      if (from.col + m * step < cols)
        source[m] = stored.load_source(at.batch_index, at.col_tile * C + from.col + m * step,
                                       first_out_word(from.down, misalignment), index{p.rows} * N);
  }
  read.template load<Tile, W>(rows, at, C * N, smem);
  __syncthreads();

#pragma unroll 1
  for (int l = 0; l < Tile::gathers; ++l) {
    auto const from = Tile::gathered_by(l);
    int const q = from.down, j = from.col;
    char* const out_row = out_row_of(j);
    int const misalignment = bytes_past_alignment<sector_bytes>(out_row) / Stored::out_bytes;
    typename Stored::gathered v[P];
    gather_unaligned<Tile, Stored, typename Rows::words>(
        smem, rows, Tile::extra_rows * N + q * V - misalignment, j, v);
    index const out_word = first_out_word(q, misalignment);
#pragma unroll
    for (int m = 0; m < P; ++m)
      if (j + m * step < cols)
        stored.store(out_row + m * step * p.out_pitch, out_word, index{p.rows} * N, v[m],
                     source[m]);
  }
}

template <class Tile, int MinBlocks, class Stored, class Rows = plain_row_loader>
void launch_tile_unaligned(execution const& where, char const* name, transpose_problem const& p,
                           Stored const& stored, Rows const& read = {}) {
  launch_tiles<Tile>(where, name, transpose_tile_unaligned<Stored, Tile, MinBlocks, Rows>, p,
                     Tile::shared_bytes, extra_rows_of<Tile>(p), stored, read);
}

/// Whether a warp would find all elements of W bytes at the same byte of a vec16. Shares of a copy
/// with words in order and by slot: 3 bytes of 8191 square 0.70, 0.90, 12001 square 0.73, 0.91, by
/// 4.7 and 2.7 rounds of the banks; 2 bytes of 8191 square 0.897, 0.925, 3001 square 0.859, 0.911;
/// f32 of 12001 square 0.938, 0.947. Where they are not at the same byte, 2 bytes of 5001x20003
/// 0.938, 0.927 (H200, 2026-11-28).
template <int W>
bool suits_words_by_slot(transpose_problem const& p) {
  constexpr unsigned most = 8, in_vec16 = vec16_bytes / W,
                     modulus = in_vec16 < most ? in_vec16 : most;
  return static_cast<unsigned>(p.in_pitch / W) * static_cast<unsigned>(p.out_pitch / W) % modulus ==
         1;
}

template <int W, int N, int R, int C, int T, int P, int MinBlocks>
void run_tile_unaligned(execution const& where, transpose_config const& config,
                        bit_copy const& copy) {
  using tile = unaligned_tile<W, W, N, R, C, T, P>;
  constexpr bool may_be_by_slot = W == 1 ? N == 3 : W <= 4 && N == 1;
  transpose_problem const p = problem_of(copy);
  if constexpr (may_be_by_slot)
    if (suits_words_by_slot<W>(p))
      return launch_tile_unaligned<tile, MinBlocks>(where, config.name, p, copy_epilogue<W>{},
                                                    row_loader<words_by_slot<W>>{});
  launch_tile_unaligned<tile, MinBlocks>(where, config.name, p, copy_epilogue<W>{});
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
