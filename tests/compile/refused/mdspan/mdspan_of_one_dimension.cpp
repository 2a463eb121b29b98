// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: an mdspan of rank 2 is a matrix and one of rank 3 a batch

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/mdspan.hpp>

void call(alike::mdspan<float, 1> const& m) { xpose::view(m); }
