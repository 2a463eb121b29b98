// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: the mdspan's accessor changes elements in a way that xpose does not know

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/mdspan.hpp>

// Reads and writes through something else than a reference, as an accessor of atomics does.
struct halves {
  struct reference {};
  using element_type = float;
  using data_handle_type = float*;
};

void call(alike::mdspan<float, 2, alike::strided_layout<2>, halves> const& m) { xpose::view(m); }
