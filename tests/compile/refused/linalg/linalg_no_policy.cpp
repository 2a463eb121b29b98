// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: the first argument is a policy of xpose or Thrust

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/linalg.hpp>

using matrix = alike::mdspan<float, 2>;
using vector = alike::mdspan<float, 1>;

void call(matrix A, matrix B, matrix E, matrix C) { xpose::linalg::matrix_product(A, B, E, C); }
