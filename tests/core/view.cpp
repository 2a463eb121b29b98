// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Views: where their elements lie, what they derive, and what they refuse when built.

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <limits>

TEST_SUITE_BEGIN("views");

namespace {

using xpose::batch_view;
using xpose::index;
using xpose::matrix_view;
using xpose::tensor_view;

constexpr index huge = std::numeric_limits<index>::max();
float storage[120];

TEST_CASE("a view is 40 bytes of plain data and addresses elements by its strides") {
  CHECK(sizeof(matrix_view<float>) == 40);
  matrix_view<float> const rows(storage, 3, 5);
  CHECK(&rows(2, 4) == storage + 14);
  matrix_view<float> const cols(storage, 3, 5, xpose::col_major);
  CHECK(&cols(2, 4) == storage + 14);
  CHECK(&cols(2, 0) == storage + 2);
  matrix_view<float> const padded(storage, 3, 5, xpose::row_major, 8);
  CHECK(&padded(2, 1) == storage + 17);
  matrix_view<float> const backwards(storage + 20, 3, 5, xpose::strided{-7, 2});
  CHECK(&backwards(2, 3) == storage + 12);
}

TEST_CASE("derived views address the same elements") {
  matrix_view<float> const v(storage, 6, 7, xpose::row_major, 10);
  CHECK(&v.transposed()(3, 2) == &v(2, 3));
  CHECK(v.transposed().rows() == 7);
  auto const s = v.submatrix(1, 2, 3, 4);
  CHECK(s.rows() == 3);
  CHECK(s.cols() == 4);
  CHECK(&s(2, 3) == &v(3, 5));
  CHECK(&v.row(4)(0, 6) == &v(4, 6));
  CHECK(&v.col(5)(3, 0) == &v(3, 5));
  CHECK(&s.transposed().submatrix(3, 2, 1, 1)(0, 0) == &v(3, 5));
  CHECK(v.submatrix(6, 7, 0, 0).empty());
  matrix_view<float const> const reads = v;
  CHECK(reads.data() == v.data());
}

TEST_CASE("batches and tensors address the same elements as their matrices") {
  auto const b = xpose::batch(storage, 4, 3, 5);
  CHECK(&b[2](1, 4) == storage + 39);
  CHECK(&b.transposed()[2](4, 1) == storage + 39);
  auto const spread = xpose::batch(matrix_view<float>(storage, 3, 5, xpose::col_major), 2, 60);
  CHECK(&spread[1](2, 1) == storage + 65);
  batch_view<float const> const reads = b;
  CHECK(reads.count() == 4);
  tensor_view<float, 3> const t{storage, {4, 5, 6}};
  CHECK(t.stride(0) == 30);
  CHECK(t.stride(2) == 1);
  tensor_view<float, 2> const turned{storage, {4, 5}, {1, 4}};
  CHECK(turned.stride(1) == 4);
}

TEST_CASE("views refuse negative extents") {
  CHECK_THROWS_WITH_AS(matrix_view<float>(storage, -1, 3),
                       "matrix_view: extents are -1x3, and none may be negative",
                       xpose::shape_error);
  CHECK_THROWS_AS(xpose::batch(storage, -2, 3, 4), xpose::shape_error);
  CHECK_THROWS_AS((tensor_view<float, 2>{storage, {2, -5}}), xpose::shape_error);
}

TEST_CASE("views refuse a leading dimension below the extent") {
  CHECK_THROWS_WITH_AS(
      matrix_view<float>(storage, 4, 5, xpose::row_major, 3),
      "matrix_view: leading dimension 3 of a row-major 4x5 matrix is below its 5 columns",
      xpose::layout_error);
  CHECK_THROWS_WITH_AS(
      matrix_view<float>(storage, 4, 5, xpose::col_major, 3),
      "matrix_view: leading dimension 3 of a column-major 4x5 matrix is below its 4 rows",
      xpose::layout_error);
  CHECK_NOTHROW(matrix_view<float>(storage, 4, 5, xpose::col_major, 4));
}

TEST_CASE("views refuse null data unless they are empty") {
  float* const null = nullptr;
  CHECK_THROWS_WITH_AS(matrix_view<float>(null, 2, 3),
                       "matrix_view: data is null, but extents are 2x3", xpose::layout_error);
  CHECK_NOTHROW(matrix_view<float>(null, 0, 3));
  CHECK_NOTHROW(xpose::batch(null, 0, 2, 3));
  CHECK_THROWS_AS(xpose::batch(null, 1, 2, 3), xpose::layout_error);
}

TEST_CASE("views refuse sizes beyond 64 bits") {
  CHECK_THROWS_AS(matrix_view<float>(storage, huge, 2), xpose::overflow_error);
  CHECK_THROWS_AS(matrix_view<float>(storage, index{1} << 31, index{1} << 31),
                  xpose::overflow_error);
  CHECK_THROWS_AS(matrix_view<float>(storage, 3, 2, xpose::strided{huge / 4, 1}),
                  xpose::overflow_error);
  CHECK_THROWS_AS(matrix_view<float>(storage, 3, 2, xpose::strided{-huge / 2, huge / 2}),
                  xpose::overflow_error);
  CHECK_THROWS_AS(xpose::batch(storage, huge, 2, 3), xpose::overflow_error);
  CHECK_THROWS_AS(xpose::batch(storage, 2, huge, 3), xpose::overflow_error);
  CHECK_THROWS_AS((tensor_view<float, 3>{storage, {huge, 2, 2}}), xpose::overflow_error);
  CHECK_NOTHROW(matrix_view<char>(reinterpret_cast<char*>(storage), huge, 1));
  CHECK_NOTHROW(matrix_view<float>(storage, 0, huge));
}

TEST_CASE("views refuse submatrices that leave them") {
  matrix_view<float> const v(storage, 6, 7);
  CHECK_THROWS_WITH_AS(v.submatrix(2, 3, 5, 1), "submatrix: 5x1 from (2, 3) leaves the 6x7 view",
                       xpose::shape_error);
  CHECK_THROWS_AS(v.submatrix(-1, 0, 1, 1), xpose::shape_error);
  CHECK_THROWS_AS(v.submatrix(0, 0, 1, -1), xpose::shape_error);
  CHECK_THROWS_AS(v.submatrix(1, 1, huge, 1), xpose::shape_error);
  CHECK_THROWS_AS(v.row(6), xpose::shape_error);
  CHECK_THROWS_AS(v.col(-1), xpose::shape_error);
}

}  // namespace

TEST_SUITE_END();
