// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A type and a semiring of one's own in gemm: routes that have a length and a number of changes.
// The product of two tables of routes has, from each place to each other, the shortest route via
// any third one and, of those that are equally long, the one with the fewest changes.

#include "managed_vector.hpp"

#include <xpose/xpose.hpp>

#include <chrono>
#include <cstdio>
#include <limits>
#include <utility>

namespace xp = xpose;

struct route {
  float length;
  int changes;
};

__host__ __device__ bool operator==(route const& a, route const& b) {
  return a.length == b.length && a.changes == b.changes;
}

struct shortest_with_fewest_changes {
  static constexpr float none = std::numeric_limits<float>::infinity();

  __host__ __device__ route zero() const { return {none, 0}; }
  __host__ __device__ route add(route const& a, route const& b) const {
    bool const is_b = b.length < a.length || (b.length == a.length && b.changes < a.changes);
    return is_b ? b : a;
  }
  __host__ __device__ route multiply(route const& a, route const& b) const {
    float const length = a.length + b.length;
    return {length, length == none ? 0 : a.changes + b.changes};
  }
};

using routes = managed_vector<route>;

// Four roads from every place, of lengths 1 to 8, to places 1, 8, 27 and 64 further on.
routes roads(xp::index places) {
  shortest_with_fewest_changes const over;
  routes table(static_cast<std::size_t>(places * places), over.zero());
  xp::matrix_view<route> const from_to(table.data(), places, places);
  for (xp::index i = 0; i < places; ++i) {
    from_to(i, i) = {0, 0};
    for (xp::index road = 1; road <= 4; ++road) {
      xp::index const j = (i + road * road * road) % places;
      from_to(i, j) = {static_cast<float>((i * road + j) % 8 + 1), 1};
    }
  }
  return table;
}

template <class Policy>
void join(Policy policy, routes const& first, routes const& second, routes& joined,
          xp::index places) {
  xp::matrix_view<route const> const A(first.data(), places, places);
  xp::matrix_view<route const> const B(second.data(), places, places);
  xp::matrix_view<route> const C(joined.data(), places, places);
  xp::gemm(policy, A, B, C, xp::options().over(shortest_with_fewest_changes{}));
}

// Each step doubles the number of roads that a route may have.
template <class Policy>
routes all_routes(Policy policy, xp::index places) {
  routes table = roads(places);
  routes longer(table.size());
  for (xp::index most = 1; most < places; most *= 2) {
    join(policy, table, table, longer, places);
    std::swap(table, longer);
  }
  return table;
}

double seconds_of_a_join(xp::index places) {
  routes const table = roads(places);
  routes joined(table.size());
  double best = std::numeric_limits<double>::max();
  for (int run = 0; run < 5; ++run) {  // the first one brings the tables to the device
    auto const start = std::chrono::steady_clock::now();
    join(xp::cuda, table, table, joined, places);
    std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - start;
    best = taken.count() < best ? taken.count() : best;
  }
  return best;
}

int main() {
  routes const table = all_routes(xp::cuda, 150);
  bool const right = table == all_routes(xp::seq, 150);
  std::printf("from place 0 to 149: length %g, %d changes\n",
              static_cast<double>(table[149].length), table[149].changes);

  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) {
    constexpr xp::index places = 4096;
    double const steps = static_cast<double>(places) * places * places;
    double const seconds = seconds_of_a_join(places);
    std::printf("%lld places joined in %.3g ms: %.3g thousand million pairs of routes a second\n",
                static_cast<long long>(places), 1e3 * seconds, 1e-9 * steps / seconds);
  }
  std::puts(right ? "cuda and seq found the same routes" : "the routes differ");
  return right ? 0 : 1;
}
