// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: this Eigen expression has no elements in memory

#include <xpose/eigen.hpp>

auto call(Eigen::MatrixXd& A) { return xpose::view(A.triangularView<Eigen::Upper>()); }
