// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: gemm's C must not be const

#include <xpose/xpose.hpp>

void call(xpose::matrix_view<float const> a, xpose::matrix_view<float const> c) {
  xpose::gemm(xpose::omp, a, a, c);
}
