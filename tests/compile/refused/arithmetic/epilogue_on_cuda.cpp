// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: this combination of types, semiring and epilogue is not compiled into xpose

#include <xpose/xpose.hpp>

void call(xpose::matrix_view<float const> a, xpose::matrix_view<float> c) {
  xpose::gemm(xpose::cuda, a, a, c,
              xpose::options().epilogue([](float x) { return x > 0 ? x : 0; }));
}
