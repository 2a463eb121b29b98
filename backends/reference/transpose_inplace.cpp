// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The oracle for transpose_inplace: swaps each pair of a square matrix; copies any other matrix to
// a workspace of its size and writes it back transposed. Assumes a checked view. Uses nothing of
// another backend.

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/given_memory.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

void transpose_square(operand const& o, char* matrix) {
  index const bytes = o.bytes_per_element;
  for (index i = 0; i < o.rows; ++i)
    for (index j = 0; j < i; ++j) {
      char* const below = matrix + (i * o.row_stride + j * o.col_stride) * bytes;
      char* const above = matrix + (j * o.row_stride + i * o.col_stride) * bytes;
      std::swap_ranges(below, below + bytes, above);
    }
}

/// Transposes a packed matrix of `lines` x `elements`: rows x cols, or cols x rows if column-major.
void transpose_packed(char* matrix, index lines, index elements, index bytes, char* workspace) {
  std::copy_n(matrix, lines * elements * bytes, workspace);
  for (index i = 0; i < lines; ++i)
    for (index j = 0; j < elements; ++j)
      std::memcpy(matrix + (j * lines + i) * bytes, workspace + (i * elements + j) * bytes,
                  static_cast<std::size_t>(bytes));
}

}  // namespace

void reference_run_inplace(execution const& where, inplace_request const& r) {
  operand const& o = r.view;
  if (explain_only(where, o.rows == o.cols ? "swap_pairs" : "transpose_through_workspace")) return;
  bool const is_row_major = is_packed_row_major(o.cols, o.row_stride, o.col_stride);
  index const bytes = o.rows == o.cols ? 0 : o.rows * o.cols * o.bytes_per_element;
  std::optional<given_memory> given;
  std::vector<char> own;
  if (bytes != 0 && brings_memory(where, backend_id::reference)) given.emplace(where, bytes);
  else own.resize(static_cast<std::size_t>(bytes));
  char* const workspace = given ? given->data() : own.data();
  for (index b = 0; b < o.batch; ++b) {
    char* const matrix =
        static_cast<char*>(const_cast<void*>(o.data)) + b * o.batch_stride * o.bytes_per_element;
    if (o.rows == o.cols) transpose_square(o, matrix);
    else
      transpose_packed(matrix, is_row_major ? o.rows : o.cols, is_row_major ? o.cols : o.rows,
                       o.bytes_per_element, workspace);
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
