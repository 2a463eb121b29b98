// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: batches go to xpose::add and xpose::copy

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/linalg.hpp>

using matrix = alike::mdspan<float, 2>;
using vector = alike::mdspan<float, 1>;

void call(alike::mdspan<float, 3> in, alike::mdspan<float, 3> out) {
  xpose::linalg::copy(xpose::omp, in, out);
}
