// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: matrices go to matrix_product

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/linalg.hpp>

using matrix = alike::mdspan<float, 2>;
using vector = alike::mdspan<float, 1>;

void call(matrix A, matrix B, matrix C) {
  xpose::linalg::matrix_vector_product(xpose::omp, A, B, C);
}
