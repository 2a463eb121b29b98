// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: a user function on xpose::cuda must be compiled by nvcc (name this file .cu)

#include <xpose/xpose.hpp>

void call(xpose::matrix_view<float const> in, xpose::matrix_view<float> out) {
  xpose::transpose(xpose::cuda, in, out, [](float x) { return 2 * x; });
}
