// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: thrust::tbb is not supported; use thrust::omp::par or xpose::omp

#include <xpose/thrust.hpp>
#include <xpose/xpose.hpp>

// par itself needs TBB's headers; a tag is a policy like any other.
void call(xpose::matrix_view<float const> in, xpose::matrix_view<float> out) {
  xpose::transpose(thrust::tbb::tag{}, in, out);
}
