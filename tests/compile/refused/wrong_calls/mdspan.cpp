// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: an mdspan is an operand, beside views, where xpose/mdspan.hpp is included

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/xpose.hpp>

void call(alike::mdspan<float, 2> const& m, xpose::matrix_view<float> out) {
  xpose::transpose(xpose::omp, m, out);
}
