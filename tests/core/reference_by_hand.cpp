// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The reference itself, against results written out by hand for matrices of up to 4x4.

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <vector>

TEST_SUITE_BEGIN("reference");

namespace {

using complex = std::complex<float>;

template <class T>
using values = std::vector<T>;

TEST_CASE("the reference transposes a 2x3 matrix") {
  values<int> const in{1, 2, 3,  //
                       4, 5, 6};
  values<int> out(6);
  xpose::transpose(xpose::reference, xpose::matrix_view<int const>(in.data(), 2, 3),
                   xpose::matrix_view<int>(out.data(), 3, 2));
  CHECK(out == values<int>{1, 4,  //
                           2, 5,  //
                           3, 6});
}

TEST_CASE("the reference transposes a padded row-major matrix into a padded column-major one") {
  values<char> const in{'a', 'b', 'c', '-', '-',  //
                        'd', 'e', 'f', '-', '-'};
  values<char> out(12, '.');
  xpose::transpose(xpose::reference,
                   xpose::matrix_view<char const>(in.data(), 2, 3, xpose::row_major, 5),
                   xpose::matrix_view<char>(out.data(), 3, 2, xpose::col_major, 6));
  CHECK(out == values<char>{'a', 'b', 'c', '.', '.', '.', 'd', 'e', 'f', '.', '.', '.'});
}

TEST_CASE("the reference transposes a batch of two 2x2 matrices") {
  values<int> const in{1, 2, 3, 4, 5, 6, 7, 8};
  values<int> out(8);
  xpose::transpose(xpose::reference, xpose::batch(in.data(), 2, 2, 2),
                   xpose::batch(out.data(), 2, 2, 2));
  CHECK(out == values<int>{1, 3, 2, 4, 5, 7, 6, 8});
}

TEST_CASE("the reference copies rows to columns") {
  values<int> const in{1, 2, 3, 4};
  values<int> out(4);
  xpose::copy(xpose::reference, xpose::matrix_view<int const>(in.data(), 2, 2),
              xpose::matrix_view<int>(out.data(), 2, 2, xpose::col_major));
  CHECK(out == values<int>{1, 3, 2, 4});
}

TEST_CASE("the reference conjugates while transposing") {
  values<complex> const in{{1, 2}, {3, -4}};
  values<complex> out(2);
  xpose::transpose(xpose::reference, xpose::matrix_view<complex const>(in.data(), 1, 2),
                   xpose::matrix_view<complex>(out.data(), 2, 1), xpose::conjugate{});
  CHECK(out == values<complex>{{1, -2}, {3, 4}});
}

TEST_CASE("the reference casts while transposing") {
  values<float> const in{1.75f, -2.25f, 3.5f, 4.f};
  values<int> out(4);
  xpose::transpose(xpose::reference, xpose::matrix_view<float const>(in.data(), 2, 2),
                   xpose::matrix_view<int>(out.data(), 2, 2), xpose::cast<int>{});
  CHECK(out == values<int>{1, 3, -2, 4});
}

TEST_CASE("the reference multiplies a 2x3 by a 3x2 matrix") {
  values<double> const a{1, 2, 3,  //
                         4, 5, 6};
  values<double> const b{7,  8,   //
                         9,  10,  //
                         11, 12};
  values<double> c(4, -1);
  xpose::gemm(xpose::reference, xpose::matrix_view<double const>(a.data(), 2, 3),
              xpose::matrix_view<double const>(b.data(), 3, 2),
              xpose::matrix_view<double>(c.data(), 2, 2));
  CHECK(c == values<double>{58, 64, 139, 154});
}

TEST_CASE("the reference computes 2 A B - C") {
  values<float> const a{1, 2};
  values<float> const b{3, 4};
  values<float> c{10, 20, 30, 40};
  xpose::gemm(xpose::reference, 2.f, xpose::matrix_view<float const>(a.data(), 2, 1),
              xpose::matrix_view<float const>(b.data(), 1, 2), -1.f,
              xpose::matrix_view<float>(c.data(), 2, 2));
  CHECK(c == values<float>{-4, -12, -18, -24});
}

TEST_CASE("the reference multiplies complex numbers, conjugated as asked") {
  values<complex> const a{{1, 2}};
  values<complex> const b{{3, 4}};
  values<complex> c(1);
  xpose::matrix_view<complex const> const va(a.data(), 1, 1);
  xpose::matrix_view<complex const> const vb(b.data(), 1, 1);
  xpose::matrix_view<complex> const vc(c.data(), 1, 1);
  xpose::gemm(xpose::reference, va, vb, vc);
  CHECK(c[0] == complex(-5, 10));
  xpose::gemm(xpose::reference, xpose::conjugated(va), vb, vc);
  CHECK(c[0] == complex(11, -2));
  xpose::gemm(xpose::reference, va, xpose::conjugated(vb.transposed()), vc);
  CHECK(c[0] == complex(11, 2));
}

TEST_CASE("the reference finds shortest paths by min-plus") {
  constexpr int far = 1000;
  values<int> const edges{0,   3,   far,  //
                          far, 0,   4,    //
                          1,   far, 0};
  values<int> two(9);
  xpose::matrix_view<int const> const e(edges.data(), 3, 3);
  xpose::gemm(xpose::reference, e, e, xpose::matrix_view<int>(two.data(), 3, 3),
              xpose::options().over(xpose::min_plus{}));
  CHECK(two == values<int>{0, 3, 7, 5, 0, 4, 1, 4, 0});
}

TEST_CASE("the reference applies an epilogue that sees the position") {
  values<float> const a{1, 2};
  values<float> const b{1, 1};
  values<float> c(4);
  xpose::gemm(xpose::reference, xpose::matrix_view<float const>(a.data(), 2, 1),
              xpose::matrix_view<float const>(b.data(), 1, 2),
              xpose::matrix_view<float>(c.data(), 2, 2),
              xpose::options().epilogue([](float x, xpose::index i, xpose::index j) {
                return x + static_cast<float>(10 * i + 100 * j);
              }));
  CHECK(c == values<float>{1, 101, 12, 112});
}

TEST_CASE("a 4x4 transpose written out") {
  values<int> const in{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  values<int> out(16);
  xpose::transpose(xpose::reference, xpose::matrix_view<int const>(in.data(), 4, 4),
                   xpose::matrix_view<int>(out.data(), 4, 4));
  CHECK(out == values<int>{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15});
}

}  // namespace

TEST_SUITE_END();
