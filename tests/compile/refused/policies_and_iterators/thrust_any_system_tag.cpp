// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: this Thrust policy names no system that xpose knows

#include <xpose/thrust.hpp>
#include <xpose/xpose.hpp>

#include <thrust/iterator/iterator_traits.h>

void call(xpose::matrix_view<float const> in, xpose::matrix_view<float> out) {
  xpose::transpose(thrust::any_system_tag{}, in, out);
}
