// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: input and output have different element types; pass

#include <xpose/xpose.hpp>

void call(xpose::matrix_view<float const> in, xpose::matrix_view<double> out) {
  xpose::transpose(xpose::seq, in, out);
}
