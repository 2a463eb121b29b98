// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Division of sizes, rounded down and up.
#pragma once

#include <xpose/config.hpp>

#include <cstdint>

namespace xpose {
inline namespace v0 {
namespace detail {

/// n / by, n at least 0 and by at least 1. A division of 64 bits takes up to 90 cycles: choosing the
/// blocking of a gemm of 16x16x16 made a sixth of the call.
constexpr index quotient(index n, index by) {
  if (n < by) return 0;
  auto const both = static_cast<std::uint64_t>(n | by);
  if (both >> 32 == 0) return static_cast<std::uint32_t>(n) / static_cast<std::uint32_t>(by);
  return n / by;
}

/// The parts of n of which none is larger than `by`. Without a division where there is nothing to
/// divide: the tiles of a small matrix took a dozen (a transpose of 4x4 floats: 0.64 us, 0.46
/// without).
constexpr index ceil_div(index n, index by) {
  if (by == 1) return n;
  return n <= by ? index{n > 0} : quotient(n + by - 1, by);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
