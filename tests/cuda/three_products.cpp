// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm of complex numbers with precision(three_products): exact where sums of integers are, within
// its bound elsewhere, and the plain product where that is faster.

#include "cases/gemm_cases.hpp"
#include "support/gpu.hpp"
#include "support/replay.hpp"
#include "support/verbose_lines.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>

TEST_SUITE_BEGIN("cuda.gemm");

namespace {

using namespace gemm_cases;
using gemm_cases::index;

constexpr auto by_three = xpose::options().precision(xpose::three_products);

template <class Call>
bool runs_by_three(Call const& call) {
  return contains(verbose_lines(call), "three_products");
}

template <class T>
T hashed(index i, index j, int salt) {
  using R = typename T::value_type;
  auto const part = [&](index more) {
    auto const bits =
        static_cast<std::uint64_t>(i * 7919 + j * 104729 + salt + more) * 0x9E3779B97F4A7C15u;
    return static_cast<R>(static_cast<std::int32_t>((bits ^ bits >> 29) >> 24)) * R(0x1p-31);
  };
  return T(part(0), part(500009));
}

template <class T>
void check_exact() {
  using cases::pattern;
  struct {
    index rows, cols, k_extent;
  } const shape{1537, 1411, 1601};
  pattern const inputs[] = {pattern::row_major, pattern::col_major, pattern::odd_offset,
                            pattern::negative_rows, pattern::spread};
  int turn = 0;
  for (pattern const a_layout : inputs)
    for (pattern const b_layout : {pattern::row_major, pattern::col_major}) {
      ++turn;
      CAPTURE(turn);
      index const batch = turn == 4 ? 2 : 1;
      matrix<T> a(place::device, shape.rows, shape.k_extent, a_layout, batch);
      matrix<T> b(place::device, shape.k_extent, shape.cols, b_layout, batch);
      matrix<T> c(place::device, shape.rows, shape.cols,
                  turn % 3 == 0 ? pattern::col_major : pattern::padded_rows, batch);
      matrix<T> expected(place::device, shape.rows, shape.cols, pattern::row_major, batch);
      a.fill([](index m, index i, index j) { return small_integer<T>(m, i, j, 1); });
      b.fill([](index m, index i, index j) { return small_integer<T>(m, i, j, 2); });
      T const alpha = turn % 2 == 0 ? T(2, -1) : T(1);
      T const beta = turn % 5 == 0 ? T(0, -3) : T(0);
      auto const before = [&](index m, index i, index j) {
        return beta == T(0) ? T(std::numeric_limits<float>::quiet_NaN())
                            : small_integer<T>(m, i, j, 3);
      };
      c.fill(before);
      expected.fill(before);
      auto const multiply = [&](auto const& to, auto const& options) {
        if (turn % 4 == 1)
          xpose::gemm(xpose::cuda.strict(), alpha, conjugated(a.batch_there()), b.batch_there(),
                      beta, to, options);
        else
          xpose::gemm(xpose::cuda.strict(), alpha, a.batch_there(), b.batch_there(), beta, to,
                      options);
      };
      CHECK(runs_by_three([&] { multiply(c.batch_there(), by_three); }));
      CHECK_FALSE(runs_by_three([&] { multiply(expected.batch_there(), xpose::options()); }));
      expected.fetch();
      auto const results = expected.batch_here();
      CHECK(c.holds([&](index m, index i, index j) { return results[m](i, j); }));
      CHECK(a.is_untouched());
      CHECK(b.is_untouched());
    }
}

TEST_CASE("three_products is exact where sums are: layouts, scalars, batches, conjugates") {
  if (!needs_gpu()) return;
  SUBCASE("complex float") { check_exact<std::complex<float>>(); }
  SUBCASE("complex double") { check_exact<std::complex<double>>(); }
}

/// The largest error of a part, in k u |A||B|, of elements whose imaginary parts are `ratio` of the
/// real ones.
template <class T>
double error_of(index side, double ratio) {
  using R = typename T::value_type;
  using exact_type = std::complex<double>;
  auto const value = [&](index i, index j, int salt) {
    T const x = hashed<T>(i, j, salt);
    return T(x.real(), static_cast<R>(ratio) * x.imag());
  };
  matrix<T> a(place::device, side, side, cases::pattern::row_major);
  matrix<T> b(place::device, side, side, cases::pattern::row_major);
  matrix<T> c(place::device, side, side, cases::pattern::row_major);
  a.fill([&](index, index i, index j) { return value(i, j, 1); });
  b.fill([&](index, index i, index j) { return value(i, j, 2); });
  CHECK(runs_by_three(
      [&] { xpose::gemm(xpose::cuda.strict(), a.there(), b.there(), c.there(), by_three); }));
  c.fetch();
  double worst = 0;
  for (index i = 0; i < side; i += 97)
    for (index j = 0; j < side; j += 89) {
      exact_type exact = 0;
      exact_type lost = 0;  // by rounding of `exact`
      double absolute = 0;
      for (index k = 0; k < side; ++k) {
        exact_type const term = exact_type(value(i, k, 1)) * exact_type(value(k, j, 2)) - lost;
        exact_type const next = exact + term;
        lost = (next - exact) - term;
        exact = next;
        absolute += std::abs(exact_type(value(i, k, 1))) * std::abs(exact_type(value(k, j, 2)));
      }
      exact_type const error = exact_type(c.here()(i, j)) - exact;
      worst =
          std::max({worst, std::fabs(error.real()) / absolute, std::fabs(error.imag()) / absolute});
    }
  double const unit = static_cast<double>(std::numeric_limits<R>::epsilon()) / 2;
  return worst / (static_cast<double>(side) * unit);
}

TEST_CASE("three_products' error is within 4 k u |A||B|, also where imaginary parts are small") {
  if (!needs_gpu()) return;
  for (double const ratio : {1., 1e-4}) {
    CAPTURE(ratio);
    CHECK(error_of<std::complex<float>>(1600, ratio) < 4);
    CHECK(error_of<std::complex<double>>(1600, ratio) < 4);
  }
}

TEST_CASE("three_products is the plain product where that ends first, and for real numbers") {
  if (!needs_gpu()) return;
  matrix<std::complex<float>> a(place::device, 70, 70, cases::pattern::row_major);
  matrix<std::complex<float>> c(place::device, 70, 70, cases::pattern::row_major);
  CHECK_FALSE(runs_by_three(
      [&] { xpose::gemm(xpose::cuda.strict(), a.there(), a.there(), c.there(), by_three); }));
  matrix<double> d(place::device, 1600, 1600, cases::pattern::row_major);
  matrix<double> e(place::device, 1600, 1600, cases::pattern::row_major);
  CHECK_FALSE(runs_by_three(
      [&] { xpose::gemm(xpose::cuda.strict(), d.there(), d.there(), e.there(), by_three); }));
}

TEST_CASE("three_products gives the same bits from a graph") {
  if (!needs_gpu()) return;
  using T = std::complex<float>;
  constexpr index side = 1601;
  matrix<T> a(place::device, side, side, cases::pattern::row_major);
  matrix<T> first(place::device, side, side, cases::pattern::row_major);
  matrix<T> again(place::device, side, side, cases::pattern::row_major);
  a.fill([](index, index i, index j) { return hashed<T>(i, j, 3); });
  xpose::gemm(xpose::cuda.strict(), a.there(), a.there(), first.there(), by_three);
  first.fetch();
  stream const s;
  replay(
      s, 2,
      [&] {
        CHECK(runs_by_three([&] {
          xpose::gemm(xpose::cuda.on(s.handle).nosync(), a.there(), a.there(), again.there(),
                      by_three);
        }));
      },
      [&](int) { again.fill([](index, index, index) { return T(-7); }); },
      [&](int) {
        CHECK(again.holds([&](index, index i, index j) { return first.here()(i, j); }));
      });
}

}  // namespace

TEST_SUITE_END();
