// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: the output cannot be a conjugated view

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/mdspan.hpp>

#include <complex>

using matrix = alike::mdspan<std::complex<float>, 2>;

void call(matrix const& in, matrix const& out) {
  xpose::transpose(xpose::omp, in, alike::conjugated(out));
}
