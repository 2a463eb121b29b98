// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// plan(): its calls are gemm's, in any memory, and refuse what gemm refuses.

#include "cases/matrix.hpp"
#include "support/backends.hpp"

#include <xpose/layer_epilogue.hpp>
#include <xpose/plan.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <vector>

TEST_SUITE_BEGIN("plan");

namespace {

using cases::pattern;
using xpose::index;

template <class T>
void fill(matrix<T>& m, int salt) {
  m.fill([salt](index b, index i, index j) {
    return static_cast<float>((b * 5 + i * 3 + j * 7 + i * j % 11 + salt) % 9 - 4);
  });
}

/// Three products with one plan, each in memory of its own, against gemm on reference.
template <class T, class Policy, class K>
void check_products(Policy const& policy, place where, index batch, K alpha, K beta) {
  constexpr index rows = 17, cols = 9, depth = 23;
  matrix<T> a(where, rows, depth, pattern::padded_rows, batch);
  matrix<T> b(where, depth, cols, pattern::col_major, batch);
  matrix<T> c(where, rows, cols, pattern::odd_offset, batch);
  auto const multiply =
      xpose::plan(policy, alpha, a.batch_there(), b.batch_there(), beta, c.batch_there());
  auto const kept = multiply;  // a copy has its own scalars
  for (int call = 0; call < 3; ++call) {
    matrix<T> x(where, rows, depth, pattern::padded_rows, batch);
    matrix<T> y(where, depth, cols, pattern::col_major, batch);
    matrix<T> z(where, rows, cols, pattern::odd_offset, batch);
    matrix<T> expected(place::host, rows, cols, pattern::row_major, batch);
    fill(x, call);
    fill(y, 3 * call + 1);
    fill(z, call + 2);
    fill(expected, call + 2);
    kept(x.batch_there()[0].data(), y.batch_there()[0].data(), z.batch_there()[0].data());
    xpose::gemm(xpose::reference, alpha, x.batch_here(), y.batch_here(), beta,
                expected.batch_there());
    auto const results = expected.batch_there();
    CHECK(z.holds([&](index m, index i, index j) { return results[m](i, j); }));
  }
  CHECK(c.is_untouched());
}

template <class Policy>
void check_types(Policy const& policy, place where) {
  for (index const batch : {1, 3}) {
    check_products<float>(policy, where, batch, 1.f, 0.f);
    check_products<float>(policy, where, batch, 2.f, 3.f);
    check_products<double>(policy, where, batch, -1., 1.);
    check_products<std::complex<float>>(policy, where, batch, std::complex<float>(2, 1),
                                        std::complex<float>(0, 0));
    check_products<std::int32_t>(policy, where, batch, 2, 1);
  }
}

TEST_CASE("calls of a plan are gemm's in other memory") {
  check_types(xpose::seq, place::host);
  check_types(xpose::omp.with(xpose::threads{2}), place::host);
  check_types(xpose::reference, place::host);
  check_types(xpose::automatic, place::host);
}

TEST_CASE("calls of a plan are gemm's in other memory, on_cuda") {
  if (!needs_gpu()) return;
  check_types(xpose::cuda.strict(), place::device);
  check_types(xpose::automatic, place::device);
}

TEST_CASE("a plan without arguments multiplies what it was made of") {
  float const a[] = {1, 2, 3, 4, 5, 6};
  float const b[] = {1, 0, 0, 1, 1, 1};
  float c[4] = {};
  xpose::plan(xpose::seq, xpose::matrix_view<float const>(a, 2, 3),
              xpose::matrix_view<float const>(b, 3, 2), xpose::matrix_view<float>(c, 2, 2))();
  CHECK(std::vector<float>(c, c + 4) == std::vector<float>{4, 5, 10, 11});
}

TEST_CASE("a plan keeps its options: accumulate type, conjugates, a layer") {
  std::vector<std::complex<double>> const x{{1, 2}, {3, -1}};
  std::complex<double> product;
  xpose::matrix_view<std::complex<double> const> const row(x.data(), 1, 2);
  xpose::plan(xpose::omp, row, xpose::conjugated(row.transposed()),
              xpose::matrix_view<std::complex<double>>(&product, 1, 1))();
  CHECK(product == std::complex<double>(15, 0));

  std::vector<float> const a{1, 2, 3, 4}, bias{10, -100};
  std::vector<float> c(4);
  xpose::matrix_view<float const> const A(a.data(), 2, 2);
  auto const layer = xpose::layer_epilogue<float>()
                         .bias(xpose::matrix_view<float const>(bias.data(), 1, 2))
                         .activate(xpose::activation::relu);
  auto const dense = xpose::plan(xpose::seq, A, A, xpose::matrix_view<float>(c.data(), 2, 2),
                                 xpose::options().epilogue(layer));
  dense();
  CHECK(c == std::vector<float>{17, 0, 25, 0});
}

TEST_CASE("a plan refuses what gemm refuses, when it is made and when it is called") {
  std::vector<float> memory(100, 7.f);
  float* const p = memory.data();
  xpose::matrix_view<float> const a(p, 3, 4), b(p + 20, 4, 5), c(p + 50, 3, 5);
  CHECK_THROWS_WITH_AS(static_cast<void>(xpose::plan(xpose::omp, a, b.transposed(), c)),
                       doctest::Contains("A's columns (4) must equal B's rows (5)"),
                       xpose::shape_error);
  CHECK_THROWS_AS(static_cast<void>(xpose::plan(xpose::omp, a, b, c.transposed())),
                  xpose::shape_error);
  auto const multiply = xpose::plan(xpose::omp, a, b, c);
  CHECK_THROWS_AS(multiply(p, p + 20, p + 30), xpose::alias_error);
  CHECK_THROWS_WITH_AS(multiply(p, nullptr, p + 50), doctest::Contains("B is null"),
                       xpose::layout_error);
  CHECK_THROWS_AS(multiply(p, p + 20, nullptr), xpose::layout_error);
  CHECK(memory == std::vector<float>(100, 7.f));

  xpose::matrix_view<float> const none(nullptr, 0, 4), empty(nullptr, 0, 5);
  auto const nothing = xpose::plan(xpose::omp, none, b, empty);
  nothing(nullptr, p, nullptr);
  CHECK_THROWS_WITH_AS(nothing(nullptr, nullptr, nullptr), doctest::Contains("B is null"),
                       xpose::layout_error);
  CHECK(memory == std::vector<float>(100, 7.f));
}

TEST_CASE("a plan for operands on a device, on_cuda, is refused by host policies") {
  if (!needs_gpu()) return;
  matrix<float> a(place::device, 4, 4, pattern::row_major);
  CHECK_THROWS_AS(static_cast<void>(xpose::plan(xpose::omp, a.there(), a.there(), a.there())),
                  xpose::error);
}

}  // namespace

TEST_SUITE_END();
