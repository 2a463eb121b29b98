// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose's views and what xpose::view takes go to xpose::gemm, add and copy

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/linalg.hpp>

using matrix = alike::mdspan<float, 2>;
using vector = alike::mdspan<float, 1>;

void call(matrix A, matrix B, xpose::matrix_view<float> C) {
  xpose::linalg::matrix_product(xpose::omp, A, B, C);
}
