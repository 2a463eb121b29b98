// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The messages for views that break a rule.

#include <xpose/detail/view_rules.hpp>

#include <xpose/backends/core/message.hpp>
#include <xpose/detail/execution.hpp>
#include <xpose/error.hpp>
#include <xpose/view.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
void refuse_view(char const* view, bool is_null, std::size_t bytes_per_element,
                 dimension const* dimensions, int count) {
  std::string const extents = joined(dimensions, count, &dimension::extent, "x");
  for (int d = 0; d < count; ++d)
    if (dimensions[d].extent < 0)
      throw shape_error(
          message(view, ": extents are ", extents, ", and none may be negative").c_str());
  if (is_null)
    throw layout_error(message(view, ": data is null, but extents are ", extents).c_str());
  throw overflow_error(message(view, ": extents ", extents, " with strides ",
                               joined(dimensions, count, &dimension::stride, ", "), " of ",
                               bytes_per_element,
                               "-byte elements span more bytes than 64 bits can count")
                           .c_str());
}

void refuse_ld(index ld, bool is_row_major, index rows, index cols) {
  throw layout_error(message("matrix_view: leading dimension ", ld, " of a ",
                             is_row_major ? "row" : "column", "-major ", rows, 'x', cols,
                             " matrix is below its ", is_row_major ? cols : rows,
                             is_row_major ? " columns" : " rows")
                         .c_str());
}

void refuse_submatrix(index first_row, index first_col, index rows, index cols, index view_rows,
                      index view_cols) {
  throw shape_error(message("submatrix: ", rows, 'x', cols, " from (", first_row, ", ", first_col,
                            ") leaves the ", view_rows, 'x', view_cols, " view")
                        .c_str());
}

void refuse_container(index rows, index cols, strided s, std::size_t size) {
  if (size == 0)
    throw shape_error(message("view: ", rows, 'x', cols, " elements of a container of 0").c_str());
  auto const [first, last] = reach_of(rows, cols, s);
  throw shape_error(message("view: ", rows, 'x', cols, " with row stride ", s.row_stride,
                            " and column stride ", s.col_stride, " reaches from element ", first,
                            " to ", last, " of a container of ", size)
                        .c_str());
}

void refuse_layout(dimension const* dimensions, int count) {
  throw layout_error(message("view: the layout of a ",
                             joined(dimensions, count, &dimension::extent, "x"),
                             " mdspan has no strides")
                         .c_str());
}

void refuse_threads(int count) {
  throw shape_error(message("threads: count is ", count, ", and must not be negative").c_str());
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
