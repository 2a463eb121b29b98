// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The two places where a user's own element type tells xpose what it needs to know. Both have
// defaults.
#pragma once

#include <xpose/float8.hpp>

#include <type_traits>

namespace xpose {
inline namespace v0 {

/// Additive identity and conjugate of a scalar type. Specialise for a type whose zero is not T{} or
/// whose conjugate is not itself. Members called on a device must be __host__ __device__.
template <class T>
struct scalar_traits {
  XPOSE_HOST_DEVICE static constexpr T zero() { return T{}; }
  XPOSE_HOST_DEVICE static constexpr T conj(T const& x) { return x; }
};

/// The type gemm accumulates in for elements of type T, unless options().accumulate<A>() says
/// otherwise.
template <class T, class = void>
struct accumulator {
  using type = T;
};
template <class T>
struct accumulator<T, std::enable_if_t<detail::is_short_real<T>>> {
  using type = float;
};
template <class T>
struct accumulator<T, std::enable_if_t<std::is_integral_v<T> && sizeof(T) == 1>> {
  using type = std::int32_t;
};
template <class T>
struct accumulator<T, std::enable_if_t<std::is_integral_v<T> && sizeof(T) == 2>> {
  using type = std::int64_t;  // one product of two uint16 leaves int32
};

template <class T>
using accumulator_t = typename accumulator<T>::type;

}  // namespace v0
}  // namespace xpose
