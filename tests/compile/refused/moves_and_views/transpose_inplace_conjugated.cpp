// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: transpose_inplace moves elements and cannot conjugate them

#include <xpose/xpose.hpp>

#include <complex>

void call(xpose::matrix_view<std::complex<float>> view) {
  xpose::transpose_inplace(xpose::omp, conjugated(view));
}
