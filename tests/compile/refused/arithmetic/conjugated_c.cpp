// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: gemm's C cannot be a conjugated view

#include <xpose/xpose.hpp>

#include <complex>

using complex = std::complex<float>;

void call(xpose::matrix_view<complex const> a, xpose::matrix_view<complex> c) {
  xpose::gemm(xpose::omp, a, a, xpose::conjugated(c));
}
