// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: the output view must not be const
// lines: 22

#include <xpose/eigen.hpp>

void call(Eigen::MatrixXd const& A, Eigen::MatrixXd const& B) {
  xpose::transpose(xpose::omp, A, B);
}
