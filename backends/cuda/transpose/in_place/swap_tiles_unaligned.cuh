// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Square matrices of W-byte words transposed in place at any address and pitch that are multiples
// of W: pairs of tiles as in swap_tiles.cuh. Rows are loaded as the aligned vec16s that cover them
// (memory/unaligned_rows.cuh) and stored in full sectors. The ends of a tile's rows are stored word
// by word, neighbouring lanes neighbouring words. A tile cannot be cut where output rows meet
// sectors, as transpose_tile_unaligned does, since a block must store exactly what it loads.
// Words of 1, 2, 4 and 8 bytes; of 1 byte, four columns interleaved in a 4-byte word as in
// kernels/tile_unaligned_bytes.cuh.
// What bounds: parts of sectors. Memory moves 1.5 % more bytes than it must, but at 72 % of its
// rate where aligned rows get 84 % (f32; 25 % more accesses to L2, which takes each part of a
// sector by itself). What lost: ends in pieces of 8, 4, 2 and 1 bytes, vec16s instead of sectors
// inside, tiles of 64 words beyond the second-level cache: each 2 to 7 % (H100, 2026-11-21).
#pragma once

#include <xpose/backends/cuda/transpose/in_place/swap_tiles.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_unaligned_bytes.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Tiles without extra rows. A thread of 1-byte words stores four interleaved columns.
template <int W, int Side, int T, int P>
using swap_tile_unaligned = std::conditional_t<W == 1, unaligned_bytes_tile<Side, Side, 0>,
                                               unaligned_tile<W, W, 1, Side, Side, T, P, 0>>;

/// Words by which a row begins past the start of a sector.
template <int W>
__device__ inline int misalignment_of(char const* row) {
  return bytes_past_alignment<sector_bytes>(row) / W;
}

/// Stores vec16 q of a row, counted from the sector in which the row begins. Stores nothing in the
/// sectors that the row does not fill.
template <int W>
__device__ inline void store_full_sectors(char* out_row, int q, int misalignment, int words,
                                          uint4 v) {
  constexpr int V = vec16_bytes / W;
  if (q * V >= (misalignment == 0 ? 0 : sector_bytes / W))
    store_in_row<W>(out_row, q * V - misalignment, words, v);
}

/// Stores the words at the ends of rows, which fill no sector: word_at(row in smem, column).
template <class Tile, int W, class WordAt>
__device__ inline void store_row_ends(char* out, index ld, int rows, int cols,
                                      WordAt const& word_at) {
  using word = typename word_of<W>::type;
  constexpr int in_sector = sector_bytes / W;
#pragma unroll 1
  for (int e = threadIdx.x; e < Tile::rows * in_sector; e += Tile::threads) {
    int const j = e / in_sector, k = e % in_sector;
    char* const out_row = out + j * ld;
    int const misalignment = misalignment_of<W>(out_row);
    int const i = k < in_sector - misalignment ? k : Tile::rows - in_sector + k;
    if (misalignment != 0 && i < rows && j < cols)
      reinterpret_cast<word*>(out_row)[i] = word_at(i, j);
  }
}

/// Stores the columns of the tile in smem, which was loaded from `in`, as rows at `out`.
template <class Tile, int W>
__device__ inline void store_columns(char const* smem, char const* in, char* out, index ld,
                                     int rows, int cols) {
  using word = typename word_of<W>::type;
  constexpr int V = Tile::V, P = Tile::cols_per_thread;
  constexpr int warps_down = Tile::vec16s_down / Tile::lanes_down;
  unsigned const shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(in));
  auto const row_in_smem = [&](int slot) {
    unsigned const row_misalignment =
        (shift + static_cast<unsigned>(slot) * static_cast<unsigned>(ld)) & (vec16_bytes - 1);
    return smem + Tile::byte_of(slot) + row_misalignment;
  };
