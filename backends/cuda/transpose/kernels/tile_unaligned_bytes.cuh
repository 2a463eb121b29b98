// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// transpose_tile_unaligned for words of 1 byte: the 4 columns that share a shift, 32 apart, are
// first brought into one 4-byte word of shared memory, so that columns are gathered 4 bytes at a
// time. 1-byte gathers are bound by shared-memory accesses: 0.82 of a copy, not 0.89 (H100,
// 2026-11-21; for words of 2 bytes packing costs more than it saves: 0.87 where
// transpose_tile_unaligned gives 0.92). Three steps in one stage: raw chunks in; rows straightened
// and packed in place; columns out, as they are or as what add/tile_unaligned.cuh makes of them.
#pragma once

#include <xpose/backends/cuda/transpose/kernels/tile_unaligned.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

template <int R, int C>
struct unaligned_bytes_tile {
  static constexpr int V = vec16_bytes, interleaved_cols = 4, col_stride = sector_bytes;
  static constexpr int rows = R, cols = C;
  static constexpr int extra_rows = sector_bytes, slots = R + extra_rows;
  static constexpr int vec16s_in_row = C / V + 1;
  static constexpr int shared_bytes = (slots * vec16s_in_row + slots / V + 1) * 16;
  static constexpr int threads_per_row =
      C / (interleaved_cols * V);  // straightened by one thread each
  static constexpr int threads = (slots * threads_per_row + 31) / 32 * 32;
  static constexpr int loads = (slots * vec16s_in_row + threads - 1) / threads;
  static constexpr int vec16s_down = R / V;
  static constexpr int gathers = vec16s_down * (C / interleaved_cols);
  static_assert(vec16s_down % 8 == 0 && C % (interleaved_cols * col_stride) == 0,
                "warps fill the tile");
  static_assert(gathers <= threads && threads <= 1024, "a thread stores one group of columns");

  static __device__ int byte_of(int slot) { return slot * (vec16s_in_row * 16) + slot / V * 16; }
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

/// Every row of raw chunks becomes words of `packed` columns each, in the row's own slot.
/// Neighbouring threads take neighbouring rows, an odd number of chunks apart: no conflicts.
template <class Tile>
__device__ inline void interleave_columns(row_window const& rows, char* smem) {
  constexpr int steps = Tile::col_stride / Tile::V;
  int const slot = threadIdx.x % Tile::slots, across = threadIdx.x / Tile::slots;
  int const block = across / steps, h = across % steps;
  bool const mine = across < Tile::threads_per_row;
  uint4* const row = reinterpret_cast<uint4*>(smem + Tile::byte_of(slot));
  unsigned const shift = bytes_past_alignment<16>(rows.in + slot * rows.ld);
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
                warps_down = tile::vec16s_down / 8;
  extern __shared__ uint4 smem_vec16s[];
  char* const smem = reinterpret_cast<char*>(smem_vec16s);
  auto const at = locate_tile(p, order);
  auto const rows = window_of<R, C, 1>(p, at, tile::extra_rows);
  int const cols = min(C, p.cols - at.col_tile * C);
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int const q = warp % warps_down * 8 + lane % 8, word = warp / warps_down * 4 + lane / 8;
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
  int const slot = tile::extra_rows + q * V - misalignment;
  char const* const from = smem + tile::byte_of(slot) + word * 4;
  std::uint32_t r[V];
#pragma unroll
  for (int k = 0; k < V; ++k)
    r[k] = *reinterpret_cast<std::uint32_t const*>(from + k * (tile::vec16s_in_row * 16) +
                                                   (k >= V - slot % V ? 16 : 0));
  uint4 out[interleaved_cols];
  columns_to_vec16<1>(r, out);
#pragma unroll
  for (int m = 0; m < interleaved_cols; ++m)
    if (j + m * tile::col_stride < cols)
      stored.store(out_row + m * tile::col_stride * p.out_pitch, out_byte, p.rows,
                   typename Stored::gathered{out[m]}, source[m]);
}

/// As launch_skewed, of bytes.
template <int R, int C, int MinBlocks, class Stored, class Rows>
void launch_tile_unaligned_bytes(execution const& where, char const* name,
                                 transpose_problem const& p, Stored const& stored,
                                 Rows const& read) {
  using tile = unaligned_bytes_tile<R, C>;
  index const down = (p.rows + index{tile::extra_rows} + R - 1) / R;
  index const across = (p.cols + index{C} - 1) / C;
  launch_blocks(where, down * across * p.batch_count, tile::threads, tile::shared_bytes, name,
                transpose_tile_unaligned_bytes<Stored, R, C, MinBlocks, Rows>, p,
                tile_order(down, across), stored, read);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
