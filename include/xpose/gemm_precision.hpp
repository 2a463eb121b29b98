// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {

/// How gemm may calculate products of float and of complex numbers; without effect on other types,
/// and where it is not expected to be faster. All need xpose::cuda, one type of operands, results
/// and sums, plus_times and no epilogue; fast_f32 and tf32 float, on a device of capability 90 and
/// of 80. Elsewhere, and with full, products are the plain ones.
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
/// NaNs are kept. On capability 90, operands whose rows do not begin at multiples of 16 bytes, and
/// one of two that are MN-major, may be copied first, 4 bytes an element from the policy's pool or
/// xpose's, up to 1 GiB each.
///
/// three_products: complex numbers may be multiplied by three real products, of Re, Im and their
/// sums, where four are usual: a quarter less work from about 1000x1000x1000 on. The error, of real
/// and of imaginary parts, is up to 4 k u |A||B|, with u 2^-24 or 2^-53 and |.| of the whole
/// complex number: an imaginary part that is much smaller than its real part may lose all its
/// digits, where the plain product's error is relative to either part's own terms. An infinity
/// makes both parts NaN. Takes 1.5 times the bytes of A, B and C of one matrix from the policy's
/// pool or xpose's; std::bad_alloc if there is none. Plain where that is more than 4 GiB.
enum class gemm_precision : int { full, fast_f32, tf32, three_products };

inline constexpr gemm_precision fast_f32 = gemm_precision::fast_f32;
inline constexpr gemm_precision tf32 = gemm_precision::tf32;
inline constexpr gemm_precision three_products = gemm_precision::three_products;

}  // namespace v0
}  // namespace xpose
