// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Division that rounds up, for the host and for kernels.
#pragma once

#include <xpose/config.hpp>

#include <type_traits>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Requires dividend >= 0 and divisor > 0, and a sum that their common type holds.
template <class A, class B>
XPOSE_HOST_DEVICE constexpr std::common_type_t<A, B> ceil_div(A dividend, B divisor) {
  return (dividend + divisor - 1) / divisor;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
