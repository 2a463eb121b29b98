// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: add of these element types is not compiled into xpose

#include <xpose/xpose.hpp>

void call(xpose::matrix_view<float const> a, xpose::matrix_view<double> c) {
  xpose::add(xpose::cuda, 1, a, 1, a, c);
}
