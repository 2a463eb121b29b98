// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: the output view must not be const

#include <xpose/xpose.hpp>

void call(float const (&in)[3][4], float const (&out)[4][3]) {
  xpose::transpose(xpose::omp, in, out);
}
