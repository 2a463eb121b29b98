// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// message: xpose: permute needs a permutation of as many numbers as its mdspans have dimensions

#include "interop/views_of_others/mdspan_alike.hpp"

#include <xpose/mdspan.hpp>

void call(alike::mdspan<float, 3> const& in, alike::mdspan<float, 3> const& out) {
  xpose::permute(xpose::omp, in, out, std::array<int, 2>{1, 0});
}
