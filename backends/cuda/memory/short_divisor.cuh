// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Division by a small number that the device alone knows: a fast_divisor is made on the host.
#pragma once

#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Quotients of numbers below Most by a divisor of up to MostDivisor: an integer division, some
/// twenty instructions, once. The reciprocal is less than 1 / 2^16 too large.
template <int Most, int MostDivisor>
class short_divisor {
  static_assert(Most * MostDivisor <= 65536, "quotients would be too large");

 public:
  __device__ explicit short_divisor(int divisor)
      : reciprocal_(static_cast<int>(65536 / static_cast<float>(divisor)) + 1) {}
  __device__ int quotient(int number) const { return number * reciprocal_ >> 16; }

 private:
  int reciprocal_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
