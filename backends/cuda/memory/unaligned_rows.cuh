// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Loads rows at any address to shared memory: the first step of the unaligned kernels. A row is
// copied as the aligned vec16 that cover it and starts bytes_past_alignment<16>(row) into its slot:
//     slot |..aaaaaa|aaaaaaaa|aaaa....|
// Reads up to 15 bytes to either side of a row, inside aligned vec16, never past the matrix's end.
#pragma once

#include <xpose/backends/cuda/memory/tile_coordinates.cuh>
#include <xpose/backends/cuda/memory/vector_access.cuh>

#include <type_traits>

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

/// How the words of a row's vec16s lie in its slot: in order, or word w of slot s at w ^ s, modulo
/// the words of a vec16. Words of 4 bytes at least.
/// Rows keep their bytes past a vec16 in shared memory. A warp gathers from rows that are apart as
/// its output rows are past a sector: where the pitches, in elements, have a product of 1 modulo
/// those of a vec16, of 8 at most, as all squares with an odd number of them in a row, it finds
/// every element at the same byte of a vec16: those of up to 4 bytes in a fourth of the banks.
struct words_in_order {
  __device__ static unsigned byte_of(unsigned, unsigned byte) { return byte; }
  __device__ static uint4 permuted(unsigned, uint4 v) { return v; }
};
template <int W>
struct words_by_slot {
  static constexpr unsigned word_bytes = W < 4 ? 4 : W, words = vec16_bytes / word_bytes;

  __device__ static unsigned byte_of(unsigned slot, unsigned byte) {
    return byte ^ slot % words * word_bytes;
  }
  __device__ static uint4 permuted(unsigned slot, uint4 v) {
    return permute_words(v, byte_of(slot, 0));
  }
};

/// A thread's loads of a tile: vec16s of one column, `at_once` rows apart, so that neither bounds
/// nor addresses are computed anew for each: 12 instructions for a vec16, where numbers along the
/// rows take 48. A vec16 that the matrix ends in is loaded word by word.
template <class Tile, int W, class Words = words_in_order>
struct unaligned_loads {
  static constexpr int in_row = Tile::vec16s_in_row;
  static constexpr int most_rows = Tile::threads / in_row;
  static constexpr int steps = ceil_div(Tile::slots, most_rows);
  // Whole paddings, so that slots are constants apart, if that takes no more steps.
  static constexpr int whole = most_rows / Tile::V * Tile::V;
  static constexpr int at_once = whole > 0 && ceil_div(Tile::slots, whole > 0 ? whole : 1) == steps
                                     ? whole
                                     : most_rows;
  static_assert(most_rows > 0, "the threads load a row at least");

  uint4 v[steps];
  bool is_loaded[steps];
  bool is_end_left = false;

  __device__ void load(row_window const& rows) {
    int const above = max(0, -rows.first_row);
    int const below = min(Tile::slots, rows.rows - rows.first_row);
    unsigned const count = first_slot() < at_once ? max(0, below - above) : 0;
    int const bytes_behind = static_cast<int>(column()) - rows.bytes;
    char const* const end = align_down_16(rows.end);
    char const* row = rows.row(first_slot()) + column();
#pragma unroll
    for (int l = 0; l < steps; ++l) {
      unsigned const slot = first_slot() + l * at_once;
      if (l > 0) row += at_once * rows.ld;
      bool const is_wanted =
          slot - above < count && bytes_behind < bytes_past_alignment<vec16_bytes>(row);
      is_loaded[l] = is_wanted && row < end;
      is_end_left |= is_wanted && row >= end;
      if (is_loaded[l]) v[l] = load_vec16(align_down_16(row));
    }
  }

  __device__ void store(row_window const& rows, char* smem) const {
    char* const to = smem + (Tile::byte_of(first_slot()) + column());
#pragma unroll
    for (int l = 0; l < steps; ++l) {
      unsigned const slot = first_slot() + l * at_once;
      char* const at = at_once % Tile::V == 0 ? to + Tile::byte_of(l * at_once)
                                              : smem + (Tile::byte_of(slot) + column());
      if (is_loaded[l]) *reinterpret_cast<uint4*>(at) = Words::permuted(slot, v[l]);
    }
    if (!is_end_left) return;
#pragma unroll 1
    for (unsigned slot = first_slot(); slot < Tile::slots; slot += at_once) {
      char const* const row = rows.row(slot);
      char const* const from = align_down_16(row) + column();
      unsigned const number = static_cast<unsigned>(rows.first_row + static_cast<int>(slot));
      if (number < static_cast<unsigned>(rows.rows) && from < row + rows.bytes &&
          from + vec16_bytes > rows.end)
        copy_end(smem + Tile::byte_of(slot), slot, from, static_cast<int>(rows.end - from) / W);
    }
  }

 private:
  __device__ static unsigned first_slot() { return threadIdx.x / in_row; }
  __device__ static unsigned column() { return threadIdx.x % in_row * vec16_bytes; }
  __device__ static void copy_end(char* to, unsigned slot, char const* from, int count) {
    if constexpr (std::is_same_v<Words, words_in_order>) copy_words<W>(to + column(), from, count);
    else
      for (int k = 0; k < count; ++k)
        copy_words<W>(to + Words::byte_of(slot, column() + k * W), from + k * W, 1);
  }
};

template <class Tile, int W, class Words>
__device__ inline void load_unaligned_rows(row_window const& rows, char* smem) {
  unaligned_loads<Tile, W, Words> loads;
  loads.load(rows);
  loads.store(rows, smem);
}

/// Finds the same byte in V slots, from `slot` on: slot + k lies k rows further, and a padding more
/// if one lies between. So one of two addresses is chosen for each; computed from the row, it takes
/// four instructions more.
template <class Tile>
struct slot_bytes {
  unsigned before, behind;
  int rows_before;

  __device__ slot_bytes(unsigned slot, unsigned byte)
      : before(Tile::byte_of(slot) + byte),
        behind(before + Tile::pad),
        rows_before(Tile::V - static_cast<int>(slot % Tile::V)) {
    asm("" : "+r"(before), "+r"(behind));  // the compiler would go back to the row
  }
  __device__ unsigned at(int k) const {
    return (Tile::pad == 0 || k < rows_before ? before : behind) + k * (Tile::vec16s_in_row * 16);
  }
};

/// Loads rows unchanged. adding_row_loader (add/tile_unaligned.cuh) takes its place where another
/// operand is added; it finds the same columns by the tile's coordinates and width in words.
template <class Words>
struct row_loader {
  using words = Words;
  template <class Tile, int W>
  __device__ void load(row_window const& rows, tile_coordinates const&, int, char* smem) const {
    load_unaligned_rows<Tile, W, Words>(rows, smem);
  }
};
using plain_row_loader = row_loader<words_in_order>;

}  // namespace detail
}  // namespace v0
}  // namespace xpose
