// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: write gemm(policy, A, B, C) or gemm(policy, alpha, A, B, beta, C)

#include <xpose/xpose.hpp>

void call(xpose::matrix_view<float const> in, xpose::matrix_view<float> out) {
  xpose::gemm(xpose::omp, in, in, out, 1.f, 0.f);
}
