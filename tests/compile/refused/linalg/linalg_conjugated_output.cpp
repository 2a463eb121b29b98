// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: gemm's C cannot be a conjugated view

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/linalg.hpp>

using matrix = alike::mdspan<float, 2>;
using vector = alike::mdspan<float, 1>;

void call(matrix A, matrix B, matrix C) {
  xpose::linalg::matrix_product(xpose::omp, A, B, xpose::linalg::conjugated(C));
}
