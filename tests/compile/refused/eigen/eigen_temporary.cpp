// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: the memory of a temporary matrix is gone when the view is used; give it a name

#include <xpose/eigen.hpp>

Eigen::MatrixXd made();
void call(Eigen::MatrixXd& C) { xpose::transpose(xpose::omp, made(), C); }
