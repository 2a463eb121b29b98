// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: hand a factor to gemm or add as alpha

#include <xpose/eigen.hpp>

void call(Eigen::MatrixXd const& A, Eigen::MatrixXd const& B, Eigen::MatrixXd& C) {
  xpose::gemm(xpose::omp, 2 * A, B, C);
}
