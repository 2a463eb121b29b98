// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// mma.sync: a warp multiplies fragments in its registers, D += A B, with 16 rows of A and D and 8
// columns of B and D (capability 80). Thread 4 g + t of the warp holds, for g = 0..7 and t = 0..3:
//
//   A: rows g and g + 8     B: column g     (k = t, t + 4, .. in words of 4 bytes, or doubles)
//   D: rows g and g + 8, columns 2 t and 2 t + 1
//
// Code for older devices shuffles elements between lanes instead: right and slow, and no config
// that needs the instruction is chosen there.
#pragma once

#include <xpose/backends/core/problems/gemm_problem.hpp>
#include <xpose/backends/cuda/ptx/tf32.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

inline constexpr unsigned full_warp = 0xFFFFFFFFu;

/// mma_m16n8() below capability 80.
template <class T, class K>
__device__ __noinline__ void mma_by_shuffles(K (&acc)[2][2], unsigned const (&a)[4],
                                             unsigned const (&b)[2]) {
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>;
  constexpr int bits_of_element = 8 * static_cast<int>(sizeof(T));
  int const lane = static_cast<int>(threadIdx.x) % 32;
  for (int w = 0; w < 8; ++w)  // words of k
    for (int h = 0; h < 2; ++h) {
      unsigned const x = __shfl_sync(full_warp, a[w / 4 * 2 + h], lane / 4 * 4 + w % 4);
      for (int c = 0; c < 2; ++c) {
        unsigned const y = __shfl_sync(full_warp, b[w / 4], (lane % 4 * 2 + c) * 4 + w % 4);
        for (int bit = 0; bit < 32; bit += bits_of_element) {
          auto const p = static_cast<bits>(x >> bit), q = static_cast<bits>(y >> bit);
          if constexpr (std::is_same_v<T, tf32_element>)
            acc[h][c] = fmaf(__uint_as_float(p), __uint_as_float(q), acc[h][c]);
          else
            acc[h][c] = plus_times{}.add(
                acc[h][c], plus_times{}.multiply(cast<K>{}(reinterpret_cast<T const&>(p)),
                                                 cast<K>{}(reinterpret_cast<T const&>(q))));
        }
      }
    }
}

/// float16, bfloat16, tf32 (of as_tf32()) or 1-byte integers, 32 bytes of k. a: word t of rows g
/// and g + 8, then the words 16 bytes on; b: word t of column g, then the word 16 bytes on;
/// acc[half of the rows][column].
template <class T, class K>
__device__ inline void mma_m16n8(K (&acc)[2][2], unsigned const (&a)[4], unsigned const (&b)[2]) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, float16>)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(acc[0][0]), "+f"(acc[0][1]), "+f"(acc[1][0]), "+f"(acc[1][1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else if constexpr (std::is_same_v<T, tf32_element>)
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(acc[0][0]), "+f"(acc[0][1]), "+f"(acc[1][0]), "+f"(acc[1][1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else if constexpr (std::is_same_v<T, bfloat16>)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(acc[0][0]), "+f"(acc[0][1]), "+f"(acc[1][0]), "+f"(acc[1][1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else if constexpr (std::is_signed_v<T>)
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+r"(acc[0][0]), "+r"(acc[0][1]), "+r"(acc[1][0]), "+r"(acc[1][1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+r"(acc[0][0]), "+r"(acc[0][1]), "+r"(acc[1][0]), "+r"(acc[1][1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  mma_by_shuffles<T>(acc, a, b);
#endif
}

/// k = 4 of mma_m16n8_f64() below capability 80.
__device__ __noinline__ inline void mma_by_shuffles(double (&acc)[2][2], double const (&a)[2],
                                                    double b) {
  int const lane = static_cast<int>(threadIdx.x) % 32;
  for (int k = 0; k < 4; ++k)
    for (int h = 0; h < 2; ++h) {
      double const x = __shfl_sync(full_warp, a[h], lane / 4 * 4 + k);
      for (int c = 0; c < 2; ++c)
        acc[h][c] = fma(x, __shfl_sync(full_warp, b, (lane % 4 * 2 + c) * 4 + k), acc[h][c]);
    }
}

/// Doubles, acc += a b with k = 8 or 16: a[k][h] and b[k], where k counts blocks of four.
template <int Fours>
__device__ inline void mma_m16n8_f64(double (&acc)[2][2], double const (&a)[Fours][2],
                                     double const (&b)[Fours]) {
  static_assert(Fours == 2 || Fours == 4);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if constexpr (Fours == 2)
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+d"(acc[0][0]), "+d"(acc[0][1]), "+d"(acc[1][0]), "+d"(acc[1][1])
        : "d"(a[0][0]), "d"(a[0][1]), "d"(a[1][0]), "d"(a[1][1]), "d"(b[0]), "d"(b[1]));
  else
    asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, "
        "%9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(acc[0][0]), "+d"(acc[0][1]), "+d"(acc[1][0]), "+d"(acc[1][1])
        : "d"(a[0][0]), "d"(a[0][1]), "d"(a[1][0]), "d"(a[1][1]), "d"(a[2][0]), "d"(a[2][1]),
          "d"(a[3][0]), "d"(a[3][1]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  for (int k = 0; k < Fours; ++k)
    for (int h = 0; h < 2; ++h)
      asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
          : "+d"(acc[h][0]), "+d"(acc[h][1])
          : "d"(a[k][h]), "d"(b[k]));
#else
  for (int k = 0; k < Fours; ++k) mma_by_shuffles(acc, a[k], b[k]);
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
