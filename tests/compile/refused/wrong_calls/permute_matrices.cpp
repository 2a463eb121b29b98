// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: write permute(policy, in, out, permutation) or permute(policy, in, out,
// permutation, function)

#include <xpose/xpose.hpp>

#include <array>

void call(xpose::matrix_view<float const> in, xpose::matrix_view<float> out) {
  xpose::permute(xpose::omp, in, out, std::array<int, 2>{1, 0});
}
