// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: gemm reads each element many times and does not take views of iterators;
// xpose::copy them to memory first

#include <xpose/xpose.hpp>

#include <vector>

using numbers = xpose::iterator_view<std::vector<bool>::const_iterator>;

void call(numbers in, xpose::matrix_view<float const> b, xpose::matrix_view<float> c) {
  xpose::gemm(xpose::omp, in, b, c);
}
