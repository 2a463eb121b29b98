// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// omp's transpose and copy of an iterator's elements. The compiled driver sees positions as
// addresses of single bytes (iterator_view.hpp); the element function reads the iterator at these.
// Assumes checked operands; takes any strides.
#pragma once

#include <xpose/backends/omp/transpose/driver.hpp>
#include <xpose/iterator_view.hpp>

namespace xpose::detail {

/// out(i..) = reader(position of the element).
template <class Out, class Reader>
void omp_copy_iterator(execution const& where, tensor_operand const& positions,
                       tensor_operand const& out, Reader const& reader) {
  auto const read = [&](char const& position) { return reader(element_at(&position)); };
  omp_copy<char, Out>(where, positions, out, read);
}

}  // namespace xpose::detail
