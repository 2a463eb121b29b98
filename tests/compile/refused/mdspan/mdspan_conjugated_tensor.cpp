// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: a tensor_view is neither scaled nor conjugated

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/mdspan.hpp>

#include <complex>

void call(alike::mdspan<std::complex<float>, 4> const& m) { xpose::tensor(alike::conjugated(m)); }