#pragma unroll 1
  for (int l = 0; l < Tile::gathers; ++l) {
    int const e = threadIdx.x + l * Tile::threads, lane = e % 32, warp = e / 32;
    int const q = warp % warps_down * Tile::lanes_down + lane % Tile::lanes_down;
    int const group = warp / warps_down * Tile::lanes_across + lane / Tile::lanes_down;
    int const j = group / Tile::col_stride * (P * Tile::col_stride) + group % Tile::col_stride;
    char* const out_row = out + j * ld;
    int const misalignment = misalignment_of<W>(out_row);
    vec16_words<W> v[P];
#pragma unroll
    for (int k = 0; k < V; ++k) {
      char const* const at = row_in_smem(max(0, q * V - misalignment + k)) + j * W;
#pragma unroll
      for (int m = 0; m < P; ++m)
        v[m].words[k] = *reinterpret_cast<word const*>(at + m * (Tile::col_stride * W));
    }
#pragma unroll
    for (int m = 0; m < P; ++m)
      if (j + m * Tile::col_stride < cols)
        store_full_sectors<W>(out_row + m * Tile::col_stride * ld, q, misalignment, rows,
                              v[m].vec16);
  }
  store_row_ends<Tile, W>(out, ld, rows, cols, [&](int i, int j) {
    return reinterpret_cast<word const*>(row_in_smem(i))[j];
  });
}

/// Stores the interleaved columns of the tile in smem as rows at `out`.
template <class Tile>
__device__ inline void store_interleaved_columns(char const* smem, char* out, index ld, int rows,
                                                 int cols) {
  constexpr int V = Tile::V, interleaved_cols = Tile::interleaved_cols,
                warps_down = Tile::vec16s_down / 8;
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int const q = warp % warps_down * 8 + lane % 8, word = warp / warps_down * 4 + lane / 8;
  int const j =
      word / Tile::col_stride * (interleaved_cols * Tile::col_stride) + word % Tile::col_stride;
  char* const out_row = out + j * ld;
  int const misalignment = misalignment_of<1>(out_row);
  std::uint32_t r[V];
#pragma unroll
  for (int k = 0; k < V; ++k) {
    int const slot = max(0, q * V - misalignment + k);
    r[k] = *reinterpret_cast<std::uint32_t const*>(smem + Tile::byte_of(slot) + word * 4);
  }
  uint4 v[interleaved_cols];
  columns_to_vec16<1>(r, v);
#pragma unroll
  for (int m = 0; m < interleaved_cols; ++m)
    if (j + m * Tile::col_stride < cols)
      store_full_sectors<1>(out_row + m * Tile::col_stride * ld, q, misalignment, rows, v[m]);
  store_row_ends<Tile, 1>(out, ld, rows, cols, [&](int i, int column) {
    constexpr int columns_in_block = interleaved_cols * Tile::col_stride;
    int const in_block = column % columns_in_block;
    int const of_block = column - in_block + in_block % Tile::col_stride * interleaved_cols;
    return static_cast<std::uint8_t>(
        smem[Tile::byte_of(i) + of_block + in_block / Tile::col_stride]);
  });
}

template <int W, int Side, int T, int P, int MinBlocks>
__global__ void __launch_bounds__(T, MinBlocks)
    swap_unaligned(square_problem const __grid_constant__ p) {
  using tile = swap_tile_unaligned<W, Side, T, P>;
  static_assert(tile::threads == T);
  extern __shared__ uint4 smem_vec16s[];
  char* const upper_smem = reinterpret_cast<char*>(smem_vec16s);
  char* const lower_smem = upper_smem + tile::shared_bytes;
  tile_pair const at = tile_pair_of_block(p);
  if (at.is_idle) return;
  int const row = at.row_tile * Side, col = at.col_tile * Side;
  int const rows = min(Side, p.extent - row), cols = min(Side, p.extent - col);
  char* const upper = at.matrix + row * p.row_step + index{col} * W;
  char* const lower = at.matrix + col * p.row_step + index{row} * W;
  char const* const end =
      at.matrix + max(index{0}, (p.extent - 1) * p.row_step) + index{p.extent} * W;
  bool const has_lower = row != col;
  row_window const upper_rows{upper, end, p.row_step, 0, rows, cols * W};
  row_window const lower_rows{lower, end, p.row_step, 0, cols, rows * W};

  load_unaligned_rows<tile, W>(upper_rows, upper_smem);
  if (has_lower) load_unaligned_rows<tile, W>(lower_rows, lower_smem);
  __syncthreads();
  if constexpr (W == 1) {
    interleave_columns<tile>(upper_rows, upper_smem);
    if (has_lower) interleave_columns<tile>(lower_rows, lower_smem);
    __syncthreads();
    store_interleaved_columns<tile>(upper_smem, lower, p.row_step, rows, cols);
    if (has_lower) store_interleaved_columns<tile>(lower_smem, upper, p.row_step, cols, rows);
  } else {
    store_columns<tile, W>(upper_smem, upper, lower, p.row_step, rows, cols);
    if (has_lower) store_columns<tile, W>(lower_smem, lower, upper, p.row_step, cols, rows);
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
