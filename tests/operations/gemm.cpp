// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm with the compiled types, on every backend: exact with small integers, bounded with random
// reals.

#include "cases/gemm_cases.hpp"
#include "support/small_tests.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

TEST_SUITE_BEGIN("gemm");

namespace {

using namespace gemm_cases;
using gemm_cases::index;  // not strings.h's

template <class T>
struct types {
  using input = T;
  using output = T;
  using accumulate = T;
};
template <class In, class Out, class Accumulate>
struct mixed_types {
  using input = In;
  using output = Out;
  using accumulate = Accumulate;
};

/// All shapes, a rotating choice of layouts, alpha and beta.
template <class Types>
void check_shapes(backend const& on) {
  int turn = 0;
  for (auto const& shape : shapes())
    for (int repeat = 0; repeat < 3; ++repeat, ++turn) {
      gemm_case c;
      c.rows = shape.rows;
      c.cols = shape.cols;
      c.depth = shape.depth;
      c.a = cases::input_patterns[turn % 9];
      c.b = cases::input_patterns[(turn / 2 + 1) % 9];
      c.c = cases::output_patterns[(turn / 3) % 8];
      c.alpha = turn % 4 == 0 ? 1 : turn % 4 == 1 ? -2 : turn % 4 == 2 ? 3 : 0;
      c.beta = turn % 3 == 0 ? 0 : turn % 3 == 1 ? 1 : -1;
      c.conjugate_a = turn % 5 == 1;
      c.conjugate_b = turn % 7 == 2;
      if (!is_left_out()) check_exact<Types>(on, c);
    }
}

template <class Types>
void check_batches(backend const& on) {
  for (index const batch : {0, 3, 130}) {
    gemm_case c;
    c.rows = 17;
    c.cols = 9;
    c.depth = 5;
    c.batch = batch;
    c.a = cases::pattern::padded_cols;
    c.alpha = 2;
    c.beta = 1;
    check_exact<Types>(on, c);
    c.b_is_single = true;
    check_exact<Types>(on, c);
  }
}

TEST_CASE_TEMPLATE("gemm of float is exact for integers in every shape, layout, alpha and beta",
                   Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  check_shapes<types<float>>(on);
  check_batches<types<float>>(on);
}

TEST_CASE_TEMPLATE("gemm of double is exact for integers in every shape, layout, alpha and beta",
                   Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  check_shapes<types<double>>(on);
  check_batches<types<double>>(on);
}

TEST_CASE_TEMPLATE("gemm of complex numbers is exact for integers, conjugated operands included",
                   Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  check_shapes<types<std::complex<float>>>(on);
  check_shapes<types<std::complex<double>>>(on);
  check_batches<types<std::complex<float>>>(on);
}

TEST_CASE_TEMPLATE("gemm of float16 and bfloat16 accumulates in float, to either output", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  check_shapes<mixed_types<xpose::float16, float, float>>(on);
  check_shapes<mixed_types<xpose::bfloat16, float, float>>(on);
  check_shapes<mixed_types<xpose::float16, xpose::float16, float>>(on);
  check_shapes<mixed_types<xpose::bfloat16, xpose::bfloat16, float>>(on);
}

template <class A, class B>
void check_two_float8s(backend const& on) {
  constexpr index rows = 37, cols = 65, depth = 130;
  matrix<A> a(on.where, rows, depth, cases::pattern::odd_offset);
  matrix<B> b(on.where, depth, cols, cases::pattern::padded_cols);
  matrix<float> c(on.where, rows, cols, cases::pattern::padded_rows);
  a.fill([](index, index i, index j) { return small_integer<A>(0, i, j, 1); });
  b.fill([](index, index i, index j) { return small_integer<B>(0, i, j, 2); });
  xpose::gemm(on.policy, a.there(), b.there(), c.there());
  CHECK(c.holds([](index, index i, index j) {
    float sum = 0;
    for (index k = 0; k < depth; ++k)
      sum += static_cast<float>(small_integer<A>(0, i, k, 1)) *
             static_cast<float>(small_integer<B>(0, k, j, 2));
    return sum;
  }));
}

TEST_CASE_TEMPLATE("gemm of the float8s, alike or not, accumulates in float", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  using e4m3 = xpose::float8_e4m3;
  using e5m2 = xpose::float8_e5m2;
  check_shapes<mixed_types<e4m3, float, float>>(on);
  check_shapes<mixed_types<e4m3, xpose::bfloat16, float>>(on);
  check_shapes<mixed_types<e5m2, float, float>>(on);
  check_batches<mixed_types<e4m3, float, float>>(on);
  check_two_float8s<e4m3, e5m2>(on);
  check_two_float8s<e5m2, e4m3>(on);
}

template <class Policy>
void check_precision_changes_nothing(Policy const& policy) {
  matrix<float> a(place::host, 70, 90,
                  [](index i, index j) { return std::sin(float(i * 91 + j)); });
  matrix<float> b(place::host, 90, 50,
                  [](index i, index j) { return std::cos(float(i * 51 + j)); });
  matrix<float> plain(place::host, 70, 50, cases::pattern::row_major);
  xpose::gemm(policy, a.there(), b.there(), plain.there());
  plain.fetch();
  CHECK(std::fabs(plain.here()(69, 49)) < 90);
  for (auto const precision : {xpose::fast_f32, xpose::tf32, xpose::three_products}) {
    matrix<float> c(place::host, 70, 50, cases::pattern::row_major);
    xpose::gemm(policy, a.there(), b.there(), c.there(), xpose::options().precision(precision));
    CHECK(c.is([&](index i, index j) { return plain.here()(i, j); }));
  }
}

TEST_CASE("precision() changes nothing on the host, and keeps the other options") {
  check_precision_changes_nothing(xpose::omp);
  check_precision_changes_nothing(xpose::seq);
  check_precision_changes_nothing(xpose::reference);
  constexpr auto all = xpose::options()
                           .precision(xpose::fast_f32)
                           .accumulate<double>()
                           .epilogue(xpose::identity{})
                           .over(xpose::min_plus{});
  static_assert(all.precision() == xpose::gemm_precision::fast_f32);
  static_assert(std::is_same_v<decltype(all)::accumulate_type, double>);
}

TEST_CASE_TEMPLATE("gemm of integers is exact, 1-byte inputs to 32 bits", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  check_shapes<mixed_types<std::int8_t, std::int32_t, std::int32_t>>(on);
  check_shapes<mixed_types<std::uint8_t, std::int32_t, std::int32_t>>(on);
  check_shapes<types<std::int32_t>>(on);
  check_shapes<types<std::int64_t>>(on);
}

TEST_CASE_TEMPLATE("gemm over a semiring is min-plus, max-plus or or-and", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  check_semiring<float>(on, xpose::min_plus{});
  check_semiring<double>(on, xpose::min_plus{});
  check_semiring<std::int32_t>(on, xpose::min_plus{});
  check_semiring<std::int64_t>(on, xpose::max_plus{});
  check_semiring<float>(on, xpose::max_plus{});
  check_semiring<std::uint8_t>(on, xpose::or_and{});
}

/// |C - exact| <= gamma_k |A||B| with gamma_k = k u / (1 - k u), in the accumulate type.
template <class T>
void check_error_bound(backend const& on, index rows, index cols, index depth) {
  matrix<T> a(on.where, rows, depth, cases::pattern::row_major);
  matrix<T> b(on.where, depth, cols, cases::pattern::col_major);
  matrix<T> c(on.where, rows, cols, cases::pattern::padded_rows);
  std::uint64_t state = 1;
  auto const random = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(static_cast<std::int64_t>(state)) * 0x1p-63;
  };
  a.fill([&](index, index, index) { return static_cast<T>(random()); });
  b.fill([&](index, index, index) { return static_cast<T>(random()); });
  xpose::gemm(on.policy, a.there(), b.there(), c.there());
  c.fetch();
  double const unit = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  double const gamma = static_cast<double>(depth) * unit / (1 - static_cast<double>(depth) * unit);
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < cols; ++j) {
      long double exact = 0;
      long double magnitude = 0;
      for (index k = 0; k < depth; ++k) {
        long double const product =
            static_cast<long double>(a.here()(i, k)) * static_cast<long double>(b.here()(k, j));
        exact += product;
        magnitude += std::abs(product);
      }
      auto const error = std::abs(static_cast<long double>(c.here()(i, j)) - exact);
      REQUIRE(error <= gamma * magnitude);
    }
}

