// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Which matrices are skinny: a side is so short that most of a tile of the other kernels would be
// idle (a sum with 3 transposed rows took 0.53 of the bandwidth, casts of 3 columns 0.46; H100,
// 2026-11-21). And how much of a tile a matrix fills. Host code alone: cost model and
// explain() use it too.
#pragma once

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Bytes of a tile in shared memory.
inline constexpr index skinny_smem_bytes = 16384;
/// Their offsets are kept in shared memory.
inline constexpr int max_skinny_rows = 128;
/// Of transpose_skinny_bytes; is_skinny_bytes() says what was measured.
inline constexpr int min_rows_of_skinny_bytes = 33, max_rows_of_skinny_bytes = 159;
/// Below, one tile for each multiprocessor is faster.
inline constexpr index min_skinny_elements = index{1} << 14;

/// Whether shared memory holds enough input rows, `pitch` bytes apart, for 128 bytes of an output
/// row, and gaps are at most half of the range.
constexpr bool fits_skinny_cols(index row_bytes, index pitch, index out_bytes) {
  return pitch >= row_bytes && pitch <= 2 * row_bytes &&
         (128 + 32) / out_bytes * pitch + 16 <= skinny_smem_bytes;
}

/// Whether shared memory holds a sector's worth of columns of so many rows.
constexpr bool fits_skinny_rows(index rows, index element_bytes, index word) {
  index const cols = 2 * 32 / word;
  return rows <= max_skinny_rows && rows * (cols * element_bytes + 3 * 16) <= skinny_smem_bytes;
}

/// The share of a tile's side that a matrix of so many fills.
inline double filled(index extent, int tile) {
  return static_cast<double>(extent) / static_cast<double>(ceil_div(extent, index{tile}) * tile);
}

enum class skinny_side { none, cols, rows };

/// For elements that change on the way, from in_bytes to out_bytes each; rows and cols of the
/// input.
constexpr skinny_side skinny_side_of(index rows, index cols, index in_bytes, index out_bytes,
                                     index in_pitch) {
  index const widest = in_bytes > out_bytes ? in_bytes : out_bytes;
  index const most = widest <= 4 ? 33 : widest == 8 ? 17 : 16;
  if (cols <= most && rows > 4 * cols && fits_skinny_cols(cols * in_bytes, in_pitch, out_bytes))
    return skinny_side::cols;
  return rows <= most && cols > 4 * rows ? skinny_side::rows : skinny_side::none;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
