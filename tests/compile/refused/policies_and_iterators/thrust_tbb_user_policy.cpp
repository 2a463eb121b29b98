// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: thrust::tbb is not supported; use thrust::omp::par or xpose::omp

#include <xpose/thrust.hpp>
#include <xpose/xpose.hpp>

struct user_policy : thrust::tbb::execution_policy<user_policy> {};

void call(xpose::matrix_view<float const> a, xpose::matrix_view<float> c) {
  xpose::gemm(user_policy{}, a, a, c);
}
