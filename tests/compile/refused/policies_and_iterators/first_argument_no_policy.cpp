// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: no matching function for call to

#include <xpose/xpose.hpp>

void call(xpose::matrix_view<float const> in, xpose::matrix_view<float> out) {
  xpose::transpose(8, in, out);
}
