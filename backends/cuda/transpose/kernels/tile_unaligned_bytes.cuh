// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// transpose_tile_unaligned for words of 1 byte. The 4 columns that share a misalignment, 32 apart,
// are first interleaved into 4-byte words of shared memory, so that a thread gathers 4 columns at
// once. 1-byte gathers are bound by shared-memory accesses: 0.82 of a copy, not 0.89 (H100,
// 2026-11-21). For words of 2 bytes this costs more than it saves: 0.87, not 0.92.
//
//   1. load: aligned vec16s that cover the rows            c0 c1 .. c31 c32 .. c63 c64 .. c127
//   2. realign and interleave each row in place            c0 c32 c64 c96 | c1 c33 c65 c97 | ..
//   3. gather 16 rows of such a word: a vec16 for each of 4 columns; store, as it is or as
//      add/tile_unaligned.cuh changes it
#pragma once

#include <xpose/backends/cuda/transpose/kernels/tile_unaligned.cuh>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {

template <int R, int C, int ExtraRows = sector_bytes>
struct unaligned_bytes_tile {
  static constexpr int V = vec16_bytes, interleaved_cols = 4, col_stride = sector_bytes;
  static constexpr int rows = R, cols = C;
  static constexpr int extra_rows = ExtraRows, slots = R + extra_rows;
  static constexpr int vec16s_in_row = C / V + 1;
  static constexpr int vec16s_down = R / V;
  static constexpr int lanes_down = vec16s_down % 8 == 0 ? 8 : 4, lanes_across = 32 / lanes_down;
  // After every V rows: what so many lanes read of those is in different banks.
  static constexpr int pad = 16 * 8 / lanes_down;
  static constexpr int shared_bytes = slots * vec16s_in_row * 16 + slots / V * pad;
  static constexpr int threads_per_row = C / (interleaved_cols * V);  // each realigns 64 bytes
  static constexpr int threads = (slots * threads_per_row + 31) / 32 * 32;
  static constexpr int loads = ceil_div(slots * vec16s_in_row, threads);
  static constexpr int gathers = vec16s_down * (C / interleaved_cols);
  static_assert(vec16s_down % lanes_down == 0 && C % (interleaved_cols * col_stride) == 0,
                "warps fill the tile");
  static_assert(gathers <= threads && threads <= 1024, "a thread stores one group of columns");

  /// Of an unsigned number: a signed one takes more instructions to divide.
  static constexpr __device__ int byte_of(unsigned slot) {
    return static_cast<int>(slot * (vec16s_in_row * 16) + slot / V * pad);
  }
};

/// Ends of rows take as few accesses as they can.
struct bytes_epilogue : copy_epilogue<1> {
  __device__ void store(char* row, index first, index bytes, gathered const& v, source) const {
    store_in_short_row<1>(row, first, bytes, v.vec16);
  }
};

/// 16 bytes of 4 columns each -> 16 words of 4 columns.
__device__ inline void interleave(uint4 const (&piece)[4], uint4* to) {
  std::uint32_t c[4];
  transpose_bytes_4x4(piece[0].x, piece[1].x, piece[2].x, piece[3].x, c);
  to[0] = make_uint4(c[0], c[1], c[2], c[3]);
  transpose_bytes_4x4(piece[0].y, piece[1].y, piece[2].y, piece[3].y, c);
  to[1] = make_uint4(c[0], c[1], c[2], c[3]);
  transpose_bytes_4x4(piece[0].z, piece[1].z, piece[2].z, piece[3].z, c);
  to[2] = make_uint4(c[0], c[1], c[2], c[3]);
  transpose_bytes_4x4(piece[0].w, piece[1].w, piece[2].w, piece[3].w, c);
  to[3] = make_uint4(c[0], c[1], c[2], c[3]);
}

