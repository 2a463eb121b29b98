// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: write transpose(policy, in, out) or transpose(policy, in, out, function), or copy

#include <xpose/xpose.hpp>

void call(xpose::matrix_view<float const> in, xpose::matrix_view<float> out) {
  xpose::copy(
      xpose::omp, [](float x) { return 2 * x; }, in, out);
}
