// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Divisions of extents, for the host and for kernels: ceil_div rounds up.
#pragma once

#include <xpose/config.hpp>

#include <cstdint>
#include <type_traits>

namespace xpose {
inline namespace v0 {
namespace detail {

/// n / by, n at least 0 and by at least 1. A division of 64 bits takes up to 90 cycles on a CPU:
/// choosing the blocking of a gemm of 16x16x16 made a sixth of the call.
XPOSE_HOST_DEVICE constexpr index quotient(index n, index by) {
  if (n < by) return 0;
  auto const both = static_cast<std::uint64_t>(n | by);
  if (both >> 32 == 0) return static_cast<std::uint32_t>(n) / static_cast<std::uint32_t>(by);
  return n / by;
}

/// n / by rounded up; n at least 0 and by at least 1. On a CPU without a division where there is
/// nothing to divide: the tiles of a small matrix took a dozen (a transpose of 4x4 floats: 0.64 us,
/// 0.46 without).
template <class A, class B>
XPOSE_HOST_DEVICE constexpr std::common_type_t<A, B> ceil_div(A n, B by) {
#if !defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<std::common_type_t<A, B>, index>) {
    if (by == 1) return n;
    return n <= by ? index{n > 0} : quotient(n + by - 1, by);
  } else
#endif
    return (n + by - 1) / by;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
