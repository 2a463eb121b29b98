// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Copies elements of any size between any strides, one by one: what has no SIMD kernel. Has the
// form of an element function, so that one driver runs both.
#pragma once

#include <xpose/backends/omp/transpose/kernel_table.hpp>
#include <xpose/backends/omp/transpose/tile_function.hpp>

#include <cstring>

namespace xpose::detail {

/// With the size known, a copy of one element is one or two instructions. Bytes = 0: `bytes` points
/// to the size, an index.
template <int Bytes>
void copy_elements(void const* bytes, function_tile const& t) {
  auto const size =
      static_cast<std::size_t>(Bytes != 0 ? Bytes : *static_cast<index const*>(bytes));
  for (index j = 0; j < t.height; ++j) {
    char const* from = t.in + j * t.in_pitch;
    char* to = t.to + j * t.to_pitch;
    for (index i = 0; i < t.width; ++i, from += t.in_step, to += t.to_step)
      std::memcpy(to, from, size);
  }
}

struct element_copy : element_size {
  void (*apply)(void const* bytes, function_tile const& tile);
};
inline constexpr element_copy element_copies[] = {
    {element_size{1}, copy_elements<1>},   {element_size{2}, copy_elements<2>},
    {element_size{3}, copy_elements<3>},   {element_size{4}, copy_elements<4>},
    {element_size{6}, copy_elements<6>},   {element_size{8}, copy_elements<8>},
    {element_size{12}, copy_elements<12>}, {element_size{16}, copy_elements<16>},
    {element_size{24}, copy_elements<24>}, {element_size{32}, copy_elements<32>},
    {any_size, copy_elements<0>},
};

/// `bytes` must outlive the result.
inline tile_function element_copy_of(index const& bytes) {
  return {&bytes, bytes, bytes, first_that_takes(element_copies, bytes).apply};
}

}  // namespace xpose::detail
