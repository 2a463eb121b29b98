// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: the output view must not be const

#include <xpose/xpose.hpp>

void call(xpose::tensor_view<float const, 2> const& in,
          xpose::tensor_view<float const, 2> const& out) {
  xpose::permute(xpose::omp, in, out, std::array<int, 2>{1, 0});
}
