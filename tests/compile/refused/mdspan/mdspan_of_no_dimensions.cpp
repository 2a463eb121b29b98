// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: an mdspan without dimensions is no tensor

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/mdspan.hpp>

void call(alike::mdspan<float, 0> const& m) { xpose::tensor(m); }
