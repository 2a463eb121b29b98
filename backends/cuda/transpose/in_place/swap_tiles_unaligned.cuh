// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Square matrices of elements of N words transposed in place at any address and pitch that are
// multiples of a word, of W bytes: pairs of tiles as in swap_tiles.cuh. Rows are loaded as the
// aligned vec16s that cover them (memory/unaligned_rows.cuh) and stored in full sectors. The ends
// of a tile's rows are stored word by word, neighbouring lanes neighbouring words. A tile cannot be
// cut where output rows meet sectors, as transpose_tile_unaligned does, since a block must store
// exactly what it loads. Words of 1, 2, 4 and 8 bytes, and elements of 3 bytes; of 1 byte, four
// columns interleaved in a 4-byte word as in kernels/tile_unaligned_bytes.cuh. What bounds: parts
// of sectors. Memory moves 1.5 % more bytes than it must, but at 72 % of its rate where aligned
// rows get 84 % (f32; 25 % more accesses to L2, which takes each part of a sector by itself). What
// lost: ends in pieces of 8, 4, 2 and 1 bytes, vec16s instead of sectors inside, tiles of 64 words
// beyond the second-level cache: each 2 to 7 % (H100, 2026-11-21).
#pragma once

#include <xpose/backends/cuda/transpose/in_place/swap_tiles.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_unaligned_bytes.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Tiles without extra rows, of elements of N words. A thread of 1-byte elements stores four
/// interleaved columns.
template <int W, int N, int Side, int T, int P>
using swap_tile_unaligned = std::conditional_t<W * N == 1, unaligned_bytes_tile<Side, Side, 0>,
                                               unaligned_tile<W, W, N, Side, Side, T, P, 0>>;

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

/// Where a tile has word i of its columns: column 0, before its words are permuted, and the slot.
struct word_in_column {
  unsigned byte, slot;
};

/// Stores the words at the ends of rows, which fill no sector. Column j begins column_at(j) bytes
/// after column 0. A thread stores the same word of every row, counted from where the row meets a
/// sector, and finds it at the same two bytes.
template <class Tile, int W, class Words, class Word, class ColumnAt>
__device__ inline void store_row_ends(char const* smem, char* out, index ld, int words, int cols,
                                      Word const& word_at, ColumnAt const& column_at) {
  using word = typename word_of<W>::type;
  constexpr int in_sector = sector_bytes / W, at_once = Tile::threads / in_sector;
  int const first = threadIdx.x / in_sector;
  int const k = threadIdx.x % in_sector, from_end = Tile::vec16s_down * Tile::V - in_sector + k;
  word_in_column at_start = word_at(k), at_end = word_at(from_end);
  at_start.byte += column_at(first), at_end.byte += column_at(first);
  // The compiler would compute both anew for every row.
  asm("" : "+r"(at_start.byte), "+r"(at_end.byte));
  char* out_row = out + first * ld;
  index const to_next = at_once * ld;
#pragma unroll 8
  for (int l = 0; l < ceil_div(Tile::cols, at_once); ++l, out_row += to_next) {
    int const misalignment = misalignment_of<W>(out_row);
    bool const is_at_start = k < in_sector - misalignment;
    int const i = is_at_start ? k : from_end;
    if (misalignment != 0 && i < words && l * at_once < cols - first)
      reinterpret_cast<word*>(out_row)[i] = *reinterpret_cast<word const*>(
          smem +
          Words::byte_of(is_at_start ? at_start.slot : at_end.slot,
                         (is_at_start ? at_start.byte : at_end.byte) + column_at(l * at_once)));
  }
}

/// Stores the columns of the tile in smem, which was loaded from `from`, as rows of so many
/// elements at `out`.
template <class Tile, int W, class Words>
__device__ inline void store_columns(char const* smem, row_window const& from, char* out, index ld,
                                     int elements, int cols) {
  constexpr int V = Tile::V, P = Tile::cols_per_thread, N = Tile::words, step = Tile::col_stride;
  using stored = copy_epilogue<W>;
#pragma unroll 1
  for (int l = 0; l < Tile::gathers; ++l) {
    auto const [q, j] = Tile::gathered_by(l);
    char* const out_row = out + j * ld;
    int const misalignment = misalignment_of<W>(out_row);
    typename stored::gathered v[P];
    // Of a vec16 that begins before the row, nothing is stored.
    gather_unaligned<Tile, stored, Words>(smem, from, max(0, q * V - misalignment), j, v);
#pragma unroll
    for (int m = 0; m < P; ++m)
      if (j + m * step < cols)
        store_full_sectors<W>(out_row + m * step * ld, q, misalignment, elements * N, v[m].vec16);
  }
  store_row_ends<Tile, W, Words>(
      smem, out, ld, elements * N, cols,
      [&](unsigned i) {
        unsigned const slot = i / N;
        return word_in_column{Tile::byte_of(slot) + (i - slot * N) * W +
                                  bytes_past_alignment<vec16_bytes>(from.row(slot)),
                              slot};
      },
      [](unsigned j) { return j * (N * W); });
}

