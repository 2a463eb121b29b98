// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: input and output have different element types

#include <xpose/xpose.hpp>

void call(xpose::matrix_view<double const> in, xpose::matrix_view<int> out) {
  xpose::copy(xpose::omp, xpose::conjugated(in), out);
}
