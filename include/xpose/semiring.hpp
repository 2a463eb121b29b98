// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Semirings: what gemm means by "add" and "multiply". A user's own is a struct with the same three
// members:
//   T zero() const        identity of add (a template zero<T>() works too)
//   T add(T, T) const     associative and commutative
//   T multiply(T, T) const
// For xpose::cuda they are __host__ __device__ and the file is compiled by nvcc.
#pragma once

#include <xpose/traits.hpp>

#include <limits>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class T, int Sign>
constexpr T find_extreme() {
  using limits = std::numeric_limits<T>;
  static_assert(limits::is_specialized,
                "xpose: min_plus and max_plus need std::numeric_limits of the accumulate type; "
                "specialise it, or "
                "bring a semiring of your own with zero()");
  if constexpr (Sign > 0) return limits::has_infinity ? limits::infinity() : limits::max();
  else if constexpr (limits::has_infinity) return -limits::infinity();
  else return limits::lowest();
}

/// The largest (Sign > 0) or smallest value of T, infinite where T has infinities. A constant,
/// because a device function may use its value but may not call std::numeric_limits.
template <class T, int Sign>
struct extreme {
  static constexpr T value = find_extreme<T, Sign>();
};

/// What integers are added and multiplied in: signed ones wrap around, as NumPy's do, where C++
/// leaves overflow undefined.
template <class T>
struct wrapping {
  using type = std::make_unsigned_t<std::conditional_t<(sizeof(T) < sizeof(int)), int, T>>;
};
template <class T>
inline constexpr bool wraps = std::is_integral_v<T> && !std::is_same_v<T, bool>;

XPOSE_CALLS_USER_CODE
template <class T>
XPOSE_HOST_DEVICE constexpr T sum_of(T const& a, T const& b) {
  if constexpr (wraps<T>) {
    using U = typename wrapping<T>::type;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    return static_cast<T>(a + b);
  }
}
XPOSE_CALLS_USER_CODE
template <class T>
XPOSE_HOST_DEVICE constexpr T product_of(T const& a, T const& b) {
  if constexpr (wraps<T>) {
    using U = typename wrapping<T>::type;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  } else {
    return static_cast<T>(a * b);
  }
}

/// min-plus and max-plus: Sign > 0 minimises. An integer at the extreme stands for infinity and
/// stays there.
template <int Sign>
struct tropical {
  template <class T>
  XPOSE_HOST_DEVICE static constexpr T zero() {
    return extreme<T, Sign>::value;
  }
  template <class T>
  XPOSE_HOST_DEVICE constexpr T add(T a, T b) const {
    return (Sign > 0 ? b < a : a < b) ? b : a;
  }
  template <class T>
  XPOSE_HOST_DEVICE constexpr T multiply(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return a == zero<T>() || b == zero<T>() ? zero<T>() : sum_of(a, b);
    else return a + b;
  }
};

}  // namespace detail

/// Ordinary arithmetic: sum of products. The default.
struct plus_times {
  template <class T>
  XPOSE_HOST_DEVICE static constexpr T zero() {
    return scalar_traits<T>::zero();
  }
  template <class T>
  XPOSE_HOST_DEVICE constexpr T add(T const& a, T const& b) const {
    return detail::sum_of(a, b);
  }
  template <class T>
  XPOSE_HOST_DEVICE constexpr T multiply(T const& a, T const& b) const {
    return detail::product_of(a, b);
  }
};

/// C(i, j) = min over k of A(i, k) + B(k, j): shortest paths. zero = +infinity.
struct min_plus : detail::tropical<+1> {};

/// C(i, j) = max over k of A(i, k) + B(k, j): longest and most probable paths. zero = -infinity.
struct max_plus : detail::tropical<-1> {};

/// C(i, j) = 1 if any k has A(i, k) and B(k, j) both non-zero, else 0: reachability. zero = 0.
struct or_and {
  template <class T>
  XPOSE_HOST_DEVICE static constexpr T zero() {
    return T(0);
  }
  template <class T>
  XPOSE_HOST_DEVICE constexpr T add(T a, T b) const {
    return T(a != T(0) || b != T(0));
  }
  template <class T>
  XPOSE_HOST_DEVICE constexpr T multiply(T a, T b) const {
    return T(a != T(0) && b != T(0));
  }
};

namespace detail {

/// Semirings as the compiled library numbers them; `user` is everything it does not know.
enum class semiring_id : int { plus_times, min_plus, max_plus, or_and, user };

template <class Semiring>
constexpr semiring_id semiring_id_of() {
  if (std::is_same_v<Semiring, plus_times>) return semiring_id::plus_times;
  if (std::is_same_v<Semiring, min_plus>) return semiring_id::min_plus;
  if (std::is_same_v<Semiring, max_plus>) return semiring_id::max_plus;
  if (std::is_same_v<Semiring, or_and>) return semiring_id::or_and;
  return semiring_id::user;
}

template <class Semiring, class T, class = void>
struct has_typed_zero : std::false_type {};
template <class Semiring, class T>
struct has_typed_zero<Semiring, T,
                      std::void_t<decltype(std::declval<Semiring const&>().template zero<T>())>>
    : std::true_type {};

XPOSE_CALLS_USER_CODE
template <class T, class Semiring>
XPOSE_HOST_DEVICE constexpr T zero_of(Semiring const& semiring) {
  if constexpr (has_typed_zero<Semiring, T>::value) return semiring.template zero<T>();
  else return static_cast<T>(semiring.zero());
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
