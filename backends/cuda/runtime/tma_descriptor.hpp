// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// TMA descriptors (CUtensorMap) of 3-D tensors; capability 90 and up.
#pragma once

#include <xpose/detail/request.hpp>

#include <cstdint>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A CUtensorMap as the driver encodes it; a kernel takes it as a __grid_constant__ parameter.
struct alignas(128) tma_descriptor {
  std::uint64_t words[16];
};

/// Rows of contiguous elements, in planes.
struct pitched_tensor {
  void const* data;
  int bytes_per_element;  // 1, 2 or 4 for TMA
  index row_length;
  index rows;
  index planes;
  index row_stride;  // in elements
  index plane_stride;
};

/// Whether TMA can read it: address and strides are multiples of 16 bytes, strides are below 2^40
/// bytes, extents at most 2^31.
XPOSE_EXPORT bool is_tma_compatible(pitched_tensor const& t);

/// What one copy moves: elements of each of some rows of a plane.
struct tma_box {
  int row_length;
  int rows;
};

/// Rows of the box lie `swizzle_bytes` (128 or 64) apart in shared memory, which hold row_length
/// elements or more, swizzled as wgmma wants it (SWIZZLE_128B, SWIZZLE_64B). With rounds_to_tf32,
/// elements of 4 bytes are f32, which loads round to tf32. Requires is_tma_compatible(t), no extent
/// of zero, and rows of the box of whole 16 bytes. Throws cuda_error where the driver has no TMA.
XPOSE_EXPORT tma_descriptor make_tma_descriptor(pitched_tensor const& t, tma_box const& box,
                                                int swizzle_bytes, bool rounds_to_tf32);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
