// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The oracle for transpose, copy and permute: the definition as loops, in 32x32 blocks so that
// large tests stay fast. Assumes checked operands; takes any strides. Uses no plan and nothing of
// another backend.
#pragma once

#include <xpose/detail/request.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {

inline constexpr char const* reference_copy_name = "copy_in_blocks";

/// Calls visit(offset in `in`, offset in `out`) for every element of the dimensions from d on: the
/// last two in blocks, those before them one by one.
template <class Visit>
void for_each_in_blocks(tensor_operand const& in, tensor_operand const& out, Visit const& visit,
                        int d = 0, index in_offset = 0, index out_offset = 0) {
  if (d + 2 < out.count) {
    for (index i = 0; i < out.dimensions[d].extent; ++i)
      for_each_in_blocks(in, out, visit, d + 1, in_offset + i * in.dimensions[d].stride,
                         out_offset + i * out.dimensions[d].stride);
    return;
  }
  constexpr index block = 32;
  dimension const one{1, 0};
  bool const has_rows = d + 1 < out.count;
  dimension const in_rows = has_rows ? in.dimensions[d] : one;
  dimension const out_rows = has_rows ? out.dimensions[d] : one;
  dimension const in_cols = in.dimensions[out.count - 1];
  dimension const out_cols = out.dimensions[out.count - 1];
  for (index first_i = 0; first_i < out_rows.extent; first_i += block)
    for (index first_j = 0; first_j < out_cols.extent; first_j += block)
      for (index i = first_i; i < std::min(first_i + block, out_rows.extent); ++i)
        for (index j = first_j; j < std::min(first_j + block, out_cols.extent); ++j)
          visit(in_offset + i * in_rows.stride + j * in_cols.stride,
                out_offset + i * out_rows.stride + j * out_cols.stride);
}

/// out(i..) = reader(position of the element).
template <class Out, class Reader>
void reference_copy_iterator(execution const& where, tensor_operand const& positions,
                             tensor_operand const& out, Reader const& reader) {
  if (explain_only(where, reference_copy_name)) return;
  auto* to = static_cast<Out*>(const_cast<void*>(out.data));
  for_each_in_blocks(positions, out, [&](index element, index out_offset) {
    to[out_offset] = static_cast<Out>(reader(element));
  });
}

/// out(i..) = f(in(i..)).
template <class In, class Out, class F>
void reference_copy(execution const& where, tensor_operand const& in, tensor_operand const& out,
                    F const& f) {
  auto const* from = static_cast<In const*>(in.data);
  reference_copy_iterator<Out>(where, in, out, [&](index element) { return f(from[element]); });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
