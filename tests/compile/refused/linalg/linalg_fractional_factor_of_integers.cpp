// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: would be cut to the integer type

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/linalg.hpp>

using matrix = alike::mdspan<float, 2>;
using vector = alike::mdspan<float, 1>;

void call(alike::mdspan<int, 2> A, alike::mdspan<int, 2> B) {
  xpose::linalg::copy(xpose::omp, xpose::linalg::scaled(0.5, A), B);
}
