// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The program of docs/tutorial_shortest_paths.md: lengths of shortest paths by products over
// min-plus.

#include <xpose/xpose.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

namespace xp = xpose;

constexpr xp::index places = 60;
constexpr xp::index depots = 4;
constexpr float none = std::numeric_limits<float>::infinity();

// Every place has a one-way road to the next two, and place 0 a long one to place 30.
std::vector<float> roads() {
  std::vector<float> length(places * places, none);
  xp::matrix_view<float> const from_to(length.data(), places, places);
  for (xp::index i = 0; i < places; ++i) {
    from_to(i, i) = 0;
    from_to(i, (i + 1) % places) = 1;
    from_to(i, (i + 2) % places) = 1.5f;
  }
  from_to(0, 30) = 5;
  return length;
}

// The textbook's three loops (Floyd and Warshall), to check with.
std::vector<float> by_loops() {
  std::vector<float> length = roads();
  xp::matrix_view<float> const d(length.data(), places, places);
  for (xp::index via = 0; via < places; ++via)
    for (xp::index i = 0; i < places; ++i)
      for (xp::index j = 0; j < places; ++j) d(i, j) = std::min(d(i, j), d(i, via) + d(via, j));
  return length;
}

int main() {
  std::vector<float> length = roads();
  std::vector<float> longer(length.size());
  for (xp::index edges = 1; edges < places; edges *= 2) {
    xp::matrix_view<float const> const D(length.data(), places, places);
    xp::matrix_view<float> const D2(longer.data(), places, places);
    xp::gemm(xp::omp, D, D, D2, xp::options().over(xp::min_plus{}));
    std::swap(length, longer);
  }

  std::vector<float> const graph = roads();
  xp::matrix_view<float const> const A(graph.data(), places, places);
  std::vector<float> from_depots(depots * places, none), next(depots * places);
  xp::matrix_view<float> start(from_depots.data(), depots, places);
  for (xp::index k = 0; k < depots; ++k) start(k, 15 * k) = 0;
  for (xp::index edges = 1; edges < places; ++edges) {
    xp::matrix_view<float const> const S(from_depots.data(), depots, places);
    xp::matrix_view<float> const T(next.data(), depots, places);
    xp::gemm(xp::omp, S, A, T, xp::options().over(xp::min_plus{}));
    std::swap(from_depots, next);
  }

  std::vector<std::uint8_t> one_road(places * places), two_roads(places * places);
  for (std::size_t i = 0; i < one_road.size(); ++i) one_road[i] = graph[i] < none;
  xp::matrix_view<std::uint8_t> const R(one_road.data(), places, places);
  xp::matrix_view<std::uint8_t> const R2(two_roads.data(), places, places);
  xp::gemm(xp::omp, R, R, R2, xp::options().over(xp::or_and{}));

  std::vector<float> const expected = by_loops();
  bool right = length == expected && R2(0, 4) == 1 && R2(0, 5) == 0;
  for (xp::index k = 0; k < depots; ++k)
    right = right &&
            std::equal(from_depots.begin() + k * places, from_depots.begin() + (k + 1) * places,
                       expected.begin() + 15 * k * places);
  std::printf("from 0 to 29: %g, to 31: %g; %s\n", static_cast<double>(length[29]),
              static_cast<double>(length[31]), right ? "as by three loops" : "wrong");
  return right ? 0 : 1;
}
