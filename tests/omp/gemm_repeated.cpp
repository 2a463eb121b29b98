// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Small products on omp that differ from those before them in memory and scalars alone: these are
// multiplied by what the thread knows of the others, so each must have its own sums, and be refused
// where it breaks a rule.

#include "support/general_driver.hpp"

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <thread>
#include <type_traits>
#include <vector>

TEST_SUITE_BEGIN("omp.gemm");

namespace {

using xpose::index;
using xpose::strided;

/// Small integers, so that sums are exact.
template <class T>
std::vector<T> numbers(index count, int seed) {
  auto const number = [&](std::size_t i) {
    return static_cast<float>((static_cast<int>(i) * 7 + seed * 13) % 11 - 5);
  };
  std::vector<T> all(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if constexpr (std::is_floating_point_v<T>) all[i] = T(number(i));
    else all[i] = T(number(i), number(3 * i + 1));
  }
  return all;
}

/// m x n with gaps behind its rows, or columns.
strided steps_of(bool by_columns, index rows, index cols) {
  return by_columns ? strided{1, rows + 2} : strided{cols + 1, 1};
}
index elements_of(bool by_columns, index rows, index cols) {
  return by_columns ? cols * (rows + 2) : rows * (cols + 1);
}

template <class T>
struct product {
  product(index rows, index cols, index k_extent, int layout, int seed)
      : m(rows),
        n(cols),
        k(k_extent),
        a_by_columns((layout & 1) != 0),
        b_by_columns((layout & 2) != 0),
        c_by_columns((layout & 4) != 0),
        a(numbers<T>(elements_of(a_by_columns, m, k), seed)),
        b(numbers<T>(elements_of(b_by_columns, k, n), seed + 1)),
        c(numbers<T>(elements_of(c_by_columns, m, n), seed + 2)) {}

  template <class Policy>
  std::vector<T> run(Policy const& policy, T alpha, T beta, bool conjugates = false) const {
    std::vector<T> out = c;
    xpose::matrix_view<T const> const of_a(a.data(), m, k, steps_of(a_by_columns, m, k));
    xpose::matrix_view<T const> const of_b(b.data(), k, n, steps_of(b_by_columns, k, n));
    xpose::matrix_view<T> const to(out.data(), m, n, steps_of(c_by_columns, m, n));
    if (conjugates) xpose::gemm(policy, alpha, xpose::conjugated(of_a), of_b, beta, to);
    else xpose::gemm(policy, alpha, of_a, of_b, beta, to);
    return out;
  }

  /// The same from further down the stack, where the call's scalars have other addresses.
  [[gnu::noinline]] std::vector<T> run_below(T alpha, T beta, bool conjugates) const {
    char volatile room[1000];
    room[0] = 1;
    std::vector<T> const out = run(xpose::omp, alpha, beta, conjugates);
    room[1] = room[0];
    return out;
  }

  index m, n, k;
  bool a_by_columns, b_by_columns, c_by_columns;
  std::vector<T> a, b, c;
};

template <class T>
void check_repetitions() {
  struct {
    index m, n, k;
  } const shapes[] = {{4, 4, 4}, {2, 7, 34}, {33, 3, 7}, {17, 31, 9}, {1, 5, 6}, {40, 41, 42}};
  for (auto const& s : shapes)
    for (int layout = 0; layout < 8; ++layout) {
      CAPTURE(s.m);
      CAPTURE(s.n);
      CAPTURE(layout);
      int seed = 0;
      for (bool const conjugates : {false, true})
        for (T const alpha : {T(1), T(1), T(2), T(-3), T(0), T(1)})
          for (T const beta : {T(0), T(0), T(1), T(2), T(0)}) {
            product<T> const p(s.m, s.n, s.k, layout, ++seed);
            auto const expected = p.run(xpose::reference, alpha, beta, conjugates);
            REQUIRE(p.run(xpose::omp, alpha, beta, conjugates) == expected);
            REQUIRE(p.run_below(alpha, beta, conjugates) == expected);
          }
    }
}

}  // namespace

TEST_CASE("a small product that repeats the layouts of another has sums of its own") {
  check_repetitions<float>();
  check_repetitions<double>();
  check_repetitions<std::complex<float>>();
  check_repetitions<std::complex<double>>();
}

TEST_CASE("a square of one matrix says nothing of products of two") {
  using view = xpose::matrix_view<double const>;
  for (bool const by_columns : {false, true})
    for (bool const c_by_columns : {false, true}) {
      CAPTURE(by_columns);
      auto const steps = steps_of(by_columns, 9, 9);
      auto const a = numbers<double>(elements_of(by_columns, 9, 9), 1),
                 b = numbers<double>(elements_of(by_columns, 9, 9), 2);
      for (auto const* const second : {&a, &b}) {
        std::vector<double> c(200), expected(200);
        view const of_a(a.data(), 9, 9, steps), of_b(second->data(), 9, 9, steps);
        auto const to = [&](std::vector<double>& data) {
          return xpose::matrix_view<double>(data.data(), 9, 9, steps_of(c_by_columns, 9, 9));
        };
        xpose::gemm(xpose::omp, of_a, of_b, to(c));
        xpose::gemm(xpose::reference, of_a, of_b, to(expected));
        CHECK(c == expected);
      }
    }
}

