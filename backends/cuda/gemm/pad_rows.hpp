// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Lines of operands of gemm on their way to a workspace where they lie in aligned chunks: those of
// both operands by one launch, between which and the product's the device need not come to rest.
// 1000x1000x1000 of float16 with odd leading dimensions (H100, 2026-11-22): a launch for each
// operand, by the copies of transpose/driver.cu, took twice as long as the product.
#pragma once

#include <xpose/backends/cuda/runtime/tma_descriptor.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Element k of line j of plane i goes to out + ((i * lines + j) * pitch + k) * bytes_per_element.
/// What lies behind a line's last element, up to a multiple of 16 bytes, becomes zero.
struct padded_copy {
  pitched_tensor in;
  void* out;    // at a multiple of 16 bytes
  index pitch;  // in elements, whole chunks of 16 bytes
};

/// One copy or two, of elements of the same size: 1, 2, 4 or 8 bytes, and aligned to it. Fewer than
/// 2^31 chunks each, no extent of zero. One launch on the policy's stream; does not wait, takes no
/// memory. Throws cuda_error.
XPOSE_EXPORT void cuda_pad_rows(execution const& where, padded_copy const* copies, int count);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
