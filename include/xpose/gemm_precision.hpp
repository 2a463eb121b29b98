// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {

/// How gemm may calculate products of float; without effect on other types, and where it is not
/// expected to be faster. Both need xpose::cuda, a device of capability 90, float operands, results
/// and sums, plus_times and no epilogue; elsewhere, and with full, float is calculated as float.
///
/// fast_f32: each operand may be split into three bfloat16 numbers that tensor cores multiply. The
/// error, the largest |c - exact| / (|A||B|), is less than twice that of the plain kernel in tests
/// with operands of one size, of one sign, of sizes from 2^-20 to 2^20 and that cancel; results
/// outside float's normal range are not part of that. If any element of A or B is infinite, NaN,
/// 2^47 or more, or below 2^-100 without being zero, the whole product is plain float, after a pass
/// over the operands; the device finds that out. Takes 6 bytes for each element of A and B, whose k
/// is rounded up to 64, from the policy's pool or xpose's; std::bad_alloc if there is none, since
/// another kernel would give other bits. Plain float where that is more than 4 GiB.
///
/// tf32: operands may be rounded to ten bits of mantissa, as deep learning does: an error of up to
/// 2^-10 |A||B|, a thousand times float's, and about twice the speed of fast_f32. Infinities and
/// NaNs are kept. Operands whose rows do not begin at multiples of 16 bytes, and one of two that
/// are MN-major, are copied first, 4 bytes an element from xpose's pool, up to 1 GiB each.
enum class gemm_precision : int { full, fast_f32, tf32 };

inline constexpr gemm_precision fast_f32 = gemm_precision::fast_f32;
inline constexpr gemm_precision tf32 = gemm_precision::tf32;

}  // namespace v0
}  // namespace xpose
