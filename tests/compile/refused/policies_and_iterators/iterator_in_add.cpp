// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: add does not take views of iterators; xpose::copy them to memory first

#include <xpose/xpose.hpp>

#include <vector>

using numbers = xpose::iterator_view<std::vector<bool>::const_iterator>;

void call(xpose::matrix_view<float const> a, numbers in, xpose::matrix_view<float> c) {
  xpose::add(xpose::omp, 1.f, a, 1.f, in, c);
}
