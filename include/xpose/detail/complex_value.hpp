// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The complex type of kernels: the layout of std::complex, trivially constructible, usable on a
// GPU.
#pragma once

#include <xpose/traits.hpp>

#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {

/// may_alias: in a user's translation unit it reads memory that holds std::complex objects.
template <class Real>
struct [[gnu::may_alias]] complex_value {
  Real re;
  Real im;

  complex_value() = default;
  XPOSE_HOST_DEVICE constexpr complex_value(Real real, Real imaginary) noexcept
      : re(real), im(imaginary) {}
  template <class Other, class = std::enable_if_t<std::is_convertible_v<Other, Real>>>
  XPOSE_HOST_DEVICE explicit constexpr complex_value(Other const& real) noexcept
      : re(static_cast<Real>(real)), im(Real(0)) {}
  template <class Other>
  XPOSE_HOST_DEVICE explicit constexpr complex_value(complex_value<Other> const& other) noexcept
      : re(static_cast<Real>(other.re)), im(static_cast<Real>(other.im)) {}

  XPOSE_HOST_DEVICE friend constexpr complex_value operator+(complex_value a,
                                                             complex_value b) noexcept {
    return {a.re + b.re, a.im + b.im};
  }
  // The textbook product, as in BLAS. Repairing infinities (annex G of C) would cost a call per
  // element.
  XPOSE_HOST_DEVICE friend constexpr complex_value operator*(complex_value a,
                                                             complex_value b) noexcept {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  XPOSE_HOST_DEVICE friend constexpr bool operator==(complex_value a, complex_value b) noexcept {
    return a.re == b.re && a.im == b.im;
  }
};

// std::complex is recognised by its members, not by its name: <complex> includes the streams and
// would be two fifths of the compile time of xpose.hpp. Whoever has such elements has included it.
template <class T, class Real, class = void>
struct is_complex : std::false_type {};
template <class T, class Real>
struct is_complex<
    T, Real,
    std::enable_if_t<sizeof(T) == 2 * sizeof(Real) &&
                     std::is_same_v<typename T::value_type, Real> &&
                     std::is_same_v<decltype(std::declval<T const&>().imag()), Real> &&
                     std::is_same_v<decltype(proj(std::declval<T const&>())), T>>>
    : std::true_type {};

/// The type that kernels use for element type T: complex_value for complex numbers, otherwise T
/// itself. thrust.hpp adds thrust::complex.
template <class T>
struct kernel_type {
  using type = T;
};
template <template <class> class Complex, class Real>
struct kernel_type<Complex<Real>> {
  using type = std::conditional_t<is_complex<Complex<Real>, Real>::value, complex_value<Real>,
                                  Complex<Real>>;
};
template <class T>
using kernel_type_t = typename kernel_type<std::remove_cv_t<T>>::type;

template <class T>
XPOSE_HOST_DEVICE kernel_type_t<T> as_kernel_value(T const& x) {
  if constexpr (std::is_same_v<kernel_type_t<T>, T>) return x;
  else return bits_as<kernel_type_t<T>>(x);
}

}  // namespace detail

template <class Real>
struct scalar_traits<detail::complex_value<Real>> {
  XPOSE_HOST_DEVICE static constexpr detail::complex_value<Real> zero() {
    return {Real(0), Real(0)};
  }
  XPOSE_HOST_DEVICE static constexpr detail::complex_value<Real> conj(
      detail::complex_value<Real> x) {
    return {x.re, -x.im};
  }
};

}  // namespace v0
}  // namespace xpose
