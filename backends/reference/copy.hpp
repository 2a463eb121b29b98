// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The oracle for transpose and copy: the definition written as loops, in 32x32 blocks so that it
// stays usable at size. Assumes checked operands; takes any strides. Uses no plan and nothing of
// another backend.
#pragma once

#include <xpose/detail/request.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Calls visit(b, i, j) for every element, block by block.
template <class Visit>
void for_each_in_blocks(operand const& o, Visit const& visit) {
  constexpr index block = 32;
  for (index b = 0; b < o.batch; ++b)
    for (index first_i = 0; first_i < o.rows; first_i += block)
      for (index first_j = 0; first_j < o.cols; first_j += block)
        for (index i = first_i; i < std::min(first_i + block, o.rows); ++i)
          for (index j = first_j; j < std::min(first_j + block, o.cols); ++j) visit(b, i, j);
}

inline index offset(operand const& o, index b, index i, index j) {
  return b * o.batch_stride + i * o.row_stride + j * o.col_stride;
}

/// out(b, i, j) = f(in(b, i, j)).
template <class In, class Out, class F>
void reference_copy(operand const& in, operand const& out, F const& f) {
  auto const* from = static_cast<In const*>(in.data);
  auto* to = static_cast<Out*>(const_cast<void*>(out.data));
  for_each_in_blocks(out, [&](index b, index i, index j) {
    to[offset(out, b, i, j)] = static_cast<Out>(f(from[offset(in, b, i, j)]));
  });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
