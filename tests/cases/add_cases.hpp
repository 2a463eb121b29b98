// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A call of add, and the exact check against plain loops.
#pragma once

#include "gemm_cases.hpp"

#include <doctest/doctest.h>

namespace add_cases {

using cases::index;
using cases::pattern;
using gemm_cases::conjugate_if;
using gemm_cases::small_integer;

/// What add calculates in, written down again: real numbers of one and two bytes in float.
template <class T>
using compute = std::conditional_t<sizeof(T) <= 2 && !std::is_integral_v<T>, float, T>;

template <class T>
T expected_sum(int alpha, T const& x, int beta, T const& y) {
  if constexpr (std::is_integral_v<T>) {
    auto const wide = [](auto value) { return static_cast<std::uint64_t>(value); };
    return static_cast<T>(wide(alpha) * wide(x) + wide(beta) * wide(y));
  } else {
    using K = compute<T>;
    auto const scalar = [](int value) { return static_cast<K>(static_cast<float>(value)); };
    K const of_x = alpha == 1 ? static_cast<K>(x) : scalar(alpha) * static_cast<K>(x);
    K const of_y = beta == 1 ? static_cast<K>(y) : scalar(beta) * static_cast<K>(y);
    // A term of zero is not there, which the sign of a zero shows.
    return static_cast<T>(alpha == 0 ? beta == 0 ? K{} : of_y : beta == 0 ? of_x : of_x + of_y);
  }
}

struct add_case {
  index rows = 0, cols = 0, batch = 1;
  pattern a = pattern::row_major, b = pattern::row_major, c = pattern::row_major;
  int alpha = 2, beta = -1;
  bool transpose_a = false, conjugate_a = false, conjugate_b = false, a_is_single = false;
};

template <class T>
void check_add(backend const& on, add_case const& g) {
  CAPTURE(on.name);
  CAPTURE(g.rows);
  CAPTURE(g.cols);
  CAPTURE(g.batch);
  CAPTURE(g.alpha);
  CAPTURE(g.beta);
  CAPTURE(static_cast<int>(g.a));
  CAPTURE(static_cast<int>(g.b));
  CAPTURE(static_cast<int>(g.c));
  matrix<T> a(on.where, g.transpose_a ? g.cols : g.rows, g.transpose_a ? g.rows : g.cols, g.a,
              g.a_is_single ? 1 : g.batch);
  matrix<T> b(on.where, g.rows, g.cols, g.b, g.batch);
  matrix<T> c(on.where, g.rows, g.cols, g.c, g.batch);
  a.fill([](index m, index i, index j) { return small_integer<T>(m, i, j, 1); });
  b.fill([](index m, index i, index j) { return small_integer<T>(m, i, j, 2); });

  constexpr bool is_built_in =
      xpose::detail::element_type_of<T>() != xpose::detail::element_type::other;
  auto const add = [&](auto const& x, auto const& y, auto const& z) {
    if constexpr (!is_built_in) xpose::add(on.policy, g.alpha, x, g.beta, y, z);
    else if (g.conjugate_a && g.conjugate_b)
      xpose::add(on.policy, g.alpha, conjugated(x), g.beta, conjugated(y), z);
    else if (g.conjugate_a) xpose::add(on.policy, g.alpha, conjugated(x), g.beta, y, z);
    else if (g.conjugate_b) xpose::add(on.policy, g.alpha, x, g.beta, conjugated(y), z);
    else xpose::add(on.policy, g.alpha, x, g.beta, y, z);
  };
  auto const op = [&](auto const& x) { return g.transpose_a ? x.transposed() : x; };
  if (g.batch == 1) add(op(a.there()), b.there(), c.there());
  else if (g.a_is_single) add(op(a.there()), b.batch_there(), c.batch_there());
  else add(op(a.batch_there()), b.batch_there(), c.batch_there());

  auto const a_here = a.batch_here();
  auto const b_here = b.batch_here();
  bool const is_right = c.holds([&](index m, index i, index j) {
    auto const of_a = a_here[g.a_is_single ? 0 : m];
    T const x = g.transpose_a ? of_a(j, i) : of_a(i, j);
    return expected_sum<T>(g.alpha, conjugate_if(g.conjugate_a, x), g.beta,
                           conjugate_if(g.conjugate_b, b_here[m](i, j)));
  });
  CHECK(is_right);
  CHECK(a.is_untouched());
  CHECK(b.is_untouched());
}

/// A number of any size, which adds and multiplies byte by byte.
template <int Bytes>
struct byte_number {
  byte_number() = default;
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  explicit byte_number(Number value) {
    for (int i = 0; i < Bytes; ++i)
      bytes[i] = static_cast<unsigned char>(static_cast<int>(value) * (2 * i + 1));
  }
  friend bool operator==(byte_number const& x, byte_number const& y) {
    return std::memcmp(x.bytes, y.bytes, Bytes) == 0;
  }
  friend byte_number operator+(byte_number x, byte_number const& y) {
    for (int i = 0; i < Bytes; ++i)
      x.bytes[i] = static_cast<unsigned char>(x.bytes[i] + y.bytes[i]);
    return x;
  }
  friend byte_number operator*(byte_number x, byte_number const& y) {
    for (int i = 0; i < Bytes; ++i)
      x.bytes[i] = static_cast<unsigned char>(x.bytes[i] * y.bytes[i]);
    return x;
  }
  unsigned char bytes[Bytes];
};

}  // namespace add_cases
