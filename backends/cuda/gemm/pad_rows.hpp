// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Copies operands of gemm to a workspace where their rows are aligned: both operands by one launch,
// so that the device does not drain between two launches and the product. 1000x1000x1000 of float16
// with odd leading dimensions (H100, 2026-11-22): a launch for each operand, by
// transpose/driver.cu, took twice as long as the product.
#pragma once

#include <xpose/backends/cuda/runtime/tma_descriptor.hpp>

namespace xpose::detail {

/// Element k of row j of plane i goes to out + ((i * rows + j) * pitch + k) * bytes_per_element.
/// Zeros fill the rest of a row up to a multiple of 16 bytes.
struct padded_copy {
  pitched_tensor in;
  void* out;    // 16-byte aligned
  index pitch;  // in elements; a multiple of 16 bytes
};

/// One copy or two, of elements of the same size: 1, 2, 4 or 8 bytes, aligned to it. Fewer than
/// 2^31 vectors of 16 bytes each, no extent of zero. One launch on the policy's stream; does not
/// wait, takes no memory. Throws cuda_error.
XPOSE_EXPORT void cuda_pad_rows(execution const& where, padded_copy const* copies, int count);

}  // namespace xpose::detail
