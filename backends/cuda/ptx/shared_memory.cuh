// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Shared memory by its 32-bit address: ld.shared, st.shared.
#pragma once

#include <xpose/float16.hpp>

namespace xpose::detail {

__device__ inline unsigned smem_address(void const* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}
/// A value of 4 or 8 bytes, aligned to its size.
template <class T>
__device__ inline void st_shared(unsigned to, T const& value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  if constexpr (sizeof(T) == 4) {
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(bits_as<unsigned>(value)) : "memory");
  } else {
    auto const words = bits_as<uint2>(value);
    asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(to), "r"(words.x), "r"(words.y)
                 : "memory");
  }
}
__device__ inline unsigned ld_shared(unsigned from) {
  unsigned word = 0;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(from) : "memory");
  return word;
}

}  // namespace xpose::detail
