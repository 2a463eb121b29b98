// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: the factor of a scaled mdspan is multiplied by * and not by the semiring

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/mdspan.hpp>

void call(alike::mdspan<float, 2> const& a, alike::mdspan<float, 2> const& c) {
  xpose::gemm(xpose::omp, alike::scaled(2.f, a), a, c, xpose::options().over(xpose::min_plus{}));
}
