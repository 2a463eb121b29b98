// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: this combination of types, semiring and epilogue is not compiled into xpose

#include <xpose/xpose.hpp>

struct widest_path {
  float zero() const { return 0; }
  float add(float a, float b) const { return a > b ? a : b; }
  float multiply(float a, float b) const { return a < b ? a : b; }
};

void call(xpose::matrix_view<float const> a, xpose::matrix_view<float> c) {
  xpose::gemm(xpose::cuda, a, a, c, xpose::options().over(widest_path{}));
}
