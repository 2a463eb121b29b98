// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Builds the text of errors and reports from values.
#pragma once

#include <xpose/detail/request.hpp>

#include <iterator>
#include <locale>
#include <sstream>
#include <string>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Concatenates the parts in the classic locale: the program's own might group the digits of
/// extents and addresses.
template <class... Parts>
std::string message(Parts const&... parts) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  (text << ... << parts);
  return text.str();
}

template <class Error, class... Parts>
[[noreturn]] void refuse(Parts const&... parts) {
  throw Error(message(parts...).c_str());
}

/// One member of each dimension: "200x300", "1, 200".
inline std::string joined(dimension const* dimensions, int count, index dimension::*member,
                          char const* separator) {
  std::string text;
  for (int d = 0; d < count; ++d) text += message(d == 0 ? "" : separator, dimensions[d].*member);
  return text;
}

/// "200x300", or "64 of 200x300" for a batch.
inline std::string extents(tensor_operand const& o) {
  int const first = o.is_batch ? 1 : 0;
  std::string const each = joined(o.dimensions + first, o.count - first, &dimension::extent, "x");
  bool const is_single = first == 0 || o.dimensions[0].extent == 1;
  return is_single ? each : message(o.dimensions[0].extent, " of ", each);
}
inline std::string extents(operand const& o) { return extents(as_tensor(o)); }

/// "row stride 1, column stride 200", or "strides 1, 200, 60000" for a tensor.
inline std::string strides(tensor_operand const& o) {
  dimension const* const d = o.dimensions;
  if (!o.is_batch) return message("strides ", joined(d, o.count, &dimension::stride, ", "));
  std::string const matrix = message("row stride ", d[1].stride, ", column stride ", d[2].stride);
  return d[0].extent > 1 ? message(matrix, ", batch stride ", d[0].stride) : matrix;
}

inline char const* name_of(operation op) {
  constexpr char const* names[] = {"transpose",         "copy", "gemm", "permute",
                                   "transpose_inplace", "add"};
  auto const number = static_cast<std::size_t>(op);
  return number < std::size(names) ? names[number] : "unknown operation";
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