TEST_CASE_TEMPLATE("gemm of random reals stays within gamma_k |A||B|", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  check_error_bound<float>(on, 67, 45, 300);
  check_error_bound<float>(on, 3, 2, 20001);
  check_error_bound<double>(on, 67, 45, 300);
}

TEST_CASE_TEMPLATE("gemm with beta 0 never reads C and with alpha 0 never reads A and B", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  float const nan = std::numeric_limits<float>::quiet_NaN();
  matrix<float> a(on.where, 33, 7, cases::pattern::row_major);
  matrix<float> b(on.where, 7, 35, cases::pattern::row_major);
  matrix<float> c(on.where, 33, 35, cases::pattern::row_major);
  auto const fill = [](matrix<float>& m, float value) {
    m.fill([value](index, index, index) { return value; });
  };

  fill(a, 1);
  fill(b, 2);
  fill(c, nan);
  xpose::gemm(on.policy, 1.f, a.there(), b.there(), 0.f, c.there());
  CHECK(c.holds([](index, index, index) { return 14.f; }));

  fill(a, nan);
  fill(b, nan);
  fill(c, 3);
  xpose::gemm(on.policy, 0.f, a.there(), b.there(), 2.f, c.there());
  CHECK(c.holds([](index, index, index) { return 6.f; }));

  fill(c, nan);
  xpose::gemm(on.policy, 0.f, a.there(), b.there(), 0.f, c.there());
  CHECK(c.holds([](index, index, index) { return 0.f; }));
}

