// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Bit copies in output order, one word an access, on the kernel that copies through functions use.
#pragma once

#include <xpose/backends/cuda/elementwise/direct.cuh>

namespace xpose::detail {

template <int W>
void run_direct(execution const& where, transpose_config const&, bit_copy const& copy) {
  outer_dimensions dimensions{};
  if (copy.words_in_run > 1) dimensions.add({copy.words_in_run, W, W});
  for (int d = 1; d < copy.plan.count; ++d) dimensions.add(copy.plan.dimensions[d]);
  using word = typename word_of<W>::type;
  launch_direct<word, word>(where, copy.in, copy.out, dimensions, copy.word_count, identity{});
}

}  // namespace xpose::detail
