// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: this lambda runs on the host only; where a GPU may run it, write [] __host__
// __device__ (..)

#include <xpose/xpose.hpp>

void call(xpose::matrix_view<float const> in, xpose::matrix_view<float> out) {
  xpose::transpose(xpose::cuda, in, out, [](float x) { return 2 * x; });
}
