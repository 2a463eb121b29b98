// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Named element functions. The compiled library knows them, so they work on every backend from a
// plain .cpp.
#pragma once

#include <xpose/detail/element_type.hpp>

namespace xpose {
inline namespace v0 {

/// x -> x, bit for bit.
struct identity {
  template <class T>
  XPOSE_HOST_DEVICE constexpr T operator()(T const& x) const {
    return x;
  }
};

/// x -> its complex conjugate; the identity for real types. A user type brings
/// scalar_traits<T>::conj.
struct conjugate {
  template <class T>
  XPOSE_HOST_DEVICE T operator()(T const& x) const {
    using K = detail::kernel_type_t<T>;
    if constexpr (std::is_same_v<K, T>) return scalar_traits<T>::conj(x);
    else return detail::bits_as<T>(scalar_traits<K>::conj(detail::bits_as<K>(x)));
  }
};

/// x -> To(x), as static_cast does it. To float16, bfloat16 and the float8s: rounded to nearest
/// even, through float.
template <class To>
struct cast {
  XPOSE_CALLS_USER_CODE
  template <class From>
  XPOSE_HOST_DEVICE To operator()(From const& x) const {
    using K = detail::kernel_type_t<To>;
    constexpr bool to_short = detail::is_short_real<To>;
    constexpr bool from_short = detail::is_short_real<From>;
    if constexpr (!std::is_same_v<K, To>) return detail::bits_as<To>(cast<K>{}(x));
    else if constexpr (!std::is_same_v<detail::kernel_type_t<From>, From>)
      return static_cast<To>(detail::as_kernel_value(x));
    else if constexpr ((std::is_arithmetic_v<From> && to_short) ||
                       (std::is_arithmetic_v<To> && from_short))
      return static_cast<To>(static_cast<float>(x));
    else return static_cast<To>(x);
  }
};

namespace detail {

/// Element functions as the compiled library numbers them; `user` is everything it does not know.
enum class element_function : int { copy_bits, conjugate, cast, user };

constexpr bool is_complex_type(element_type t) {
  return t == element_type::complex_f32 || t == element_type::complex_f64;
}
constexpr bool is_float8_type(element_type t) {
  return t == element_type::e4m3 || t == element_type::e5m2;
}
/// Whether the library has the cast: among real and among complex numbers, with a float8 to and
/// from float and the two-byte floats.
constexpr bool is_compiled_cast(element_type to, element_type from) {
  if (to == element_type::other || from == element_type::other ||
      is_complex_type(to) != is_complex_type(from))
    return false;
  if (!is_float8_type(to) && !is_float8_type(from)) return true;
  element_type const other = is_float8_type(to) ? from : to;
  return other == element_type::f16 || other == element_type::bf16 || other == element_type::f32;
}

template <class F>
struct is_cast : std::false_type {};
template <class To>
struct is_cast<cast<To>> : std::true_type {
  using type = To;
};

/// Which compiled function F is between these element types.
template <class F, class In, class Out>
constexpr element_function classify_function() {
  constexpr element_type in = element_type_of<In>();
  constexpr bool same =
      std::is_same_v<In, Out> || (in != element_type::other && in == element_type_of<Out>());
  if constexpr (std::is_same_v<F, identity>) {
    return same ? element_function::copy_bits : element_function::user;
  } else if constexpr (std::is_same_v<F, conjugate>) {
    if (!same || in == element_type::other) return element_function::user;
    return is_complex_type(in) ? element_function::conjugate : element_function::copy_bits;
  } else if constexpr (is_cast<F>::value) {
    using To = typename is_cast<F>::type;
    if (!std::is_same_v<To, Out>) return element_function::user;
    if (same) return element_function::copy_bits;
    return is_compiled_cast(element_type_of<To>(), in) ? element_function::cast
                                                       : element_function::user;
  } else {
    return element_function::user;
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