TEST_CASE_TEMPLATE("gemm with k = 0 gives beta C", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  matrix<double> c(on.where, 5, 3, cases::pattern::odd_offset);
  xpose::matrix_view<double const> const a(nullptr, 5, 0);
  xpose::matrix_view<double const> const b(nullptr, 0, 3);
  c.fill([](index, index i, index j) { return static_cast<double>(10 * i + j); });
  xpose::gemm(on.policy, 1.0, a, b, 3.0, c.there());
  CHECK(c.holds([](index, index i, index j) { return static_cast<double>(3 * (10 * i + j)); }));
  c.fill([](index, index i, index j) { return static_cast<double>(10 * i + j); });
  xpose::gemm(on.policy, std::numeric_limits<double>::quiet_NaN(), a, b, 3.0, c.there());
  CHECK(c.holds([](index, index i, index j) { return static_cast<double>(3 * (10 * i + j)); }));
  xpose::gemm(on.policy, a, b, c.there());
  CHECK(c.holds([](index, index, index) { return 0.0; }));
}

TEST_CASE_TEMPLATE("integer sums wrap around", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  matrix<std::int32_t> a(on.where, 2, 3, cases::pattern::row_major);
  matrix<std::int32_t> b(on.where, 3, 2, cases::pattern::row_major);
  matrix<std::int32_t> c(on.where, 2, 2, cases::pattern::row_major);
  a.fill([](index, index, index) { return 1 << 30; });
  b.fill([](index, index i, index) { return i + 1; });
  xpose::gemm(on.policy, a.there(), b.there(), c.there());
  CHECK(c.holds([](index, index, index) {
    return std::numeric_limits<std::int32_t>::min();
  }));  // 6 * 2^30 modulo 2^32
}

TEST_CASE_TEMPLATE("gemm gives the same bits run after run", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  matrix<float> a(on.where, 130, 301, cases::pattern::row_major);
  matrix<float> b(on.where, 301, 70, cases::pattern::row_major);
  auto const real = [](index, index i, index j) {
    return std::sin(static_cast<float>(i * 31 + j));
  };
  a.fill(real);
  b.fill(real);
  matrix<float> first(on.where, 130, 70, cases::pattern::row_major);
  matrix<float> again(on.where, 130, 70, cases::pattern::row_major);
  xpose::gemm(on.policy, a.there(), b.there(), first.there());
  first.fetch();
  for (int run = 0; run < 5; ++run) {
    xpose::gemm(on.policy, a.there(), b.there(), again.there());
    CHECK(again.holds([&](index, index i, index j) { return first.here()(i, j); }));
  }
}

TEST_CASE("gemm gives the same bits on seq and on omp for every thread count") {
  matrix<float> a(place::host, 300, 301, cases::pattern::row_major);
  matrix<float> b(place::host, 301, 270, cases::pattern::row_major);
  auto const real = [](index, index i, index j) {
    return std::cos(static_cast<float>(i * 17 + j));
  };
  a.fill(real);
  b.fill(real);
  matrix<float> one(place::host, 300, 270, cases::pattern::row_major);
  xpose::gemm(xpose::seq, a.there(), b.there(), one.there());
  one.fetch();
  for (int const count : {1, 2, 3, 8}) {
    matrix<float> many(place::host, 300, 270, cases::pattern::row_major);
    xpose::gemm(xpose::omp.with(xpose::threads{count}), a.there(), b.there(), many.there());
    CHECK(many.holds([&](index, index i, index j) { return one.here()(i, j); }));
  }
}

TEST_CASE_TEMPLATE("gemm of a transposed product is the product of the transposed", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  matrix<double> a(on.where, 40, 23, cases::pattern::row_major);
  matrix<double> b(on.where, 23, 51, cases::pattern::padded_rows);
  matrix<double> c(on.where, 40, 51, cases::pattern::row_major);
  matrix<double> turned(on.where, 51, 40, cases::pattern::row_major);
  a.fill([](index, index i, index j) { return static_cast<double>(i - 2 * j); });
  b.fill([](index, index i, index j) { return static_cast<double>(3 * i + j); });
  xpose::gemm(on.policy, a.there(), b.there(), c.there());
  xpose::gemm(on.policy, b.there().transposed(), a.there().transposed(), turned.there());
  c.fetch();
  CHECK(turned.holds([&](index, index i, index j) { return c.here()(j, i); }));
}

}  // namespace

TEST_SUITE_END();
