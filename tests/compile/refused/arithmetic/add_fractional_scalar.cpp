// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: a floating alpha or beta would be cut to the integer element type

#include <xpose/xpose.hpp>

void call(xpose::matrix_view<int const> a, xpose::matrix_view<int> c) {
  xpose::add(xpose::omp, 1, a, 0.5, a, c);
}
