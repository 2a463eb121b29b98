// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: the output cannot be a conjugated view

#include <xpose/xpose.hpp>

#include <complex>

using complex = std::complex<float>;

void call(xpose::matrix_view<complex const> in, xpose::matrix_view<complex> out) {
  xpose::transpose(xpose::omp, in, xpose::conjugated(out));
}
