// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: this Eigen expression has no elements in memory

#include <xpose/eigen.hpp>

void call(Eigen::MatrixXd const& A, Eigen::MatrixXd const& B, Eigen::MatrixXd& C) {
  xpose::gemm(xpose::omp, A * B, B, C);
}
