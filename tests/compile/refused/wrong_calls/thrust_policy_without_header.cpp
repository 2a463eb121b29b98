// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: the first argument says where the call runs: xpose::omp, xpose::cuda, xpose::seq,
// xpose::automatic, or with xpose/thrust.hpp a Thrust policy

#include <xpose/xpose.hpp>

#include <thrust/execution_policy.h>

void call(xpose::matrix_view<float const> in, xpose::matrix_view<float> out) {
  xpose::transpose(thrust::host, in, out);
}
