// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: the mdspan's accessor changes elements in a way that xpose does not know

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/mdspan.hpp>

using negated = alike::negated_accessor<alike::default_accessor<float>>;

void call(alike::mdspan<float, 2, alike::strided_layout<2>, negated> const& m) { xpose::view(m); }
