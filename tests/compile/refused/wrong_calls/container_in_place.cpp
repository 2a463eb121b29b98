// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: a container has no rows and columns; name it v and write xpose::view(v, rows,
// cols)

#include <xpose/xpose.hpp>

#include <vector>

auto call(std::vector<float>& v) {
  auto const transposed = xpose::transpose_inplace(xpose::omp, v);
  return transposed;
}
