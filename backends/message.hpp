// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Text of errors and reports, put together from values.
#pragma once

#include <xpose/detail/request.hpp>

#include <sstream>
#include <string>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class... Parts>
std::string message(Parts const&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

/// "200x300", or "64 of 200x300" for a batch.
inline std::string extents(operand const& o) {
  std::string const matrix = message(o.rows, 'x', o.cols);
  return o.batch == 1 ? matrix : message(o.batch, " of ", matrix);
}

inline char const* name_of(operation op) {
  switch (op) {
    case operation::transpose:
      return "transpose";
    case operation::copy:
      return "copy";
    case operation::gemm:
      return "gemm";
  }
  return "unknown operation";
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
