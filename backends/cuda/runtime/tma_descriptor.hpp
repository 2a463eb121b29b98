// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Descriptions of tensors for the copy engine of devices of capability 90 and up.
#pragma once

#include <xpose/detail/request.hpp>

#include <cstdint>

namespace xpose {
inline namespace v0 {
namespace detail {

/// As the driver encodes it; a kernel takes it as a __grid_constant__ parameter.
struct alignas(128) tma_descriptor {
  std::uint64_t words[16];
};

/// Lines of elements that lie one behind the other, in planes.
struct pitched_tensor {
  void const* data;
  int bytes_per_element;  // 1, 2 or 4; doubles have no map
  index length;
  index lines;
  index planes;
  index line_stride;  // in elements
  index plane_stride;
};

/// Whether the engine can read it: everything aligned to 16 bytes, no stride from 2^40 bytes on, no
/// extent past 2^31.
XPOSE_EXPORT bool is_tma_compatible(pitched_tensor const& t);

/// Boxes are `bytes_of_line` bytes, 128 or 64, of each of `lines_of_box` lines of a plane, whose
/// chunks of 16 bytes change places in shared memory as wgmma wants it (SWIZZLE_128B, SWIZZLE_64B).
/// Where it `rounds`, elements of 4 bytes are f32, and become tf32 on their way. Requires
/// is_tma_compatible(t) and no extent of zero. Throws cuda_error where the driver has no copy
/// engine.
XPOSE_EXPORT tma_descriptor make_tma_descriptor(pitched_tensor const& t, int lines_of_box,
                                                int bytes_of_line, bool rounds);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
