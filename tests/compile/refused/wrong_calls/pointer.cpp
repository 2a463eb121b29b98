// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: a pointer has no rows and columns; write xpose::matrix_view<T>(pointer, rows,
// cols)

#include <xpose/xpose.hpp>

void call(float const* p, xpose::matrix_view<float> B, xpose::matrix_view<float> C) {
  xpose::add(xpose::omp, 1, p, 1, B, C);
}
