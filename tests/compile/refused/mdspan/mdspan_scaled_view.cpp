// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: a scaled mdspan has no view, only inputs may be scaled

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/mdspan.hpp>

void call(alike::mdspan<float, 2> const& in, alike::mdspan<float, 2> const& out) {
  xpose::transpose(xpose::omp, in, alike::scaled(2.f, out));
}
