// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// omp's transpose and copy of an iterator's elements. The compiled driver sees positions as
// addresses of single bytes (iterator_view.hpp); the tile function reads the iterator at these.
// Assumes checked operands; takes any strides.
#pragma once

#include <xpose/backends/omp/transpose/driver.hpp>
#include <xpose/iterator_view.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class Out, class Reader>
void read_tile(void const* function, function_tile const& t) {
  Reader const& read = *static_cast<Reader const*>(function);
  bool const is_run = t.in_step == 1 && t.to_step == index{sizeof(Out)};
  for (index j = 0; j < t.height; ++j) {
    index const first = element_at(t.in + j * t.in_pitch);
    char* const to = t.to + j * t.to_pitch;
    Out* const outs = reinterpret_cast<Out*>(to);
    if (is_run)
      for (index i = 0; i < t.width; ++i) outs[i] = static_cast<Out>(read(first + i));
    else
      for (index i = 0; i < t.width; ++i)
        *reinterpret_cast<Out*>(to + i * t.to_step) = static_cast<Out>(read(first + i * t.in_step));
  }
}

/// out(i..) = reader(position of the element).
template <class Out, class Reader>
void omp_copy_iterator(execution const& where, tensor_operand const& positions,
                       tensor_operand const& out, Reader const& reader) {
  omp_copy_tiles(where, positions, out, {&reader, 1, sizeof(Out), read_tile<Out, Reader>});
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
