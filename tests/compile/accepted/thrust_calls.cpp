// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the refused thrust_ files are near to: the command that refuses them accepts this one.

#include <xpose/thrust.hpp>
#include <xpose/xpose.hpp>

struct user_policy : thrust::omp::execution_policy<user_policy> {};

void call(xpose::matrix_view<float const> in, xpose::matrix_view<float> out) {
  xpose::transpose(thrust::omp::tag{}, in, out);
  xpose::gemm(user_policy{}, in, in, out);
  xpose::transpose(thrust::device, in, out);  // thrust.hpp brings its header
}
