// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: gemm's C cannot be a conjugated view

#include <xpose/eigen.hpp>

void call(Eigen::MatrixXcd const& A, Eigen::MatrixXcd& C) {
  xpose::gemm(xpose::omp, A, A, C.conjugate());
}
