// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// When a view is valid. The predicates are constexpr and inline; messages are built in the compiled
// library, so that users of a view compile no string code.
#pragma once

#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

struct dimension {
  index extent;
  index stride;
};

/// Throws shape_error, layout_error or overflow_error: whichever rule `is_valid_view` found broken.
[[noreturn]] XPOSE_EXPORT void refuse_view(char const* view, bool is_null,
                                           std::size_t bytes_per_element,
                                           dimension const* dimensions, int count);
[[noreturn]] XPOSE_EXPORT void refuse_ld(index ld, bool row_major, index rows, index cols);
[[noreturn]] XPOSE_EXPORT void refuse_submatrix(index first_row, index first_col, index rows,
                                                index cols, index view_rows, index view_cols);
/// Throws layout_error: an mdspan of these extents, in a layout that may have strides, has none.
[[noreturn]] XPOSE_EXPORT void refuse_layout(dimension const* dimensions, int count);

constexpr bool is_within(index first, index count, index extent) {
  return first >= 0 && count >= 0 && first <= extent && count <= extent - first;
}

/// Whether the bytes from the lowest to the highest element, and the product of extents, fit 63
/// bits.
constexpr bool fits_in_memory(std::size_t bytes_per_element, dimension const* dimensions,
                              int count) {
  index below = 0;  // offsets of the lowest and highest element, in elements
  index above = 0;
  index elements = 1;
  for (int d = 0; d < count; ++d) {
    index const extent = dimensions[d].extent;
    index reach = 0;
    if (__builtin_mul_overflow(elements, extent, &elements)) return false;
    if (__builtin_mul_overflow(extent - 1, dimensions[d].stride, &reach)) return false;
    if (__builtin_add_overflow(reach < 0 ? below : above, reach, reach < 0 ? &below : &above))
      return false;
  }
  index span = 0;
  index bytes = 0;
  return !__builtin_sub_overflow(above, below, &span) &&
         !__builtin_add_overflow(span, index{1}, &span) &&
         !__builtin_mul_overflow(span, static_cast<index>(bytes_per_element), &bytes) &&
         !__builtin_mul_overflow(elements, static_cast<index>(bytes_per_element), &bytes);
}

constexpr bool is_valid_view(bool is_null, std::size_t bytes_per_element,
                             dimension const* dimensions, int count) {
  bool is_empty = false;
  for (int d = 0; d < count; ++d) {
    if (dimensions[d].extent < 0) return false;
    is_empty = is_empty || dimensions[d].extent == 0;
  }
  return is_empty || (!is_null && fits_in_memory(bytes_per_element, dimensions, count));
}

/// Called by the constructors of views: throws on the host, does nothing on a device.
template <int Count>
XPOSE_HOST_DEVICE constexpr void require_valid_view(char const* view, bool is_null,
                                                    std::size_t bytes_per_element,
                                                    dimension const (&dimensions)[Count]) {
#ifndef __CUDA_ARCH__
  if (!is_valid_view(is_null, bytes_per_element, dimensions, Count))
    refuse_view(view, is_null, bytes_per_element, dimensions, Count);
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
