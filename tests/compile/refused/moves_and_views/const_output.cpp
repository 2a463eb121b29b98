// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: the output view must not be const

#include <xpose/xpose.hpp>

void call(xpose::matrix_view<float const> in, xpose::matrix_view<float const> out) {
  xpose::transpose(xpose::omp, in, out);
}
