// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: only permute takes a tensor_view; write xpose::view(tensor)

#include <xpose/xpose.hpp>

void call(xpose::tensor_view<float const, 2> const& in, xpose::tensor_view<float, 2> const& out) {
  xpose::transpose(xpose::omp, in, out);
}
