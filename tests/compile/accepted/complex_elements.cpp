// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose.hpp knows std::complex without including <complex>, whichever comes first, what is like it
// (cuda::std::complex), and takes nothing else for it.

#include <xpose/xpose.hpp>

#include <complex>

using xpose::detail::complex_value;
using xpose::detail::element_type;
using xpose::detail::element_type_of;
using xpose::detail::kernel_type_t;

static_assert(std::is_same_v<kernel_type_t<std::complex<float>>, complex_value<float>>);
static_assert(std::is_same_v<kernel_type_t<std::complex<float> const>, complex_value<float>>);
static_assert(std::is_same_v<kernel_type_t<std::complex<long double>>, complex_value<long double>>);
static_assert(element_type_of<std::complex<float>>() == element_type::complex_f32);
static_assert(element_type_of<std::complex<double>>() == element_type::complex_f64);

namespace user {
template <class T>
struct complex {
  using value_type = T;
  T real() const { return re; }
  T imag() const { return im; }
  T re, im;
};
template <class T>
complex<T> proj(complex<T> const& x);
template <class T>
struct interval {  // two numbers, but no complex one
  using value_type = T;
  T real() const { return low; }
  T imag() const { return high; }
  T low, high;
};
template <class T>
struct padded {  // with a function of that name, but of another size
  using value_type = T;
  T imag() const { return {}; }
  T a, b, c;
};
template <class T>
padded<T> proj(padded<T> const& x);
}  // namespace user
static_assert(element_type_of<user::complex<float>>() == element_type::complex_f32);
static_assert(element_type_of<user::interval<float>>() == element_type::other);
static_assert(element_type_of<user::padded<float>>() == element_type::other);
