// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: an array has no rows and columns; write xpose::matrix_view<T>(array, rows, cols)

#include <xpose/xpose.hpp>

void call(float const (&array)[12], xpose::matrix_view<float> out) {
  xpose::transpose(xpose::omp, array, out);
}
