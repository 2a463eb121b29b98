// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// All shortest paths of a graph by matrix multiplication over (min, +): squaring the matrix of
// distances doubles the number of edges that a path may have.

#include "managed_vector.hpp"

#include <xpose/xpose.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>

namespace xp = xpose;

constexpr xp::index places = 6;
constexpr float none = std::numeric_limits<float>::infinity();

using distances = managed_vector<float>;

// A ring of six roads of length 1, one way, and a shortcut from 0 to 3.
distances roads() {
  distances length(places * places, none);
  xp::matrix_view<float> const from_to(length.data(), places, places);
  for (xp::index i = 0; i < places; ++i) {
    from_to(i, i) = 0;
    from_to(i, (i + 1) % places) = 1;
  }
  from_to(0, 3) = 1.5f;
  return length;
}

template <class Policy>
distances shortest_paths(Policy policy) {
  distances length = roads();
  distances longer(length.size());
  for (xp::index edges = 1; edges < places; edges *= 2) {
    xp::matrix_view<float const> const D(length.data(), places, places);
    xp::matrix_view<float> const D2(longer.data(), places, places);
    xp::gemm(policy, D, D, D2, xp::options().over(xp::min_plus{}));
    std::swap(length, longer);
  }
  return length;
}

// The textbook's three loops (Floyd and Warshall), to check with.
distances expected_paths() {
  distances length = roads();
  xp::matrix_view<float> const from_to(length.data(), places, places);
  for (xp::index via = 0; via < places; ++via)
    for (xp::index i = 0; i < places; ++i)
      for (xp::index j = 0; j < places; ++j)
        from_to(i, j) = std::min(from_to(i, j), from_to(i, via) + from_to(via, j));
  return length;
}

int main() {
  distances paths = shortest_paths(xp::omp);
  for (xp::index i = 0; i < places; ++i) {
    for (xp::index j = 0; j < places; ++j)
      std::printf("%5.1f", static_cast<double>(paths[static_cast<std::size_t>(i * places + j)]));
    std::puts("");
  }
  bool const right = paths == expected_paths() && shortest_paths(xp::cuda) == paths;
  std::puts(right ? "omp and cuda found the shortest paths" : "the paths are wrong");
  return right ? 0 : 1;
}
