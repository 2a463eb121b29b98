// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Eigen's matrices as operands, against Eigen's own results.

#include "support/refusal.hpp"

#include <xpose/eigen.hpp>
#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <vector>

namespace {

using Eigen::Dynamic;
using by_columns = Eigen::MatrixXd;
using by_rows = Eigen::Matrix<double, Dynamic, Dynamic, Eigen::RowMajor>;
using complex_matrix = Eigen::MatrixXcd;
using strides = Eigen::Stride<Dynamic, Dynamic>;

template <class X>
using element = typename decltype(xpose::view(std::declval<X>()))::element_type;

static_assert(std::is_same_v<element<by_columns&>, double>);
static_assert(std::is_same_v<element<by_columns const&>, double const>);
static_assert(std::is_same_v<element<Eigen::Map<by_columns>>, double>);
static_assert(std::is_same_v<element<Eigen::Map<by_columns const>>, double const>);
static_assert(std::is_same_v<element<Eigen::Ref<Eigen::MatrixXd const>>, double const>);
static_assert(std::is_same_v<element<Eigen::Block<by_rows const>>, double const>);
static_assert(std::is_same_v<element<Eigen::Transpose<by_rows>>, double>);
static_assert(
    std::is_same_v<element<Eigen::Reverse<by_rows, Eigen::BothDirections>>, double const>);

/// xpose's copy, through both policies, against Eigen's assignment.
template <class Expression>
void is_read_as_it_is(Expression&& e) {
  using T = typename std::decay_t<Expression>::Scalar;
  Eigen::Matrix<T, Dynamic, Dynamic> const expected = e;
  Eigen::Matrix<T, Dynamic, Dynamic> out(e.rows(), e.cols());
  xpose::copy(xpose::seq, e, out);
  CHECK(out == expected);
  Eigen::Matrix<T, Dynamic, Dynamic, Eigen::RowMajor> turned(e.cols(), e.rows());
  xpose::transpose(xpose::omp, e, turned);
  CHECK(turned == expected.transpose());
}

TEST_CASE("whatever of Eigen's has memory is read at its strides") {
  by_columns A = by_columns::Random(7, 5);
  by_columns const K = A;
  by_rows B = by_rows::Random(7, 5);
  Eigen::Matrix<float, 3, 4> fixed = Eigen::Matrix<float, 3, 4>::Random();
  Eigen::ArrayXXi numbers = Eigen::ArrayXXi::Random(4, 6);
  Eigen::VectorXd x = Eigen::VectorXd::Random(6);
  Eigen::RowVectorXd const row = Eigen::RowVectorXd::Random(6);
  complex_matrix Z = complex_matrix::Random(4, 3);
  is_read_as_it_is(A);
  is_read_as_it_is(K);
  is_read_as_it_is(B);
  is_read_as_it_is(fixed);
  is_read_as_it_is(numbers);
  is_read_as_it_is(A.array());
  is_read_as_it_is(numbers.matrix());
  is_read_as_it_is(x);
  is_read_as_it_is(row);
  is_read_as_it_is(x.segment(1, 3));
  is_read_as_it_is(A.block(2, 1, 3, 4));
  is_read_as_it_is(K.block(2, 1, 3, 4));
  is_read_as_it_is(B.block(2, 1, 3, 4).block(1, 1, 2, 2));
  is_read_as_it_is(B.row(3));
  is_read_as_it_is(B.col(3));
  is_read_as_it_is(A.diagonal());
  is_read_as_it_is(Z.imag());
}

TEST_CASE("maps are read at inner and outer strides, negative ones too") {
  std::vector<float> memory(200);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
  using rows = Eigen::Matrix<float, Dynamic, Dynamic, Eigen::RowMajor>;
  float* const p = memory.data();
  is_read_as_it_is(Eigen::Map<Eigen::MatrixXf>(p, 4, 6));
  is_read_as_it_is(
      Eigen::Map<rows const, 0, Eigen::OuterStride<>>(p, 4, 6, Eigen::OuterStride<>(9)));
  is_read_as_it_is(Eigen::Map<Eigen::MatrixXf, 0, strides>(p, 4, 6, strides(20, 3)));
  is_read_as_it_is(Eigen::Map<rows, 0, strides>(p, 4, 6, strides(20, 3)));
  is_read_as_it_is(Eigen::Map<rows, 0, strides>(p + 199, 4, 6, strides(-20, -3)));
  is_read_as_it_is(
      Eigen::Map<Eigen::VectorXf, 0, Eigen::InnerStride<>>(p, 5, Eigen::InnerStride<>(7)));
}

TEST_CASE("expressions that read another's elements in another order are views") {
  by_columns A = by_columns::Random(7, 5);
  complex_matrix const Z = complex_matrix::Random(4, 3);
  is_read_as_it_is(A.transpose());
  is_read_as_it_is(A.adjoint());
  is_read_as_it_is(A.block(1, 1, 3, 4).transpose());
  is_read_as_it_is(A.reverse());
  is_read_as_it_is(A.colwise().reverse());
  is_read_as_it_is(A.rowwise().reverse());
  is_read_as_it_is(A.col(2).reverse());
  is_read_as_it_is(A.rowwise().reverse().transpose());
  is_read_as_it_is(Z.conjugate());
  is_read_as_it_is(Z.adjoint());
  is_read_as_it_is(Z.adjoint().conjugate());
  is_read_as_it_is(Z.reverse().conjugate().transpose());
  is_read_as_it_is(by_columns(0, 5).reverse());
}

/// Takes whatever Eigen converts to a Ref.
void turn(Eigen::Ref<by_columns const> const& in, Eigen::Ref<by_columns> out) {
  xpose::transpose(xpose::omp, in, out);
}

TEST_CASE("outputs are matrices, maps, blocks, transposes and refs") {
  by_rows const in = by_rows::Random(4, 6);
  by_columns out = by_columns::Zero(9, 9);
  xpose::transpose(xpose::omp, in, out.block(1, 2, 6, 4));
  CHECK(out.block(1, 2, 6, 4) == in.transpose());
  CHECK(out.row(0).isZero());
  xpose::copy(xpose::omp, in, out.block(1, 2, 6, 4).transpose());
  CHECK(out.block(1, 2, 6, 4) == in.transpose());
  turn(in.leftCols(4).topRows(3), out.block(0, 0, 4, 3));
  CHECK(out.block(0, 0, 4, 3) == in.leftCols(4).topRows(3).transpose());
  double memory[60];
  Eigen::Map<by_columns, 0, Eigen::OuterStride<>> map(memory, 6, 4, Eigen::OuterStride<>(12));
  xpose::transpose(xpose::seq, in, map);
  CHECK(map == in.transpose());
}

TEST_CASE_TEMPLATE("gemm and add are Eigen's products and sums", T, float, double,
                   std::complex<float>, std::complex<double>) {
  using matrix = Eigen::Matrix<T, Dynamic, Dynamic>;
  using rows = Eigen::Matrix<T, Dynamic, Dynamic, Eigen::RowMajor>;
  matrix const A = matrix::Random(40, 30);
  rows const B = rows::Random(50, 30);
  matrix C = matrix::Random(40, 50), before = C;
  xpose::gemm(xpose::omp, A, B.adjoint(), C);
  CHECK(C.isApprox(A * B.adjoint()));
  C = before;
  T const alpha = T(2), beta = T(-1);
  xpose::gemm(xpose::seq, alpha, A.topRows(9), B.topRows(7).transpose(), beta, C.block(3, 2, 9, 7));
  matrix expected = before;
  expected.block(3, 2, 9, 7) *= beta;
  expected.block(3, 2, 9, 7) += alpha * A.topRows(9) * B.topRows(7).transpose();
  CHECK(C.isApprox(expected));
  xpose::add(xpose::omp, alpha, before.adjoint(), beta, C.transpose(), C.transpose());
  CHECK(C.isApprox(alpha * before.conjugate() + beta * expected));
}

TEST_CASE("a matrix times a vector, and integers") {
  by_columns const A = by_columns::Random(40, 30);
  Eigen::VectorXd const x = Eigen::VectorXd::Random(30);
  Eigen::VectorXd y(40);
  xpose::gemm(xpose::omp, A, x, y);
  CHECK(y.isApprox(A * x));
  Eigen::RowVectorXd z(40);
  xpose::gemm(xpose::omp, x.transpose(), A.transpose(), z);
  CHECK(z.isApprox((A * x).transpose()));
  Eigen::MatrixXi const M = Eigen::MatrixXi::Constant(5, 7, 3);
  Eigen::MatrixXi N(5, 5);
  xpose::gemm(xpose::omp, M, M.transpose(), N);
  CHECK(N == M * M.transpose());
}

TEST_CASE("transpose_inplace turns a matrix in its own memory") {
  by_columns A = by_columns::Random(6, 6);
  by_columns const before = A;
  xpose::transpose_inplace(xpose::omp, A);
  CHECK(A == before.transpose());
  by_rows B = by_rows::Random(4, 6);
  by_rows const upright = B;
  auto const turned = xpose::transpose_inplace(xpose::omp, B);
  CHECK(Eigen::Map<by_rows>(turned.data(), 6, 4) == upright.transpose());
}

TEST_CASE("a matrix of another shape, or that overlaps, is refused") {
  by_columns A = by_columns::Random(4, 6), B(4, 6);
  by_columns const before = A;
  CHECK(refusal<xpose::shape_error>([&] { xpose::transpose(xpose::omp, A, B); }) ==
        "transpose: out is 4x6, expected 6x4");
  CHECK_THROWS_AS(xpose::copy(xpose::omp, A.leftCols(3), A.middleCols(2, 3)), xpose::alias_error);
  CHECK(A == before);
}

}  // namespace
