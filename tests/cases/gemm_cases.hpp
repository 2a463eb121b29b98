// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The shapes of gemm, and the exact check against
// plain loops.
#pragma once

#include "cases.hpp"
#include "matrix.hpp"
#include "support/backends.hpp"

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <cstdint>

namespace gemm_cases {

using cases::index;

struct gemm_shape {
  index rows, cols, depth;
};

/// Around the tiles of 16, 64, 128 and 256, primes, thin in each direction, empty in each.
inline std::vector<gemm_shape> shapes() {
  return {{0, 3, 4},     {3, 0, 4},     {3, 4, 0},    {1, 1, 1},      {1, 7, 3},
          {7, 1, 3},     {2, 3, 1},     {4, 5, 6},    {15, 17, 16},   {16, 33, 15},
          {63, 65, 17},  {64, 128, 16}, {65, 129, 1}, {127, 63, 257}, {101, 67, 31},
          {1, 300, 256}, {300, 1, 64},  {5, 3, 1025}, {129, 131, 33}, {64, 64, 48}};
}

template <class T>
struct is_complex : std::false_type {};
template <class R>
struct is_complex<std::complex<R>> : std::true_type {};

/// Small integers, different in neighbouring cells, so that every sum is exact in every type.
template <class T>
T small_integer(index b, index i, index j, int salt) {
  auto const part = [=](int more) {
    auto const hash =
        static_cast<std::uint64_t>(b * 131 + i * 31 + j * 17 + salt + more) * 0x9E3779B97F4A7C15u;
    int const value = static_cast<int>(hash >> 61);  // 0 .. 7
    return std::is_unsigned_v<T> ? value : value - 3;
  };
  if constexpr (is_complex<T>::value)
    return T(static_cast<typename T::value_type>(part(0)),
             static_cast<typename T::value_type>(part(1000)));
  else if constexpr (std::is_integral_v<T>) return static_cast<T>(part(0));
  else return T(static_cast<float>(part(0)));
}

template <class T>
T conjugate_if(bool is_conjugated, T const& x) {
  if constexpr (is_complex<T>::value) return is_conjugated ? std::conj(x) : x;
  else return x;
}

struct gemm_case {
  index rows = 0, cols = 0, depth = 0, batch = 1;
  cases::pattern a = cases::pattern::row_major, b = cases::pattern::row_major,
                 c = cases::pattern::row_major;
  int alpha = 1, beta = 0;
  bool conjugate_a = false, conjugate_b = false, b_is_single = false;
};

template <class Types>
void check_exact(backend const& on, gemm_case const& g) {
  using In = typename Types::input;
  using Out = typename Types::output;
  using K = typename Types::accumulate;
  CAPTURE(on.name);
  CAPTURE(g.rows);
  CAPTURE(g.cols);
  CAPTURE(g.depth);
  CAPTURE(g.batch);
  CAPTURE(g.alpha);
  CAPTURE(g.beta);
  CAPTURE(static_cast<int>(g.a));
  CAPTURE(static_cast<int>(g.b));
  CAPTURE(static_cast<int>(g.c));
  // A repeated row makes the same sums a thousand times; the depth stays below what float16 can
  // count exactly.
  matrix<In> a(on.where, g.rows, g.depth, g.a, g.batch);
  matrix<In> b(on.where, g.depth, g.cols, g.b, g.b_is_single ? 1 : g.batch);
  matrix<Out> c(on.where, g.rows, g.cols, g.c, g.batch);
  a.fill([](index m, index i, index j) { return small_integer<In>(m, i, j, 1); });
  b.fill([](index m, index i, index j) { return small_integer<In>(m, i, j, 2); });
  c.fill([](index m, index i, index j) { return small_integer<Out>(m, i, j, 3); });

  K const alpha = static_cast<K>(static_cast<float>(g.alpha));
  K const beta = static_cast<K>(static_cast<float>(g.beta));
  auto const run = [&](auto const& a_view, auto const& b_view, auto const& c_view) {
    bool const plain = g.alpha == 1 && g.beta == 0;
    if (g.conjugate_a && g.conjugate_b)
      xpose::gemm(on.policy, alpha, conjugated(a_view), conjugated(b_view), beta, c_view);
    else if (g.conjugate_a) xpose::gemm(on.policy, alpha, conjugated(a_view), b_view, beta, c_view);
    else if (g.conjugate_b) xpose::gemm(on.policy, alpha, a_view, conjugated(b_view), beta, c_view);
    else if (plain) xpose::gemm(on.policy, a_view, b_view, c_view);
    else xpose::gemm(on.policy, alpha, a_view, b_view, beta, c_view);
  };
  if (g.batch == 1) run(a.there(), b.there(), c.there());
  else if (g.b_is_single) run(a.batch_there(), b.there(), c.batch_there());
  else run(a.batch_there(), b.batch_there(), c.batch_there());

  auto const a_here = a.batch_here();
  auto const b_here = b.batch_here();
  bool const is_right = c.holds([&](index m, index i, index j) {
    K sum{};
    for (index k = 0; k < g.depth; ++k)
      sum += static_cast<K>(conjugate_if(g.conjugate_a, a_here[m](i, k))) *
             static_cast<K>(conjugate_if(g.conjugate_b, b_here[g.b_is_single ? 0 : m](k, j)));
    // BLAS's rules for 0, which the sign of a zero shows.
    K const scaled = g.alpha == 0 ? K{} : alpha * sum;
    return g.beta == 0 ? scaled : scaled + beta * static_cast<K>(small_integer<Out>(m, i, j, 3));
  });
  CHECK(is_right);
  CHECK(a.is_untouched());
  CHECK(b.is_untouched());
}

template <class T, class Semiring>
void check_semiring(backend const& on, Semiring const& semiring) {
  for (auto const& shape : shapes()) {
    CAPTURE(on.name);
    CAPTURE(shape.rows);
    CAPTURE(shape.cols);
    CAPTURE(shape.depth);
    matrix<T> a(on.where, shape.rows, shape.depth, cases::pattern::padded_cols);
    matrix<T> b(on.where, shape.depth, shape.cols, cases::pattern::row_major);
    matrix<T> c(on.where, shape.rows, shape.cols, cases::pattern::padded_rows);
    a.fill([](index m, index i, index j) { return small_integer<T>(m, i, j, 1); });
    b.fill([](index m, index i, index j) { return small_integer<T>(m, i, j, 2); });
    xpose::gemm(on.policy, a.there(), b.there(), c.there(), xpose::options().over(semiring));
    bool const is_right = c.holds([&](index, index i, index j) {
      T best = Semiring::template zero<T>();
      for (index k = 0; k < shape.depth; ++k)
        best = semiring.add(best, semiring.multiply(a.here()(i, k), b.here()(k, j)));
      return best;
    });
    CHECK(is_right);
  }
}

}  // namespace gemm_cases
