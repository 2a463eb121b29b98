// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: write permute(policy, in, out, permutation) or permute(policy, in, out,
// permutation, function)

#include <xpose/xpose.hpp>

#include <array>

void call(xpose::tensor_view<float, 3> const& t) {
  xpose::permute(xpose::omp, t, t, std::array<int, 2>{1, 0});
}