/// Stores the interleaved columns of the tile in smem as rows at `out`.
template <class Tile>
__device__ inline void store_interleaved_columns(char const* smem, char* out, index ld, int rows,
                                                 int cols) {
  constexpr int V = Tile::V, interleaved_cols = Tile::interleaved_cols,
                warps_down = Tile::vec16s_down / 8;
  constexpr unsigned columns_in_block = interleaved_cols * Tile::col_stride;
  unsigned const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int const q = warp % warps_down * 8 + lane % 8;
  unsigned const word = warp / warps_down * 4 + lane / 8;
  int const j = word / Tile::col_stride * columns_in_block + word % Tile::col_stride;
  char* const out_row = out + j * ld;
  int const misalignment = misalignment_of<1>(out_row);
  slot_bytes<Tile> const from(max(0, q * V - misalignment), word * 4);
  std::uint32_t r[V];
#pragma unroll
  for (int k = 0; k < V; ++k) r[k] = *reinterpret_cast<std::uint32_t const*>(smem + from.at(k));
  uint4 v[interleaved_cols];
  columns_to_vec16<1>(r, v);
#pragma unroll
  for (int m = 0; m < interleaved_cols; ++m)
    if (j + m * Tile::col_stride < cols)
      store_full_sectors<1>(out_row + m * Tile::col_stride * ld, q, misalignment, rows, v[m]);
  store_row_ends<Tile, 1, words_in_order>(
      smem, out, ld, rows, cols,
      [](unsigned i) {
        return word_in_column{static_cast<unsigned>(Tile::byte_of(i)), i};
      },
      [](unsigned column) {
        unsigned const in_block = column % columns_in_block;
        return column - in_block + in_block % Tile::col_stride * interleaved_cols +
               in_block / Tile::col_stride;
      });
}

template <int W, int N, int Side, int T, int P, int MinBlocks, class Words>
__global__ void __launch_bounds__(T, MinBlocks)
    swap_unaligned(square_problem const __grid_constant__ p) {
  using tile = swap_tile_unaligned<W, N, Side, T, P>;
  constexpr int bytes = W * N;
  static_assert(tile::threads == T);
  extern __shared__ uint4 smem_vec16s[];
  char* const upper_smem = reinterpret_cast<char*>(smem_vec16s);
  char* const lower_smem = upper_smem + tile::shared_bytes;
  tile_pair const at = tile_pair_of_block(p);
  if (at.is_idle) return;
  int const row = at.row_tile * Side, col = at.col_tile * Side;
  int const rows = min(Side, p.extent - row), cols = min(Side, p.extent - col);
  char* const upper = at.matrix + row * p.row_step + index{col} * bytes;
  char* const lower = at.matrix + col * p.row_step + index{row} * bytes;
  char const* const end =
      at.matrix + max(index{0}, (p.extent - 1) * p.row_step) + index{p.extent} * bytes;
  bool const has_lower = row != col;
  row_window const upper_rows{upper, end, p.row_step, 0, rows, cols * bytes};
  row_window const lower_rows{lower, end, p.row_step, 0, cols, rows * bytes};

  unaligned_loads<tile, W, Words> of_upper, of_lower;
  of_upper.load(upper_rows);
  if (has_lower) of_lower.load(lower_rows);
  of_upper.store(upper_rows, upper_smem);
  if (has_lower) of_lower.store(lower_rows, lower_smem);
  __syncthreads();
  if constexpr (bytes == 1) {
    interleave_columns<tile>(upper_rows, upper_smem);
    if (has_lower) interleave_columns<tile>(lower_rows, lower_smem);
    __syncthreads();
    store_interleaved_columns<tile>(upper_smem, lower, p.row_step, rows, cols);
    if (has_lower) store_interleaved_columns<tile>(lower_smem, upper, p.row_step, cols, rows);
  } else {
    store_columns<tile, W, Words>(upper_smem, upper_rows, lower, p.row_step, rows, cols);
    if (has_lower)
      store_columns<tile, W, Words>(lower_smem, lower_rows, upper, p.row_step, cols, rows);
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
