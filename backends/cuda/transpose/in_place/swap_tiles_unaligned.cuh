// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Square matrices of W-byte words turned in place at any address and pitch that is a multiple of W:
// pairs of tiles as in transpose/in_place/swap_tiles.cuh, read as the aligned chunks that cover their rows
// (memory/unaligned_rows.cuh) and written in whole sectors, but for the ends of a tile's rows: those word by
// word, neighbouring lanes neighbouring words. A tile cannot be cut where output rows meet sectors,
// as transpose_skewed cuts it, since what a block reads must be what it writes.
// swap_skewed: 2, 4 and 8 bytes; swap_packed: 1 byte, four columns to a 4-byte word as in
// transpose/kernels/tile_unaligned_bytes.cuh.
// What bounds: parts of sectors. Memory moves 1.5 % more bytes than it must, but at 72 % of its
// rate where aligned rows get 84 % (f32; 25 % more accesses to L2, which takes each part of a
// sector by itself). What lost: ends in pieces of 8, 4, 2 and 1 bytes, chunks instead of sectors
// inside, tiles of 64 words beyond the second-level cache: each 2 to 7 % (H100, 2026-11-21).
#pragma once

#include <xpose/backends/cuda/transpose/in_place/swap_tiles.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_unaligned_bytes.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Both tiles of a pair: addresses of their first elements, and what of them is in the matrix.
struct tile_pair_in_matrix {
  char* upper;
  char* lower;
  char const* end;  // of the matrix
  int rows, cols;   // of the upper tile
  bool has_lower;
};

template <int W, int Side>
__device__ inline tile_pair_in_matrix in_matrix(square_problem const& p, tile_pair const& at) {
  int const row = at.row_tile * Side, col = at.col_tile * Side;
  return {at.matrix + row * p.row_step + index{col} * W,
          at.matrix + col * p.row_step + index{row} * W,
          at.matrix + max(index{0}, (p.extent - 1) * p.row_step) + index{p.extent} * W,
          min(Side, p.extent - row),
          min(Side, p.extent - col),
          row != col};
}

template <int W, int Side, int T, int P>
struct swap_tile_skewed {
  static constexpr int V = chunk_bytes / W;
  static constexpr int side = Side, threads = T, slots = Side;
  static constexpr int chunks_in_row = Side / V + 1;
  static constexpr int pad = V * chunks_in_row % 2 ? 0 : chunk_bytes;  // every V rows
  static constexpr int shared_bytes = slots * chunks_in_row * chunk_bytes + slots / V * pad;
  static constexpr int loads = (slots * chunks_in_row + T - 1) / T;
  static constexpr int chunks_down = Side / V;
  static constexpr int lanes_down = 8, lanes_across = 4;
  static constexpr int column_step = sector_bytes / W;  // columns so far apart have the same skew
  static constexpr int gathers = chunks_down * (Side / P) / T;
  static_assert(chunks_down % lanes_down == 0 && chunks_down * (Side / P) % T == 0 &&
                    Side % (P * column_step) == 0,
                "a warp's chunks, the threads and a thread's columns fill the tile");

  static __device__ int byte_of(int slot) {
    return slot * (chunks_in_row * chunk_bytes) + slot / V * pad;
  }
};

template <class Tile, int W>
__device__ inline void load_rows_of_tile(char const* in, index ld, int rows, int cols,
                                         char const* end, char* stage) {
  load_raw_rows<Tile, W>(row_window{in, end, ld, 0, rows, cols * W}, stage);
}

/// Words by which a row begins above a sector.
template <int W>
__device__ inline int skew_of(char const* row) {
  return bytes_above<sector_bytes>(row) / W;
}

/// Chunk q of a row at `out_row`, counted from the sector that it begins in; of the row's sectors
/// at its ends, nothing.
template <int W>
__device__ inline void store_in_whole_sector(char* out_row, int q, int skew, int words, uint4 v) {
  constexpr int V = chunk_bytes / W;
  if (q * V >= (skew == 0 ? 0 : sector_bytes / W)) store_in_row<W>(out_row, q * V - skew, words, v);
}

