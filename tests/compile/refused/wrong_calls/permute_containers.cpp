// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: write permute(policy, in, out, permutation) or permute(policy, in, out,
// permutation, function)

#include <xpose/xpose.hpp>

#include <vector>

void call(std::vector<float> const& v, std::vector<float>& w) {
  xpose::permute(xpose::omp, v, w, {2, 0, 1});
}
