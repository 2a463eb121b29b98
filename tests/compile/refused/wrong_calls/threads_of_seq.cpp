// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: seq.with() takes a pool: a variable with allocate and deallocate

#include <xpose/xpose.hpp>

void call(xpose::matrix_view<float const> in, xpose::matrix_view<float> out) {
  xpose::transpose(xpose::seq.with(xpose::threads{4}), in, out);
}
