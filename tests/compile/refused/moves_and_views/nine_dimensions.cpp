// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: permute takes tensors of up to 8 dimensions
// lines: 24

#include <xpose/xpose.hpp>

void call(xpose::tensor_view<float const, 9> const& in, xpose::tensor_view<float, 9> const& out) {
  xpose::permute(xpose::omp, in, out, std::array<int, 9>{8, 7, 6, 5, 4, 3, 2, 1, 0});
}
