// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: rows of a vector of vectors lie apart

#include <xpose/xpose.hpp>

#include <vector>

void call(std::vector<std::vector<float>> const& v, xpose::matrix_view<float> out) {
  xpose::transpose(xpose::omp, v, out);
}
