// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: a container has no rows and columns; name it v and write xpose::view(v, rows,
// cols)

#include <xpose/xpose.hpp>

#include <vector>

void call(std::vector<float> const& v, std::vector<float>& w) {
  xpose::transpose(xpose::omp, v, w);
}
