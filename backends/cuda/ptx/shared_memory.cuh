// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Shared memory by its 32-bit address: ld.shared, st.shared, ldmatrix. This loads 8x8 matrices as
// mma.sync takes its fragments (capability 75); code for older devices shuffles addresses and loads
// elements.
#pragma once

#include <xpose/float16.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

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
/// 8 bytes, aligned to that.
__device__ inline uint2 ld_shared_vec8(unsigned from) {
  uint2 words;
  asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];"
               : "=r"(words.x), "=r"(words.y)
               : "r"(from)
               : "memory");
  return words;
}
/// 16 bytes, aligned to that.
__device__ inline uint4 ld_shared_vec16(unsigned from) {
  uint4 words;
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "r"(from)
               : "memory");
  return words;
}
/// The same of block `rank` of the cluster (distributed shared memory).
__device__ inline uint4 ld_shared_vec16(unsigned from, unsigned rank) {
  uint4 words;
  asm volatile(
      "{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %4, %5;\n"
      "ld.shared::cluster.v4.b32 {%0, %1, %2, %3}, [remote];\n}"
      : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
      : "r"(from), "r"(rank)
      : "memory");
  return words;
}

/// Stores four 8x8 matrices of 2-byte elements (capability 90): thread l gives the shared address
/// of row l % 8, 16 bytes, of matrix l / 8, and words of each as ldmatrix_x4 loads them.
template <bool IsTransposed>
__device__ inline void stmatrix_x4(unsigned to, unsigned const (&words)[4]) {
  if constexpr (IsTransposed)
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
                 "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
                 : "memory");
  else
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
                 "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
                 : "memory");
}

/// Loads four 8x8 matrices of 2-byte elements. Thread l gives the shared address of row l % 8, 16
/// bytes, of matrix l / 8; thread 4 g + t gets word t of row g of each. Transposed, it gets
/// elements 2 t and 2 t + 1 of column g.
template <bool IsTransposed>
__device__ inline void ldmatrix_x4(unsigned (&to)[4], unsigned from) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
  if constexpr (IsTransposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
#else
  int const lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int m = 0; m < 4; ++m) {
    unsigned short pair[2];
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      int const row = IsTransposed ? lane % 4 * 2 + e : lane / 4;
      int const col = IsTransposed ? lane / 4 : lane % 4 * 2 + e;
      unsigned const at = __shfl_sync(0xFFFFFFFFu, from, 8 * m + row);
      asm volatile("ld.shared.u16 %0, [%1];" : "=h"(pair[e]) : "r"(at + col * 2) : "memory");
    }
    to[m] = pair[0] | static_cast<unsigned>(pair[1]) << 16;
  }
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
