// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Arrays, arrays of arrays, and a matrix class of a user's, as views and as operands.

#include "support/refusal.hpp"

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

namespace users {

/// Columns of 8 elements, of which rows_in_use are in use.
struct float_columns {
  std::vector<float> memory;
  long rows_in_use;
};
xpose::matrix_view<float> xpose_view(float_columns& m) {
  return {m.memory.data(), m.rows_in_use, static_cast<long>(m.memory.size()) / 8, xpose::col_major,
          8};
}
xpose::matrix_view<float const> xpose_view(float_columns const& m) {
  return xpose_view(const_cast<float_columns&>(m));
}

/// Rows that are elsewhere.
struct span_of_rows {
  std::array<float, 4>* first;
  std::size_t count;
  std::array<float, 4>* data() const { return first; }
  std::size_t size() const { return count; }
};

}  // namespace users

namespace {

using layout = std::array<xpose::index, 4>;

template <class T>
layout layout_of(xpose::matrix_view<T> v) {
  return {v.rows(), v.cols(), v.row_stride(), v.col_stride()};
}
template <class X>
using element = typename decltype(xpose::view(std::declval<X>()))::element_type;

static_assert(std::is_same_v<element<float (&)[3][4]>, float>);
static_assert(std::is_same_v<element<float const (&)[3][4]>, float const>);
static_assert(std::is_same_v<element<std::array<std::array<int, 4>, 3>&>, int>);
static_assert(std::is_same_v<element<std::array<std::array<int, 4>, 3> const&>, int const>);
static_assert(std::is_same_v<element<std::array<std::array<int const, 4>, 3>&>, int const>);
static_assert(std::is_same_v<element<std::array<int[4], 3> const&>, int const>);
static_assert(std::is_same_v<element<std::vector<std::array<float, 4>> const&>, float const>);
static_assert(std::is_same_v<element<users::span_of_rows>, float>);

TEST_CASE("arrays of arrays are a row-major matrix") {
  float c[3][4];
  CHECK(layout_of(xpose::view(c)) == layout{3, 4, 4, 1});
  CHECK(&xpose::view(c)(2, 1) == &c[2][1]);
  std::array<std::array<float, 4>, 3> a{};
  CHECK(layout_of(xpose::view(a)) == layout{3, 4, 4, 1});
  CHECK(&xpose::view(std::as_const(a))(2, 1) == &a[2][1]);
  std::array<float, 4> mixed[3];
  CHECK(&xpose::view(mixed)(2, 1) == &mixed[2][1]);
  std::vector<std::array<float, 4>> rows(3);
  CHECK(layout_of(xpose::view(rows)) == layout{3, 4, 4, 1});
  CHECK(&xpose::view(rows)(2, 1) == &rows[2][1]);
  CHECK(xpose::view(users::span_of_rows{rows.data() + 1, 2}).data() == rows[1].data());
}

TEST_CASE("arrays of no elements are empty matrices") {
  std::array<std::array<float, 4>, 0> a{};
  CHECK(layout_of(xpose::view(a)) == layout{0, 4, 4, 1});
  std::array<std::array<float, 0>, 4> b{};
  CHECK(layout_of(xpose::view(b)) == layout{4, 0, 0, 1});
  std::vector<std::array<float, 4>> rows;
  CHECK(xpose::view(rows).empty());
}

TEST_CASE("arrays of three dimensions are a batch") {
  int c[2][3][4];
  auto const b = xpose::view(c);
  static_assert(std::is_same_v<decltype(b), xpose::batch_view<int> const>);
  CHECK(b.count() == 2);
  CHECK(layout_of(b.first()) == layout{3, 4, 4, 1});
  CHECK(&b[1](2, 3) == &c[1][2][3]);
  std::vector<std::array<std::array<int, 4>, 3>> v(2);
  CHECK(&xpose::view(v)[1](2, 3) == &v[1][2][3]);
}

TEST_CASE("an array of numbers is a matrix of the extents asked for, within its own") {
  double numbers[14];
  CHECK(layout_of(xpose::view(numbers, 2, 7)) == layout{2, 7, 7, 1});
  CHECK(layout_of(xpose::view(numbers, 2, 5, xpose::col_major, 3)) == layout{2, 5, 1, 3});
  CHECK(refusal<xpose::shape_error>([&] { xpose::view(numbers, 3, 5); }) ==
        "view: 3x5 with row stride 5 and column stride 1 reaches from element 0 to 14 of a "
        "container of 14");
  double const constants[6] = {};
  static_assert(
      std::is_same_v<decltype(xpose::view(constants, 2, 3)), xpose::matrix_view<double const>>);
}

TEST_CASE("operations take arrays and matrix classes as they are, beside views") {
  float a[3][4];
  std::iota(&a[0][0], &a[0][0] + 12, 1.f);
  std::array<std::array<float, 3>, 4> turned{};
  users::float_columns m{std::vector<float>(32), 3};
  std::vector<float> memory(12);
  xpose::matrix_view<float> const v(memory.data(), 4, 3);

  xpose::transpose(xpose::omp, std::as_const(a), turned);
  CHECK(turned[3][1] == a[1][3]);
  CHECK(turned[0][2] == a[2][0]);
  xpose::copy(xpose::seq, a, m);
  CHECK(m.memory[8 * 3 + 1] == a[1][3]);
  xpose::transpose(xpose::omp, std::as_const(m), v, [](float x) { return -x; });
  CHECK(v(3, 1) == -a[1][3]);
  xpose::add(xpose::omp, 2, turned, 1, v, v);
  CHECK(v(3, 1) == a[1][3]);

  float product[3][3], expected = 0;
  xpose::gemm(xpose::omp, a, turned, product);
  for (int k = 0; k < 4; ++k) expected += a[2][k] * a[1][k];
  CHECK(product[2][1] == expected);
  xpose::gemm(xpose::omp, 2, m, v, 1, product, xpose::options().accumulate<double>());
  CHECK(product[2][1] == 3 * expected);
}

TEST_CASE("transpose_inplace takes an array and returns the view that reads it") {
  int a[2][3] = {{1, 2, 3}, {4, 5, 6}};
  auto const v = xpose::transpose_inplace(xpose::omp, a);
  CHECK(layout_of(v) == layout{3, 2, 2, 1});
  CHECK(v(2, 0) == 3);
  CHECK(a[0][1] == 4);
}

TEST_CASE("batches in arrays are transposed and multiplied") {
  float a[2][3][4], turned[2][4][3], product[2][3][3];
  std::iota(&a[0][0][0], &a[0][0][0] + 24, 1.f);
  xpose::transpose(xpose::omp, a, turned);
  CHECK(turned[1][3][2] == a[1][2][3]);
  xpose::gemm(xpose::omp, a, turned, product);
  float expected = 0;
  for (int k = 0; k < 4; ++k) expected += a[1][0][k] * a[1][2][k];
  CHECK(product[1][0][2] == expected);
}

TEST_CASE("an array of another shape is refused by the operation") {
  float a[3][4] = {}, b[3][4];
  CHECK(refusal<xpose::shape_error>([&] { xpose::transpose(xpose::omp, a, b); }) ==
        "transpose: out is 3x4, expected 4x3");
}

}  // namespace