/// Realigns every row and interleaves its columns, in the row's own slot. Neighbouring threads take
/// neighbouring rows, which lie an odd number of vec16s apart: no bank conflicts.
template <class Tile>
__device__ inline void interleave_columns(row_window const& rows, char* smem) {
  constexpr int steps = Tile::col_stride / Tile::V;
  int const slot = threadIdx.x % Tile::slots, across = threadIdx.x / Tile::slots;
  int const block = across / steps, h = across % steps;
  bool const mine = across < Tile::threads_per_row;
  uint4* const row = reinterpret_cast<uint4*>(smem + Tile::byte_of(slot));
  unsigned const shift = bytes_past_alignment<16>(rows.row(slot));
  uint4 piece[Tile::interleaved_cols];
  if (mine)
#pragma unroll
    for (int m = 0; m < Tile::interleaved_cols; ++m) {
      int const c = (block * Tile::interleaved_cols + m) * steps + h;
      piece[m] = realign(row[c], row[c + 1], shift);
    }
  __syncthreads();
  if (mine) interleave(piece, row + (block * Tile::col_stride + h * Tile::V) / 4);
}

template <class Stored, int R, int C, int MinBlocks, class Rows = plain_row_loader>
__global__ void __launch_bounds__(unaligned_bytes_tile<R, C>::threads, MinBlocks)
    transpose_tile_unaligned_bytes(transpose_problem const __grid_constant__ p,
                                   tile_order const order, Stored const stored, Rows const read) {
  using tile = unaligned_bytes_tile<R, C>;
  constexpr int V = tile::V, interleaved_cols = tile::interleaved_cols,
                lanes_down = tile::lanes_down, warps_down = tile::vec16s_down / lanes_down;
  extern __shared__ uint4 smem_vec16s[];
  char* const smem = reinterpret_cast<char*>(smem_vec16s);
  auto const at = locate_tile(p, order);
  auto const rows = window_of<R, C, 1>(p, at, tile::extra_rows);
  int const cols = min(C, p.cols - at.col_tile * C);
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int const q = warp % warps_down * lanes_down + lane % lanes_down;
  int const word = warp / warps_down * tile::lanes_across + lane / lanes_down;
  int const j =
      word / tile::col_stride * (interleaved_cols * tile::col_stride) + word % tile::col_stride;
  char* const out_row = at.out + (index{at.col_tile} * C + j) * p.out_pitch;
  int const misalignment = bytes_past_alignment<sector_bytes>(out_row);
  index const out_byte = index{at.row_tile} * R + q * V - misalignment;

  read.template load<tile, 1>(rows, at, C, smem);
  __syncthreads();
  interleave_columns<tile>(rows, smem);
  __syncthreads();

  if (threadIdx.x >= tile::gathers) return;
  typename Stored::source source[interleaved_cols];
#pragma unroll
  for (int m = 0; m < interleaved_cols; ++m)
    if (j + m * tile::col_stride < cols)
      source[m] = stored.load_source(at.batch_index, at.col_tile * C + j + m * tile::col_stride,
                                     out_byte, p.rows);
  slot_bytes<tile> const from(tile::extra_rows + q * V - misalignment, word * 4);
  std::uint32_t r[V];
#pragma unroll
  for (int k = 0; k < V; ++k) r[k] = *reinterpret_cast<std::uint32_t const*>(smem + from.at(k));
  uint4 out[interleaved_cols];
  columns_to_vec16<1>(r, out);
#pragma unroll
  for (int m = 0; m < interleaved_cols; ++m)
    if (j + m * tile::col_stride < cols)
      stored.store(out_row + m * tile::col_stride * p.out_pitch, out_byte, p.rows,
                   typename Stored::gathered{out[m]}, source[m]);
}

/// As launch_tile_unaligned, for bytes.
template <int R, int C, int MinBlocks, class Stored, class Rows = plain_row_loader>
void launch_tile_unaligned_bytes(execution const& where, char const* name,
                                 transpose_problem const& p, Stored const& stored,
                                 Rows const& read = {}) {
  using tile = unaligned_bytes_tile<R, C>;
  launch_tiles<tile>(where, name, transpose_tile_unaligned_bytes<Stored, R, C, MinBlocks, Rows>, p,
                     tile::shared_bytes, extra_rows_of<tile>(p), stored, read);
}

template <int R, int C, int T, int MinBlocks>
void run_tile_unaligned_bytes(execution const& where, transpose_config const& config,
                              bit_copy const& copy) {
  static_assert(unaligned_bytes_tile<R, C>::threads == T);
  launch_tile_unaligned_bytes<R, C, MinBlocks>(where, config.name, problem_of(copy),
                                               bytes_epilogue{});
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
