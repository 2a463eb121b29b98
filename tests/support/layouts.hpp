// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The layouts in which tests of across() have matrices.
#pragma once

#include <xpose/matrix_view.hpp>

/// The last two are for inputs: elements share addresses.
enum class layout { row_major, pitched, col_major, backwards, every_other, repeated, overlapping };

inline char const* name_of(layout l) {
  constexpr char const* names[] = {"row major",   "pitched",  "column major", "backwards",
                                   "every other", "repeated", "overlapping"};
  return names[static_cast<int>(l)];
}

/// Takes less than 2 * rows * (cols + 5) elements from `first` on.
template <class T>
xpose::matrix_view<T> view_in(layout l, T* first, xpose::index rows, xpose::index cols) {
  switch (l) {
    case layout::row_major:
      return {first, rows, cols};
    case layout::pitched:
      return {first, rows, cols, xpose::row_major, cols + 5};
    case layout::col_major:
      return {first, rows, cols, xpose::col_major};
    case layout::backwards:
      return {first + (rows - 1) * (cols + 3), rows, cols, xpose::strided{-(cols + 3), 1}};
    case layout::every_other:
      return {first, rows, cols, xpose::strided{2 * cols + 4, 2}};
    case layout::repeated:
      return {first, rows, cols, xpose::strided{0, 1}};
    case layout::overlapping:
      break;
  }
  return {first, rows, cols, xpose::strided{1, 1}};
}
