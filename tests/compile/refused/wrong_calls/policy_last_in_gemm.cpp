// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: the policy is the first argument, before all operands

#include <xpose/xpose.hpp>

void call(xpose::matrix_view<float const> in, xpose::matrix_view<float> out) {
  xpose::gemm(in, in, out, xpose::cuda.nosync());
}
