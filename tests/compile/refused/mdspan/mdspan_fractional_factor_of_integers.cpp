// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: a floating scalar or factor would be cut to the integer type
// lines: 24

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/mdspan.hpp>

void call(alike::mdspan<int, 2> const& a, alike::mdspan<int, 2> const& c) {
  xpose::gemm(xpose::omp, alike::scaled(0.5, a), a, c);
}
