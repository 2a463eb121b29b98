// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: this Eigen expression has no elements in memory

#include <xpose/eigen.hpp>

#include <Eigen/SparseCore>

void call(Eigen::SparseMatrix<double> const& A, Eigen::MatrixXd& C) {
  xpose::copy(xpose::omp, A, C);
}
