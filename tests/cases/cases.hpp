// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The one list of shapes and layouts that every operation runs on every backend.
#pragma once

#include <xpose/xpose.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ostream>
#include <utility>
#include <vector>

namespace cases {

using xpose::index;

/// Where a matrix (or batch of them) lies in its storage, in elements.
struct layout {
  char const* name;
  index rows, cols;
  index row_stride, col_stride;
  index batch, batch_stride;
  index offset;   // of element (0, 0) of matrix 0
  index storage;  // elements needed
};

inline std::ostream& operator<<(std::ostream& out, layout const& l) {
  out << l.name << ' ' << l.rows << 'x' << l.cols << " strides " << l.row_stride << ','
      << l.col_stride;
  if (l.batch != 1) out << " batch " << l.batch << " stride " << l.batch_stride;
  return out;
}

enum class pattern {
  row_major,
  col_major,
  padded_rows,
  padded_cols,
  spread,
  negative_rows,
  negative_both,
  odd_offset,
  broadcast,
  broadcast_both
};
inline constexpr pattern output_patterns[] = {
    pattern::row_major, pattern::col_major,     pattern::padded_rows,   pattern::padded_cols,
    pattern::spread,    pattern::negative_rows, pattern::negative_both, pattern::odd_offset};
inline constexpr pattern input_patterns[] = {
    pattern::row_major, pattern::col_major,     pattern::padded_rows,   pattern::padded_cols,
    pattern::spread,    pattern::negative_rows, pattern::negative_both, pattern::odd_offset,
    pattern::broadcast, pattern::broadcast_both};

inline layout place(pattern p, index rows, index cols, index batch = 1) {
  layout l{"", rows, cols, cols, 1, batch, 0, 0, 0};
  switch (p) {
    case pattern::row_major:
      l.name = "row major";
      break;
    case pattern::col_major:
      l.name = "column major";
      l.row_stride = 1;
      l.col_stride = rows;
      break;
    case pattern::padded_rows:
      l.name = "row major, ld > cols";
      l.row_stride = cols + 5;
      break;
    case pattern::padded_cols:
      l.name = "column major, ld > rows";
      l.row_stride = 1;
      l.col_stride = rows + 3;
      break;
    case pattern::spread:
      l.name = "no unit stride";
      l.col_stride = 2;
      l.row_stride = 2 * cols + 3;
      break;
    case pattern::negative_rows:
      l.name = "rows backwards";
      l.row_stride = -(cols + 1);
      break;
    case pattern::negative_both:
      l.name = "both backwards";
      l.row_stride = -cols;
      l.col_stride = -1;
      break;
    case pattern::odd_offset:
      l.name = "odd offset";
      l.row_stride = cols + 1;
      l.offset = 1;
      break;
    case pattern::broadcast:
      l.name = "one row repeated";
      l.row_stride = 0;
      break;
    case pattern::broadcast_both:
      l.name = "one element repeated";
      l.row_stride = 0;
      l.col_stride = 0;
      break;
  }
  auto const reach = [](index extent, index stride) {
    return extent > 0 ? (extent - 1) * stride : index{0};
  };
  index const row_reach = reach(rows, l.row_stride);
  index const col_reach = reach(cols, l.col_stride);
  l.offset -= std::min<index>(row_reach, 0) + std::min<index>(col_reach, 0);
  index const span = std::abs(row_reach) + std::abs(col_reach) + 1;
  l.batch_stride = span + 2;
  l.storage = l.offset + span + (batch > 0 ? batch - 1 : 0) * l.batch_stride;
  return l;
}

/// 0, 1, tile - 1, tile, tile + 1, primes, long and thin. Never only square.
inline std::vector<std::pair<index, index>> shapes() {
  return {{0, 0},    {0, 5},     {5, 0},    {1, 1},   {1, 7},    {7, 1},   {2, 3},
          {3, 2},    {4, 4},     {31, 33},  {32, 32}, {33, 31},  {32, 65}, {63, 64},
          {65, 127}, {101, 103}, {1, 1000}, {999, 1}, {3, 2049}, {2050, 2}};
}

/// Several tiles in both directions, for one pattern pair each.
inline std::vector<std::pair<index, index>> large_shapes() {
  return {{257, 511}, {1111, 113}, {640, 384}};
}

/// Where a tensor lies in its storage, in elements.
template <std::size_t N>
struct tensor_layout {
  char const* name;
  std::array<index, N> extents;
  std::array<index, N> strides;
  index offset;   // of element (0, .., 0)
  index storage;  // elements needed
};

template <std::size_t N>
std::ostream& operator<<(std::ostream& out, tensor_layout<N> const& l) {
  out << l.name;
  for (std::size_t d = 0; d < N; ++d) out << ' ' << l.extents[d] << " by " << l.strides[d];
  return out;
}

enum class tensor_pattern { last_fastest, first_fastest, padded, spread, backwards, broadcast };
inline constexpr tensor_pattern tensor_output_patterns[] = {
    tensor_pattern::last_fastest, tensor_pattern::first_fastest, tensor_pattern::padded,
    tensor_pattern::spread, tensor_pattern::backwards};
inline constexpr tensor_pattern tensor_input_patterns[] = {
    tensor_pattern::last_fastest, tensor_pattern::first_fastest, tensor_pattern::padded,
    tensor_pattern::spread,       tensor_pattern::backwards,     tensor_pattern::broadcast};

template <std::size_t N>
tensor_layout<N> place(tensor_pattern p, std::array<index, N> const& extents) {
  tensor_layout<N> l{"last fastest", extents, {}, 0, 1};
  if (p == tensor_pattern::first_fastest) l.name = "first fastest";
  if (p == tensor_pattern::padded) l.name = "padded";
  if (p == tensor_pattern::spread) l.name = "no unit stride";
  if (p == tensor_pattern::backwards) l.name = "every other dimension backwards";
  if (p == tensor_pattern::broadcast) l.name = "first dimension repeated";
  index stride = p == tensor_pattern::spread ? 3 : 1;
  for (std::size_t step = 0; step < N; ++step) {
    std::size_t const d = p == tensor_pattern::first_fastest ? step : N - 1 - step;
    l.strides[d] = p == tensor_pattern::backwards && d % 2 == 0 ? -stride : stride;
    if (p == tensor_pattern::broadcast && d == 0) l.strides[d] = 0;
    stride *= std::max<index>(extents[d], 1) + (p == tensor_pattern::padded ? 1 : 0);
    index const reach = extents[d] > 0 ? (extents[d] - 1) * l.strides[d] : index{0};
    l.offset -= std::min<index>(reach, 0);
    l.storage += std::abs(reach);
  }
  return l;
}

/// Around tiles in every dimension, dimensions of 1, empty ones.
inline std::vector<std::array<index, 3>> tensor_shapes() {
  return {{4, 5, 6}, {1, 7, 3}, {33, 2, 65}, {64, 32, 3},
          {5, 1, 9}, {1, 1, 1}, {0, 3, 2},   {2, 3, 0}};
}

}  // namespace cases