/// The words of rows at `out` that fill no sector, from word_at(row of the stage, column).
template <class Tile, int W, class WordAt>
__device__ inline void store_row_ends(char* out, index ld, int rows, int cols,
                                      WordAt const& word_at) {
  using word = typename word_of<W>::type;
  constexpr int in_sector = sector_bytes / W;
#pragma unroll 1
  for (int e = threadIdx.x; e < Tile::side * in_sector; e += Tile::threads) {
    int const j = e / in_sector, k = e % in_sector;
    char* const out_row = out + j * ld;
    int const skew = skew_of<W>(out_row);
    int const i = k < in_sector - skew ? k : Tile::side - in_sector + k;
    if (skew != 0 && i < rows && j < cols) reinterpret_cast<word*>(out_row)[i] = word_at(i, j);
  }
}

/// Columns of the tile in the stage, which was read at `in`, to rows at `out`.
template <class Tile, int W, int P>
__device__ inline void store_columns(char const* stage, char const* in, char* out, index ld,
                                     int rows, int cols) {
  using word = typename word_of<W>::type;
  constexpr int V = Tile::V, warps_down = Tile::chunks_down / Tile::lanes_down;
  unsigned const shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(in));
  auto const row_in_stage = [&](int slot) {
    unsigned const row_shift =
        (shift + static_cast<unsigned>(slot) * static_cast<unsigned>(ld)) & (chunk_bytes - 1);
    return stage + Tile::byte_of(slot) + row_shift;
  };
#pragma unroll 1
  for (int l = 0; l < Tile::gathers; ++l) {
    int const e = threadIdx.x + l * Tile::threads, lane = e % 32, warp = e / 32;
    int const q = warp % warps_down * Tile::lanes_down + lane % Tile::lanes_down;
    int const group = warp / warps_down * Tile::lanes_across + lane / Tile::lanes_down;
    int const j = group / Tile::column_step * (P * Tile::column_step) + group % Tile::column_step;
    char* const out_row = out + j * ld;
    int const skew = skew_of<W>(out_row);
    chunk_words<W> v[P];
#pragma unroll
    for (int k = 0; k < V; ++k) {
      char const* const at = row_in_stage(max(0, q * V - skew + k)) + j * W;
#pragma unroll
      for (int m = 0; m < P; ++m)
        v[m].words[k] = *reinterpret_cast<word const*>(at + m * (Tile::column_step * W));
    }
#pragma unroll
    for (int m = 0; m < P; ++m)
      if (j + m * Tile::column_step < cols)
        store_in_whole_sector<W>(out_row + m * Tile::column_step * ld, q, skew, rows, v[m].chunk);
  }
  store_row_ends<Tile, W>(out, ld, rows, cols, [&](int i, int j) {
    return reinterpret_cast<word const*>(row_in_stage(i))[j];
  });
}

template <int W, int Side, int T, int P, int MinBlocks>
__global__ void __launch_bounds__(T, MinBlocks)
    swap_skewed(square_problem const __grid_constant__ p) {
  using tile = swap_tile_skewed<W, Side, T, P>;
  extern __shared__ uint4 stage_chunks[];
  char* const upper_stage = reinterpret_cast<char*>(stage_chunks);
  char* const lower_stage = upper_stage + tile::shared_bytes;
  tile_pair const at = pair_of(p);
  if (at.is_idle) return;
  auto const pair = in_matrix<W, Side>(p, at);

  load_rows_of_tile<tile, W>(pair.upper, p.row_step, pair.rows, pair.cols, pair.end, upper_stage);
  if (pair.has_lower)
    load_rows_of_tile<tile, W>(pair.lower, p.row_step, pair.cols, pair.rows, pair.end, lower_stage);
  __syncthreads();

  store_columns<tile, W, P>(upper_stage, pair.upper, pair.lower, p.row_step, pair.rows, pair.cols);
  if (pair.has_lower)
    store_columns<tile, W, P>(lower_stage, pair.lower, pair.upper, p.row_step, pair.cols,
                              pair.rows);
}

