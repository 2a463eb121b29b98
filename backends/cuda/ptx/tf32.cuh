// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// tf32: f32 with ten bits of mantissa, as tensor cores multiply it.
#pragma once

#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// An f32 operand that tensor cores multiply as tf32. TMA rounds to that on the way to wgmma;
/// fragments of mma.sync are rounded by as_tf32().
struct tf32_element {
  float value;
};

/// The bits of a float rounded to tf32, to nearest: mma.sync would cut the others off.
__device__ inline unsigned as_tf32(unsigned bits) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned rounded = 0;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(__uint_as_float(bits)));
  return rounded;
#else
  return bits;
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
