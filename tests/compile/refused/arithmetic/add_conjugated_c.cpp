// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: add's C cannot be a conjugated view

#include <xpose/xpose.hpp>

#include <complex>

void call(xpose::matrix_view<std::complex<float>> a, xpose::matrix_view<std::complex<float>> c) {
  xpose::add(xpose::omp, 1, a, 1, a, conjugated(c));
}
