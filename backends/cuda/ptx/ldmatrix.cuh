// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// ldmatrix: a warp loads 8x8 matrices from shared memory as mma.sync takes its fragments
// (capability 75). Code for older devices shuffles addresses and loads words.
#pragma once

#include <xpose/config.hpp>

namespace xpose::detail {

/// Loads four 8x8 matrices of 2-byte elements. Thread l gives the shared address of row l % 8, 16
/// bytes, of matrix l / 8; thread 4 g + t gets word t of row g of each.
__device__ inline void ldmatrix_x4(unsigned (&to)[4], unsigned from) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from)
               : "memory");
#else
  int const lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int m = 0; m < 4; ++m) {
    unsigned const row = __shfl_sync(0xFFFFFFFFu, from, 8 * m + lane / 4);
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(to[m]) : "r"(row + lane % 4 * 4) : "memory");
  }
#endif
}
/// The same, each matrix transposed: thread 4 g + t gets elements 2 t and 2 t + 1 of column g.
__device__ inline void ldmatrix_x4_trans(unsigned (&to)[4], unsigned from) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
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
      unsigned const row = __shfl_sync(0xFFFFFFFFu, from, 8 * m + lane % 4 * 2 + e);
      asm volatile("ld.shared.u16 %0, [%1];" : "=h"(pair[e]) : "r"(row + lane / 4 * 2) : "memory");
    }
    to[m] = pair[0] | static_cast<unsigned>(pair[1]) << 16;
  }
#endif
}

}  // namespace xpose::detail
