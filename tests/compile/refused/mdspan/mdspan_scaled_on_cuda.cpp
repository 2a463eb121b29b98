// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: a user function on xpose::cuda must be compiled by nvcc

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/mdspan.hpp>

void call(alike::mdspan<float, 2> const& in, alike::mdspan<float, 2> const& out) {
  xpose::transpose(xpose::cuda, alike::scaled(2.f, in), out);
}
