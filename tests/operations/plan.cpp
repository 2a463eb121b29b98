// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// plan(): its calls are gemm's, in any memory, and refuse what gemm refuses.

#include "cases/matrix.hpp"
#include "support/backends.hpp"

#include <xpose/explain.hpp>
#include <xpose/layer_epilogue.hpp>
#include <xpose/plan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <string>
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

/// A small product by a plan and by gemm, on one thread, in other memory than it was made of.
template <class T>
void check_small(char const* what, index rows, index cols, index k, char const* layout, T alpha,
                 T beta) {
  CAPTURE(what);
  CAPTURE(layout);
  auto const order_of = [&](char c) {
    return c == 'T' ? pattern::col_major : pattern::padded_rows;
  };
  pattern const of_a = order_of(layout[0]), of_b = order_of(layout[1]), of_c = order_of(layout[2]);
  matrix<T> a(place::host, rows, k, of_a), b(place::host, k, cols, of_b);
  matrix<T> c(place::host, rows, cols, of_c);
  auto const multiply = xpose::plan(xpose::seq, alpha, a.there(), b.there(), beta, c.there());
  for (int call = 0; call < 2; ++call) {
    matrix<T> x(place::host, rows, k, of_a), y(place::host, k, cols, of_b);
    matrix<T> z(place::host, rows, cols, of_c), expected(place::host, rows, cols, of_c);
    fill(x, call);
    fill(y, call + 4);
    fill(z, call + 2);
    fill(expected, call + 2);
    multiply(x.there().data(), y.there().data(), z.there().data());
    xpose::gemm(xpose::reference, alpha, x.there(), y.there(), beta, expected.there());
    CHECK(z.holds([&](index, index i, index j) { return expected.there()(i, j); }));
  }
  CHECK(c.is_untouched());
}

TEST_CASE("plans of small products multiply as gemm does, in every layout") {
  for (char const* const layout : {"NNN", "NTN", "TNN", "TTN", "NNT", "NTT", "TNT", "TTT"}) {
    check_small<float>("one tile", 5, 7, 9, layout, 1, 0);
    // Of vectors of 32 bytes and of 64.
    check_small<float>("one tile of the most rows", 12, 8, 9, layout, 1, 0);
    check_small<float>("one tile, of two vectors", 5, 14, 8, layout, 1, 0);
    check_small<double>("one tile, of three vectors", 4, 11, 5, layout, 1, 0);
    check_small<double>("one wide tile", 9, 13, 8, layout, 1, 0);
    check_small<std::complex<double>>("one complex tile", 3, 4, 6, layout, {1, 0}, {0, 0});
    check_small<float>("tiles", 37, 50, 20, layout, 1, 0);
    check_small<double>("scaled", 13, 21, 11, layout, 3, -2);
    check_small<double>("dots", 40, 3, 33, layout, 1, 1);
    check_small<float>("a column", 19, 1, 23, layout, 1, 0);
    check_small<double>("a row", 1, 26, 14, layout, 1, 0);
    check_small<float>("a row of f32", 1, 26, 14, layout, 1, 0);
    check_small<double>("a column of few rows", 5, 1, 31, layout, 1, 0);
    check_small<std::complex<float>>("a complex row", 1, 9, 7, layout, {1, 0}, {0, 0});
    check_small<double>("a scaled row", 1, 26, 14, layout, 2, 1);
    check_small<std::complex<float>>("complex", 9, 6, 5, layout, {1, 0}, {0, 0});
    check_small<std::complex<double>>("complex, scaled", 6, 9, 5, layout, {0, 1}, {2, 0});
  }
}

/// What the library keeps of C = A B of row-major matrices at these addresses.
xpose::detail::planned_product planned_at(float* a, float* b, float* c, index rows, index cols,
                                          index k) {
  namespace detail = xpose::detail;
  detail::gemm_scalars<float> const scalars{1, 0, true, false, true};
  auto const request = detail::gemm_request_of(
      xpose::matrix_view<float const>(a, rows, k), xpose::matrix_view<float const>(b, k, cols),
      xpose::matrix_view<float>(c, rows, cols), scalars, xpose::options());
  auto const where = detail::execution_of(xpose::seq, nullptr);
  return detail::plan_small_gemm(where, detail::choose_for_gemm(where, request), request);
}

TEST_CASE("what a plan keeps of a small product refuses operands that gemm has to look at") {
  for (index const cols : {5, 1}) {
    CAPTURE(cols);
    std::vector<float> memory(100, 2.f);
    float* const a = memory.data();
    float* const b = a + 40;
    auto const planned = planned_at(a, b, a + 70, 3, cols, 4);
    auto const report = xpose::explain(
        xpose::seq, xpose::operation::gemm, xpose::matrix_view<float>(a, 3, 4),
        xpose::matrix_view<float>(b, 4, cols), xpose::matrix_view<float>(a + 70, 3, cols));
    std::string const kernel = report.kernel;
    REQUIRE((planned.multiply != nullptr) == (kernel.find("_small") != std::string::npos));
    if (planned.multiply == nullptr) continue;  // an instruction set without kernels for them
    auto const multiply = [&](void const* from_a, void const* from_b, void const* to) {
      return planned.multiply(planned, from_a, from_b, to, nullptr, nullptr);
    };
    auto const byte = [](float* at) { return reinterpret_cast<char const*>(at) + 1; };
    CHECK_FALSE(multiply(a, b, a + 11));            // C's first is A's last
    CHECK_FALSE(multiply(a, b, b - 3 * cols + 1));  // C's last is B's first
    CHECK_FALSE(multiply(a, b, b));
    CHECK_FALSE(multiply(byte(a), b, a + 70));
    CHECK_FALSE(multiply(a, byte(b), a + 70));
    CHECK_FALSE(multiply(a, b, byte(a + 70)));
    CHECK(memory == std::vector<float>(100, 2.f));

    CHECK(multiply(a, b, a + 12));  // right behind A
    std::vector<float> expected(100, 2.f);
    std::fill_n(expected.begin() + 12, 3 * cols, 16.f);
    CHECK(memory == expected);
    xpose::reload_environment();
    CHECK_FALSE(multiply(a, b, a + 70));
    CHECK(memory == expected);
  }
}

TEST_CASE("a plan keeps nothing of products that are empty, or not small") {
  std::vector<float> memory(3 * 200 * 200);
  float* const p = memory.data();
  CHECK((planned_at(p, p + 20, p + 50, 3, 0, 4).multiply == nullptr));
  CHECK((planned_at(p, p + 20, p + 50, 3, 5, 0).multiply == nullptr));
  CHECK((planned_at(p, p + 40000, p + 80000, 200, 200, 200).multiply == nullptr));
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
