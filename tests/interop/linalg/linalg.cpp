// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose/linalg.hpp: every name, element type and layout against plain loops, on seq and omp.

#include "matrices.hpp"

#include "support/refusal.hpp"

#include <xpose/linalg.hpp>

#include <doctest/doctest.h>

namespace {

namespace linalg = xpose::linalg;
using namespace linalg_tests;

#define ELEMENTS float, double, std::complex<float>, std::int32_t

/// call(policy, layout of the inputs, layout of the output) for all of them.
template <class Call>
void on_each_policy_and_layout(Call const& call) {
  for (layout const in : all_layouts)
    for (layout const out : all_layouts) {
      CAPTURE(static_cast<int>(in));
      CAPTURE(static_cast<int>(out));
      call(xpose::seq, in, out);
      call(xpose::omp, in, out);
    }
}

TEST_CASE_TEMPLATE("matrix_product is the product of each layout", T, ELEMENTS) {
  on_each_policy_and_layout([](auto const& policy, layout in, layout out) {
    matrix<T> const a(5, 7, in), b(7, 3, out);
    matrix<T> c(5, 3, out);
    linalg::matrix_product(policy, a.span(), b.span(), c.span());
    CHECK(c == a * b);
  });
}

TEST_CASE_TEMPLATE("a product reads scaled, transposed and conjugated operands so", T, ELEMENTS) {
  T const two = number<T>(1);
  on_each_policy_and_layout([&](auto const& policy, layout in, layout out) {
    matrix<T> const a(7, 5, in), b(3, 7, in), plain(5, 7, in);
    matrix<T> c(5, 3, out), turned(3, 5, out);
    using linalg::scaled;
    linalg::matrix_product(policy, scaled(two, linalg::conjugate_transposed(a.span())),
                           linalg::transposed(b.span()), c.span());
    CHECK(c == two * conjugated(transposed(a)) * transposed(b));
    linalg::matrix_product(policy, linalg::conjugated(scaled(two, plain.span())),
                           scaled(3, linalg::transposed(b.span())),
                           linalg::transposed(turned.span()));
    CHECK(transposed(turned) == T(3) * (conjugated(two * plain) * transposed(b)));
  });
}

TEST_CASE_TEMPLATE("a product with an addend is E + A B, where E is another matrix", T, ELEMENTS) {
  T const two = number<T>(1);
  on_each_policy_and_layout([&](auto const& policy, layout in, layout out) {
    matrix<T> const a(5, 7, in), b(7, 3, in), e(5, 3, in), turned(3, 5, in);
    matrix<T> c(5, 3, out);
    linalg::matrix_product(policy, a.span(), b.span(), e.span(), c.span());
    CHECK(c == e + a * b);
    linalg::matrix_product(policy, linalg::scaled(two, a.span()), b.span(),
                           linalg::scaled(3, linalg::conjugate_transposed(turned.span())),
                           c.span());
    CHECK(c == T(3) * conjugated(transposed(turned)) + two * a * b);
  });
}

TEST_CASE_TEMPLATE("a product with an addend updates C where E is C", T, ELEMENTS) {
  on_each_policy_and_layout([](auto const& policy, layout in, layout out) {
    matrix<T> const a(5, 7, in), b(7, 3, in), before(5, 3, out);
    matrix<T> c(5, 3, out);
    linalg::matrix_product(policy, a.span(), b.span(), c.span(), c.span());
    CHECK(c == before + a * b);
    c = before;
    linalg::matrix_product(policy, a.span(), b.span(), linalg::scaled(3, c.span()), c.span());
    CHECK(c == T(3) * before + a * b);
  });
}

TEST_CASE_TEMPLATE("matrix_vector_product is A x, and y + A x", T, ELEMENTS) {
  T const two = number<T>(1);
  on_each_policy_and_layout([&](auto const& policy, layout in, layout out) {
    matrix<T> const a(5, 7, in);
    vector<T> const x(7, in), wide(5, in), e(5, in);
    vector<T> y(5, out), z(7, out);
    vector<T> const before = y;
    linalg::matrix_vector_product(policy, a.span(), x.span(), y.span());
    CHECK(y == a * x);
    linalg::matrix_vector_product(policy, linalg::conjugate_transposed(a.span()),
                                  linalg::scaled(two, wide.span()), z.span());
    CHECK(z == conjugated(transposed(a)) * (two * wide));
    linalg::matrix_vector_product(policy, a.span(), linalg::conjugated(x.span()),
                                  linalg::scaled(3, e.span()), y.span());
    CHECK(y == T(3) * e + a * conjugated(x));
    y = before;
    linalg::matrix_vector_product(policy, a.span(), x.span(), y.span(), y.span());
    CHECK(y == before + a * x);
  });
}

/// add, copy and scale of operands made by make(rows, layout): matrices, or vectors.
template <class T, class Make, class Read>
void moves_and_sums(Make const& make, Read const& read) {
  T const two = number<T>(1);
  on_each_policy_and_layout([&](auto const& policy, layout in, layout out) {
    auto const x = make(in), y = make(out);
    auto z = make(out);
    auto const before = z;
    linalg::add(policy, x.span(), y.span(), z.span());
    CHECK(z == x + y);
    linalg::add(policy, linalg::scaled(two, read(x)), linalg::conjugated(y.span()), z.span());
    CHECK(z == two * x + conjugated(y));
    z = before;
    linalg::add(policy, z.span(), linalg::scaled(-1, x.span()), z.span());
    CHECK(z == before + T(-1) * x);
    linalg::copy(policy, read(x), z.span());
    CHECK(z == x);
    linalg::copy(policy, linalg::conjugated(linalg::scaled(two, x.span())), z.span());
    CHECK(z == conjugated(two * x));
    linalg::copy(policy, linalg::conjugated(linalg::conjugated(y.span())), z.span());
    CHECK(z == y);
    linalg::scale(policy, two, z.span());
    CHECK(z == two * y);
  });
}

TEST_CASE_TEMPLATE("add, copy and scale take vectors of any stride", T, ELEMENTS) {
  moves_and_sums<T>([](layout l) { return vector<T>(9, l); },
                    [](auto const& x) { return x.span(); });
}

TEST_CASE_TEMPLATE("add, copy and scale take matrices of any layout", T, ELEMENTS) {
  moves_and_sums<T>([](layout l) { return matrix<T>(5, 3, l); },
                    [](auto const& x) { return linalg::transposed(linalg::transposed(x.span())); });
}

TEST_CASE_TEMPLATE("copy transposes on either side", T, ELEMENTS) {
  on_each_policy_and_layout([](auto const& policy, layout in, layout out) {
    matrix<T> const x(5, 3, in);
    matrix<T> y(3, 5, out);
    linalg::copy(policy, linalg::transposed(x.span()), y.span());
    CHECK(y == transposed(x));
    linalg::scale(policy, 0, y.span());
    linalg::copy(policy, x.span(), linalg::transposed(y.span()));
    CHECK(y == transposed(x));
    linalg::copy(policy, linalg::conjugate_transposed(x.span()), y.span());
    CHECK(y == conjugated(transposed(x)));
  });
}

TEST_CASE("element types may differ: the result converts") {
  matrix<float> const a(4, 6), b(6, 5);
  matrix<std::int32_t> const e(4, 5);
  matrix<double> c(4, 5), d(4, 6);
  linalg::matrix_product(xpose::omp, a.span(), b.span(), e.span(), c.span());
  auto const sum = a * b;
  CHECK(c ==
        made_by<double>(4, 5, [&](long i, long j) { return double(e(i, j)) + double(sum(i, j)); }));
  linalg::copy(xpose::omp, a.span(), d.span());
  CHECK(d == made_by<double>(4, 6, [&](long i, long j) { return a(i, j); }));
}

TEST_CASE("a factor of 0 reads nothing, and scale by 0 gives zeros") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  matrix<double> a(4, 6), e(4, 5), c(4, 5);
  matrix<double> const b(6, 5);
  a(1, 2) = e(2, 2) = c(3, 3) = nan;
  auto const zero = 0. * matrix<double>(4, 5);
  linalg::matrix_product(xpose::omp, linalg::scaled(0, a.span()), b.span(),
                         linalg::scaled(0, e.span()), c.span());
  CHECK(c == zero);
  c(3, 3) = nan;
  linalg::scale(xpose::omp, 0., c.span());
  CHECK(c == zero);
}

