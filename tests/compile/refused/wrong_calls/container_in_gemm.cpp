// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: a container has no rows and columns; name it v and write xpose::view(v, rows,
// cols)

#include <xpose/xpose.hpp>

#include <array>

void call(std::array<float, 12> const& v, xpose::matrix_view<float> C) {
  xpose::gemm(xpose::omp, 2.f, v, C, 0.f, C);
}
