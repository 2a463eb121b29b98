// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Copies elements of any size between any strides, one by one: what has no SIMD kernel.
#pragma once

#include <xpose/config.hpp>

#include <cstring>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Element (i, j) lies at in + i * in_stride_i + j * in_stride_j, all in bytes; j is the inner
/// loop.
struct strided_rectangle {
  char const* in;
  index in_stride_i;
  index in_stride_j;
  char* out;
  index out_stride_i;
  index out_stride_j;
  index extent_i;
  index extent_j;
};

struct element_copy {
  index bytes;  // of an element; 0: any size
  void (*move)(strided_rectangle const& r, index bytes);
};

/// With the size known, a copy of one element is one or two instructions.
template <int Bytes>
void copy_elements(strided_rectangle const& r, index any_bytes) {
  auto const bytes = static_cast<std::size_t>(Bytes != 0 ? Bytes : any_bytes);
  for (index i = 0; i < r.extent_i; ++i) {
    char const* from = r.in + i * r.in_stride_i;
    char* to = r.out + i * r.out_stride_i;
    for (index j = 0; j < r.extent_j; ++j, from += r.in_stride_j, to += r.out_stride_j)
      std::memcpy(to, from, bytes);
  }
}

inline element_copy const& element_copy_for(index bytes) {
  static constexpr element_copy table[] = {
      {1, copy_elements<1>},   {2, copy_elements<2>},   {3, copy_elements<3>},
      {4, copy_elements<4>},   {6, copy_elements<6>},   {8, copy_elements<8>},
      {12, copy_elements<12>}, {16, copy_elements<16>}, {24, copy_elements<24>},
      {32, copy_elements<32>}, {0, copy_elements<0>},
  };
  element_copy const* row = table;
  while (row->bytes != bytes && row->bytes != 0) ++row;
  return *row;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