template <int Side>
struct swap_tile_packed {
  static constexpr int V = chunk_bytes, packed = 4, column_step = sector_bytes;
  static constexpr int side = Side, slots = Side, chunks_in_row = Side / V + 1;
  static constexpr int shared_bytes = (slots * chunks_in_row + slots / V) * chunk_bytes;
  static constexpr int pieces_across = Side / (packed * V);
  static constexpr int threads = slots * pieces_across;
  static constexpr int loads = (slots * chunks_in_row + threads - 1) / threads;
  static constexpr int chunks_down = Side / V;
  static_assert(chunks_down % 8 == 0 && chunks_down * (Side / packed) == threads,
                "a thread stores one group of columns");

  static __device__ int byte_of(int slot) {
    return slot * (chunks_in_row * chunk_bytes) + slot / V * chunk_bytes;
  }
};

/// Packed columns of the tile in the stage to rows at `out`.
template <class Tile>
__device__ inline void store_packed_columns(char const* stage, char* out, index ld, int rows,
                                            int cols) {
  constexpr int V = Tile::V, packed = Tile::packed, warps_down = Tile::chunks_down / 8;
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int const q = warp % warps_down * 8 + lane % 8, word = warp / warps_down * 4 + lane / 8;
  int const j = word / Tile::column_step * (packed * Tile::column_step) + word % Tile::column_step;
  char* const out_row = out + j * ld;
  int const skew = skew_of<1>(out_row);
  std::uint32_t r[V];
#pragma unroll
  for (int k = 0; k < V; ++k) {
    int const slot = max(0, q * V - skew + k);
    r[k] = *reinterpret_cast<std::uint32_t const*>(stage + Tile::byte_of(slot) + word * 4);
  }
  uint4 v[packed];
  pack_columns<1>(r, v);
#pragma unroll
  for (int m = 0; m < packed; ++m)
    if (j + m * Tile::column_step < cols)
      store_in_whole_sector<1>(out_row + m * Tile::column_step * ld, q, skew, rows, v[m]);
  store_row_ends<Tile, 1>(out, ld, rows, cols, [&](int i, int column) {
    constexpr int columns_in_block = packed * Tile::column_step;
    int const in_block = column % columns_in_block;
    int const of_block = column - in_block + in_block % Tile::column_step * packed;
    return static_cast<std::uint8_t>(
        stage[Tile::byte_of(i) + of_block + in_block / Tile::column_step]);
  });
}

template <int Side, int MinBlocks>
__global__ void __launch_bounds__(swap_tile_packed<Side>::threads, MinBlocks)
    swap_packed(square_problem const __grid_constant__ p) {
  using tile = swap_tile_packed<Side>;
  extern __shared__ uint4 stage_chunks[];
  char* const upper_stage = reinterpret_cast<char*>(stage_chunks);
  char* const lower_stage = upper_stage + tile::shared_bytes;
  tile_pair const at = pair_of(p);
  if (at.is_idle) return;
  auto const pair = in_matrix<1, Side>(p, at);
  row_window const upper{pair.upper, pair.end, p.row_step, 0, pair.rows, pair.cols};
  row_window const lower{pair.lower, pair.end, p.row_step, 0, pair.cols, pair.rows};

  load_raw_rows<tile, 1>(upper, upper_stage);
  if (pair.has_lower) load_raw_rows<tile, 1>(lower, lower_stage);
  __syncthreads();
  pack_rows<tile>(upper, upper_stage);
  if (pair.has_lower) pack_rows<tile>(lower, lower_stage);
  __syncthreads();

  store_packed_columns<tile>(upper_stage, pair.lower, p.row_step, pair.rows, pair.cols);
  if (pair.has_lower)
    store_packed_columns<tile>(lower_stage, pair.upper, p.row_step, pair.cols, pair.rows);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
