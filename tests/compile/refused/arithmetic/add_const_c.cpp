// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: add's C must not be const

#include <xpose/xpose.hpp>

void call(xpose::matrix_view<float const> a, xpose::matrix_view<float const> c) {
  xpose::add(xpose::omp, 1, a, 1, a, c);
}