TEST_CASE("what breaks a rule is refused behind a product of its shape that breaks none") {
  constexpr xpose::index n = 6;
  std::vector<float> memory = numbers<float>(4 * n * n, 3);
  auto const before = memory;
  using view = xpose::matrix_view<float const>;
  auto const multiply_into = [&](float* to) {
    xpose::gemm(xpose::omp, view(memory.data(), n, n), view(memory.data() + n * n, n, n),
                xpose::matrix_view<float>(to, n, n));
  };
  std::vector<float> apart(n * n);
  for (int repetition = 0; repetition < 3; ++repetition) {
    multiply_into(apart.data());
    CHECK_THROWS_AS(multiply_into(memory.data()), xpose::alias_error);
    CHECK_THROWS_AS(multiply_into(memory.data() + n * n - 1), xpose::alias_error);
    CHECK_THROWS_AS(multiply_into(memory.data() + 2 * n * n - 1), xpose::alias_error);
    auto* const unaligned =
        reinterpret_cast<float*>(reinterpret_cast<char*>(memory.data() + 3 * n * n - 2) + 2);
    CHECK_THROWS_AS(multiply_into(unaligned), xpose::layout_error);
    CHECK_THROWS_AS(
        xpose::gemm(xpose::omp, view(memory.data(), n, n), view(memory.data() + n * n, n - 1, n),
                    xpose::matrix_view<float>(apart.data(), n, n)),
        xpose::shape_error);
    CHECK(memory == before);
  }
  multiply_into(memory.data() + 2 * n * n);
  CHECK(std::vector<float>(memory.begin() + 2 * n * n, memory.begin() + 3 * n * n) == apart);
}

TEST_CASE("seq, omp and another thread have the sums of a known product") {
  product<float> const p(5, 6, 7, 0, 1);
  auto const expected = p.run(xpose::reference, 1.f, 0.f);
  for (int repetition = 0; repetition < 3; ++repetition) {
    CHECK(p.run(xpose::omp, 1.f, 0.f) == expected);
    CHECK(p.run(xpose::seq, 1.f, 0.f) == expected);
  }
  std::vector<float> elsewhere;
  std::thread([&] { elsewhere = p.run(xpose::omp, 1.f, 0.f); }).join();
  CHECK(elsewhere == expected);
}

TEST_CASE("complex numbers that need more alignment are refused where those before needed less") {
  // As std::complex and thrust::complex: one element type of two alignments.
  using T = std::complex<float>;
  constexpr xpose::index n = 5;
  alignas(8) unsigned char memory[3 * n * n * sizeof(T) + 8];
  auto const at = [&](xpose::index number, int alignment) {
    T* const data = reinterpret_cast<T*>(memory + 4) + number * n * n;
    for (xpose::index i = 0; i < n * n; ++i) data[i] = T(1.f, 2.f);
    auto o = xpose::detail::view_traits<xpose::matrix_view<T>>::make({data, n, n});
    o.alignment = alignment;
    return o;
  };
  xpose::detail::execution where{};
  where.backend = xpose::detail::backend_id::omp;
  for (int const alignment : {4, 8}) {
    xpose::detail::gemm_request r{};
    r.a = at(0, 4);
    r.b = at(1, alignment);
    r.c = at(2, 4);
    r.accumulate = r.c.type;
    r.semiring = xpose::detail::semiring_id::plus_times;
    r.alpha_is_one = r.beta_is_zero = true;
    for (int repetition = 0; repetition < 3; ++repetition)
      if (alignment == 4) CHECK_NOTHROW(xpose::detail::run_gemm(where, r));
      else CHECK_THROWS_AS(xpose::detail::run_gemm(where, r), xpose::layout_error);
  }
}

TEST_CASE("a known product has the bits of the driver that is asked for") {
  // Sums by dots are rounded otherwise than the general driver's, where there are dots.
  product<float> p(2, 7, 34, 2, 1);
  for (float& x : p.a) x /= 3;
  for (float& x : p.b) x /= 7;
  auto const by_general_driver = [&] {
    general_driver_only const scope;
    return p.run(xpose::omp, 1.f, 0.f);
  };
  auto const general = by_general_driver();
  auto const small = p.run(xpose::omp, 1.f, 0.f);
  CHECK(p.run(xpose::omp, 1.f, 0.f) == small);
  CHECK(by_general_driver() == general);
  CHECK(p.run(xpose::omp, 1.f, 0.f) == small);
}

TEST_SUITE_END();