TEST_CASE("k = 0 gives the addend, and empty extents are nothing") {
  matrix<float> const e(4, 5);
  matrix<float> c(4, 5);
  auto const a = alike::strided<float, 2>(nullptr, {4, 0}, {0, 1});
  auto const b = alike::strided<float, 2>(nullptr, {0, 5}, {5, 1});
  linalg::matrix_product(xpose::omp, a, b, linalg::scaled(2, e.span()), c.span());
  CHECK(c == 2.f * e);
  auto const nothing = alike::strided<float, 1>(nullptr, {0}, {1});
  CHECK_NOTHROW(linalg::scale(xpose::omp, 2, nothing));
  CHECK_NOTHROW(linalg::add(xpose::omp, nothing, nothing, nothing));
}

TEST_CASE("extents that do not fit are refused in the words of the operation that runs") {
  matrix<double> const a(4, 6), b(5, 3), fits(6, 3), e(3, 4);
  matrix<double> c(4, 3);
  vector<double> const x(5, layout::right);
  vector<double> y(4, layout::right);
  CHECK(refusal<xpose::shape_error>([&] {
          linalg::matrix_product(xpose::omp, a.span(), b.span(), c.span());
        }) == "gemm: A is 4x6 and B is 5x3: A's columns (6) must equal B's rows (5)");
  CHECK(refusal<xpose::shape_error>([&] {
          linalg::matrix_product(xpose::omp, a.span(), fits.span(), e.span(), c.span());
        }) == "copy: out is 4x3, expected 3x4");
  CHECK(refusal<xpose::shape_error>([&] {
          linalg::matrix_vector_product(xpose::omp, a.span(), x.span(), y.span());
        }) == "gemm: A is 4x6 and B is 5x1: A's columns (6) must equal B's rows (5)");
  CHECK_THROWS_AS(linalg::copy(xpose::omp, x.span(), y.span()), xpose::shape_error);
  CHECK_THROWS_AS(linalg::add(xpose::omp, x.span(), y.span(), y.span()), xpose::shape_error);
}

