// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Operands beyond the second-level caches, which omp writes past them.
#pragma once

#include "support/backends.hpp"

#include <xpose/backends/omp/transpose/simd/moves.hpp>

#include <utility>
#include <vector>

namespace streamed {

using xpose::index;

constexpr int most_threads = 2;

/// What is written past the caches in this process from the first call of this on.
inline index bytes_moved() {
  constexpr index limit = 1 << 20;
  xpose::detail::set_streaming_threshold(limit);
  return limit + limit / 8;
}

/// omp with a guard before and behind operands, which also decides how they are aligned; alone and
/// in a team in turn.
template <class Visit>
void on_both_sides(int turn, Visit const& visit) {
  for (place const where : {place::host_guard_before, place::host_guard_behind}) {
    int const threads = turn++ % 2 == 0 ? 1 : most_threads;
    visit(make_backend("omp", where, xpose::omp.with(xpose::threads{threads})));
  }
}

/// Rows and columns of as many elements, each of which moves so many bytes: whole lines both ways,
/// a prime and an odd number, few long rows, few long columns.
inline std::vector<std::pair<index, index>> shapes(std::size_t bytes_per_element) {
  index const elements = bytes_moved() / static_cast<index>(bytes_per_element);
  return {{512, (elements / 512 | 63) + 1},
          {1031, (elements / 1031 + 2) | 1},
          {5, elements / 5 + 1},
          {elements / 5 + 1, 5}};
}

}  // namespace streamed
