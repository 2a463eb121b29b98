// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {

/// How gemm may calculate. fast_f32: products of float may be made of products of parts of them by
/// matrix units. The error, the largest |c - exact| / (|A||B|), is less than twice that of the plain
/// kernel in tests with operands of one size, of one sign, of sizes from 2^-20 to 2^20 and that
/// cancel; results outside float's normal range are not part of that. xpose::cuda uses it on devices of
/// capability 90, for float operands, results and sums with plus_times and no epilogue, where it is
/// expected to be faster. If any element of A or B is infinite, NaN, 2^47 or more, or below 2^-100
/// without being zero, the whole product is plain float, after a pass over the operands; the device
/// finds that out. Takes 6 bytes for each element of A and B from xpose's pool; plain float where
/// that is more than 4 GiB or cannot be had. No effect elsewhere.
enum class gemm_precision : int { full, fast_f32 };

inline constexpr gemm_precision fast_f32 = gemm_precision::fast_f32;

}  // namespace v0
}  // namespace xpose
