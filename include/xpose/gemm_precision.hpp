// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {

/// How gemm may calculate. fast_f32: products of float may be made of products of parts of them by
/// matrix units, with an error at most twice that of plain float. It is used by xpose::cuda on
/// devices of capability 90, for float operands, results and sums with plus_times and no epilogue,
/// where it is expected to be faster; infinities, NaNs and numbers from 2^127 on or below 2^-100
/// are found on the device and calculated in plain float, at its speed and a pass over the operands
/// more. The workspace is 6 bytes for each element of A and B, from xpose's pool; larger ones than
/// 4 GB are calculated in plain float.
enum class gemm_precision : int { full, fast_f32 };

inline constexpr gemm_precision fast_f32 = gemm_precision::fast_f32;

}  // namespace v0
}  // namespace xpose