TEST_CASE("a refused product with an addend has not written to C") {
  matrix<double> const e(4, 4, layout::left), b(5, 4);  // other numbers than C's
  matrix<double> c(4, 4), a(4, 4);
  auto const before = c;
  CHECK_THROWS_AS(linalg::matrix_product(xpose::omp, a.span(), b.span(), e.span(), c.span()),
                  xpose::shape_error);
  CHECK_THROWS_AS(linalg::matrix_product(xpose::omp, c.span(), a.span(), e.span(), c.span()),
                  xpose::alias_error);
  CHECK(c == before);
}

TEST_CASE("memory that C shares in another way is refused") {
  matrix<std::complex<float>> c(4, 4);
  matrix<std::complex<float>> const a(4, 4, layout::left), before = c;
  auto const product = [&](auto const& e) {
    linalg::matrix_product(xpose::omp, a.span(), a.span(), e, c.span());
  };
  CHECK_THROWS_AS(product(linalg::transposed(c.span())), xpose::alias_error);
  CHECK_THROWS_AS(product(linalg::conjugated(c.span())), xpose::alias_error);
  CHECK_THROWS_AS(linalg::matrix_product(xpose::omp, c.span(), a.span(), c.span()),
                  xpose::alias_error);
  CHECK_THROWS_AS(linalg::add(xpose::omp, linalg::transposed(c.span()), a.span(), c.span()),
                  xpose::alias_error);
  CHECK(c == before);

  matrix<float> real(4, 4);
  matrix<float> const b(4, 4), real_before = real;
  linalg::matrix_product(xpose::omp, b.span(), b.span(), linalg::conjugated(real.span()),
                         real.span());
  CHECK(real == real_before + b * b);
}

TEST_CASE("xpose's own operations take what linalg returns") {
  matrix<double> const a(5, 3), b(3, 4);
  matrix<double> c(4, 5);
  xpose::gemm(xpose::omp, linalg::transposed(b.span()),
              linalg::scaled(2, linalg::transposed(a.span())), c.span());
  CHECK(c == transposed(2. * a * b));
}

}  // namespace
