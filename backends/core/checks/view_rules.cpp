// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The messages for views, and for what policies are told, that break a rule.

#include <xpose/detail/view_rules.hpp>

#include <xpose/backends/core/message.hpp>
#include <xpose/detail/across_request.hpp>
#include <xpose/detail/execution.hpp>
#include <xpose/error.hpp>
#include <xpose/view.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
void refuse_view(char const* view, bool is_null, std::size_t bytes_per_element,
                 dimension const* dimensions, int count) {
  std::string const extents = joined(dimensions, count, &dimension::extent, "x");
  for (int d = 0; d < count; ++d)
    if (dimensions[d].extent < 0)
      refuse<shape_error>(view, ": extents are ", extents, ", and none may be negative");
  if (is_null) refuse<layout_error>(view, ": data is null, but extents are ", extents);
  refuse<overflow_error>(view, ": extents ", extents, " with strides ",
                         joined(dimensions, count, &dimension::stride, ", "), " of ",
                         bytes_per_element,
                         "-byte elements span more bytes than 64 bits can count");
}

void refuse_ld(index ld, bool is_row_major, index rows, index cols) {
  refuse<layout_error>("matrix_view: leading dimension ", ld, " of a ",
                       is_row_major ? "row" : "column", "-major ", rows, 'x', cols,
                       " matrix is below its ", is_row_major ? cols : rows,
                       is_row_major ? " columns" : " rows");
}

void refuse_submatrix(index first_row, index first_col, index rows, index cols, index view_rows,
                      index view_cols) {
  refuse<shape_error>("submatrix: ", rows, 'x', cols, " from (", first_row, ", ", first_col,
                      ") leaves the ", view_rows, 'x', view_cols, " view");
}

void refuse_container(index rows, index cols, strided s, std::size_t size) {
  if (size == 0) refuse<shape_error>("view: ", rows, 'x', cols, " elements of a container of 0");
  auto const [first, last] = reach_of(rows, cols, s);
  refuse<shape_error>("view: ", rows, 'x', cols, " with row stride ", s.row_stride,
                      " and column stride ", s.col_stride, " reaches from element ", first, " to ",
                      last, " of a container of ", size);
}

void refuse_layout(dimension const* dimensions, int count) {
  refuse<layout_error>("view: the layout of a ", joined(dimensions, count, &dimension::extent, "x"),
                       " mdspan has no strides");
}

void refuse_threads(int count) {
  refuse<shape_error>("threads: count is ", count, ", and must not be negative");
}

void refuse_device_bytes(index bytes) {
  refuse<shape_error>("across: device_bytes is ", bytes, ", and must not be negative");
}

void check_devices(int const* devices, std::size_t count) {
  constexpr std::size_t most = across_terms::most_devices;
  if (count == 0 || count > most)
    refuse<shape_error>("devices: there are ", count, ", and must be 1 to ", most);
  for (int const* d = devices; d != devices + count; ++d) {
    if (*d < 0) refuse<shape_error>("devices: a number is ", *d, ", and must not be negative");
    if (std::find(devices, d, *d) != d)
      refuse<shape_error>("devices: ", *d, " is there twice, and each device works once");
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
