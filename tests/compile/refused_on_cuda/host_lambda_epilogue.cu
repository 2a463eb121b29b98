// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: this epilogue is a lambda that runs on the host only
// flags: --extended-lambda

#include <xpose/xpose.hpp>

void call(xpose::matrix_view<float const> in, xpose::matrix_view<float> out) {
  auto const bias = 0.5f;
  xpose::gemm(xpose::automatic, in, in, out,
              xpose::options().epilogue([bias](float x) { return x + bias; }));
}
