// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Loads rows at any address to shared memory: the first step of the unaligned kernels. A row is
// copied as the aligned vec16 that cover it and starts bytes_past_alignment<16>(row) into its slot:
//     slot |..aaaaaa|aaaaaaaa|aaaa....|
// Reads up to 15 bytes to either side of a row, inside aligned vec16, never past the matrix's end.
#pragma once

#include <xpose/backends/cuda/memory/tile_coordinates.cuh>
#include <xpose/backends/cuda/memory/vector_access.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

struct row_window {
  char const* in;       // row of slot 0, first column of the tile
  char const* end;      // of the matrix
  index ld;             // bytes from row to row
  int first_row, rows;  // row of slot 0 (may be negative), rows of the matrix
  int bytes;            // of a row that the tile needs

  __device__ char const* row(int slot) const { return in + slot * ld; }
};

/// Of a matrix whose rows are two dimensions of the input that lie one behind the other in the
/// output: `inner` rows ld apart, the next of these outer_ld further on.
struct merged_row_window : row_window {
  char const* matrix;  // row 0, first column of the tile
  index outer_ld;
  fast_divisor inner;

  __device__ char const* row(int slot) const {
    int const number = max(first_row + slot, 0);  // those before the matrix are not read
    int const outer = inner.quotient(number);
    return matrix + outer * outer_ld + (number - inner * outer) * ld;
  }
};

/// The rows of a tile and `extra_rows` above it.
template <int R, int RowBytes, int ElementBytes>
__device__ inline row_window window_of(transpose_problem const& p, tile_coordinates at,
                                       int extra_rows) {
  int const first_row = at.row_tile * R - extra_rows;
  index const first_byte = index{at.col_tile} * RowBytes;
  index const row_bytes = index{p.cols} * ElementBytes;
  return {at.in + first_row * p.in_pitch + first_byte,
          p.end_of(at.in, row_bytes),
          p.in_pitch,
          first_row,
          p.rows,
          static_cast<int>(min(index{RowBytes}, row_bytes - first_byte))};
}

template <class Tile, int W, class Window>
__device__ inline void load_unaligned_rows(Window const& rows, char* smem) {
  uint4 v[Tile::loads];
  int to[Tile::loads];
#pragma unroll
  for (int l = 0; l < Tile::loads; ++l) {
    int const e = threadIdx.x + l * Tile::threads;
    int const slot = e / Tile::vec16s_in_row, c = e - slot * Tile::vec16s_in_row;
    unsigned const row = static_cast<unsigned>(rows.first_row + slot);  // negative: huge
    char const* const begin = rows.row(slot);
    char const* const from = align_down_16(begin) + c * 16;
    bool const wanted =
        slot < Tile::slots && row < static_cast<unsigned>(rows.rows) && from < begin + rows.bytes;
    to[l] = wanted ? Tile::byte_of(slot) + c * 16 : -1;
    if (wanted && from + 16 <= rows.end) v[l] = load_vec16(from);
    else if (wanted) {
      copy_words<W>(smem + to[l], from, static_cast<int>(rows.end - from) / W);
      to[l] = -1;
    }
  }
#pragma unroll
  for (int l = 0; l < Tile::loads; ++l)
    if (to[l] >= 0) *reinterpret_cast<uint4*>(smem + to[l]) = v[l];
}

/// Loads rows unchanged. adding_row_loader (add/tile_unaligned.cuh) takes its place where another
/// operand is added; it finds the same columns by the tile's coordinates and width in words.
struct plain_row_loader {
  template <class Tile, int W, class Window>
  __device__ void load(Window const& rows, tile_coordinates const&, int, char* smem) const {
    load_unaligned_rows<Tile, W>(rows, smem);
  }
};

/// The same of a matrix with a merged_row_window.
struct merged_row_loader : plain_row_loader {
  merged_row_loader(index pitch, index rows) : outer_pitch(pitch), inner_rows(rows) {}
  index outer_pitch;
  fast_divisor inner_rows;
};

/// The window of the tile that a loader takes.
template <int R, int RowBytes, int ElementBytes, class Loader>
__device__ inline row_window window_for(Loader const&, transpose_problem const& p,
                                        tile_coordinates const& at, int extra_rows) {
  return window_of<R, RowBytes, ElementBytes>(p, at, extra_rows);
}
template <int R, int RowBytes, int ElementBytes>
__device__ inline merged_row_window window_for(merged_row_loader const& loader,
                                               transpose_problem const& p,
                                               tile_coordinates const& at, int extra_rows) {
  row_window window = window_of<R, RowBytes, ElementBytes>(p, at, extra_rows);
  fast_divisor const& inner = loader.inner_rows;
  index const outer_rows = inner.quotient(p.rows);
  window.end = at.in + max(index{0}, index{inner.value - 1} * p.in_pitch) +
               max(index{0}, (outer_rows - 1) * loader.outer_pitch) + index{p.cols} * ElementBytes;
  return {window, at.in + index{at.col_tile} * RowBytes, loader.outer_pitch, inner};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
