// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: the mdspan's layout has no strides

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/linalg.hpp>

using matrix = alike::mdspan<float, 2>;
using vector = alike::mdspan<float, 1>;

void call(alike::mdspan<float, 2, alike::blocks> A, matrix C) {
  xpose::linalg::copy(xpose::omp, A, C);
}
