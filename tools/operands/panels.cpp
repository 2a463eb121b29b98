// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "operands/panels.hpp"

#include <algorithm>
#include <cstdlib>

namespace xpose::tools {

index bytes_of(detail::tensor_operand const& o) {
  // The extents of an operand without elements may be any: their product need not fit.
  if (detail::is_empty(o)) return 0;
  index bytes = o.bytes_per_element;
  for (int d = 0; d < o.count; ++d) bytes *= o.dimensions[d].extent;
  return bytes;
}

index bytes_of(detail::operand const& o) { return bytes_of(as_tensor(o)); }

detail::tensor_operand part(detail::tensor_operand o, int dimension, index first, index extent) {
  auto& of_part = o.dimensions[dimension];
  o.data = static_cast<char const*>(o.data) + first * of_part.stride * o.bytes_per_element;
  of_part.extent = extent;
  return o;
}

detail::operand as_operand(detail::tensor_operand const& o) {
  return {o.data,
          o.dimensions[0].extent,
          o.dimensions[1].extent,
          o.dimensions[2].extent,
          o.dimensions[0].stride,
          o.dimensions[1].stride,
          o.dimensions[2].stride,
          o.bytes_per_element,
          o.alignment,
          o.type,
          o.conjugated};
}

detail::operand part(detail::operand const& o, tile const& t) {
  detail::tensor_operand const matrices = part(as_tensor(o), 0, t.first_matrix, t.matrices);
  return as_operand(part(part(matrices, 1, t.first_row, t.rows), 2, t.first_col, t.cols));
}

index bytes_in_panel(index otherwise) {
  char const* const set = std::getenv("XPOSE_PANEL_BYTES");
  index const bytes = set != nullptr ? std::atoll(set) : 0;
  return bytes > 0 ? bytes : otherwise;
}

void for_each_panel(tensors const& operands, index bytes,
                    std::function<void(tensors const&)> const& visit) {
  detail::tensor_operand const& like = operands.front();
  index largest = 0;
  for (auto const& o : operands) largest = std::max(largest, bytes_of(o));
  int longest = 0;
  for (int d = 1; d < like.count; ++d)
    if (like.dimensions[d].extent > like.dimensions[longest].extent) longest = d;
  index const extent = like.dimensions[longest].extent;
  if (largest <= bytes || extent <= 1) return visit(operands);
  index const half = extent / 2;
  for (bool const is_second : {false, true}) {
    tensors halves;
    for (auto const& o : operands)
      halves.push_back(part(o, longest, is_second ? half : 0, is_second ? extent - half : half));
    for_each_panel(halves, bytes, visit);
  }
}

}  // namespace xpose::tools
