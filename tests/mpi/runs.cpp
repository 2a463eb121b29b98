// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The walks that copies take along a dimension, against one step for each position.
#include "processes.hpp"

#include "../../mpi/runs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace {

using xp::detail::dist_axis;
using xp::detail::families_of;
using xp::detail::runs_by_peer;
using xp::detail::total_of;

struct step {
  xp::index from, to;
  bool operator==(step const& other) const { return from == other.from && to == other.to; }
};

std::vector<step> steps_of(xp::detail::run_families const& families) {
  std::vector<step> steps;
  for (auto const& f : families)
    for (xp::index r = 0; r < f.repeat; ++r)
      for (xp::index i = 0; i < f.length; ++i)
        steps.push_back({f.from + r * f.from_step + i, f.to + r * f.to_step + i});
  return steps;
}

xp::index local_index(dist_axis const& axis, xp::index position) {
  xp::index const block = position / axis.block;
  return block / axis.processes * axis.block + position % axis.block;
}
int owner(dist_axis const& axis, xp::index position) {
  return static_cast<int>((position / axis.block + axis.first) % axis.processes);
}

void check_axes(dist_axis const& in, dist_axis const& out) {
  for (int me = 0; me < in.processes; ++me) {
    auto const runs = runs_by_peer(in, me, out);
    for (int peer = 0; peer < out.processes; ++peer) {
      std::vector<step> expected;
      for (xp::index at = 0; at < in.extent; ++at)
        if (owner(in, at) == me && owner(out, at) == peer)
          expected.push_back({local_index(in, at), local_index(out, at)});
      auto const& shared = runs[static_cast<std::size_t>(peer)];
      auto const count = static_cast<xp::index>(expected.size());
      REQUIRE(total_of(shared) == count);
      auto const by_from = [](step a, step b) { return a.from < b.from; };
      auto kept = steps_of(families_of(shared, 0, count, xp::detail::walk::mine_to_theirs));
      std::sort(kept.begin(), kept.end(), by_from);
      CHECK(kept == expected);
      // A piece from the middle: message positions count from its first.
      xp::index const first = count / 3;
      xp::index const length = (count - first) / 2;
      auto packed = steps_of(families_of(shared, first, length, xp::detail::walk::mine_to_message));
      std::sort(packed.begin(), packed.end(), by_from);
      REQUIRE(static_cast<xp::index>(packed.size()) == length);
      for (xp::index i = 0; i < length; ++i)
        CHECK(packed[static_cast<std::size_t>(i)] ==
              step{expected[static_cast<std::size_t>(first + i)].from, i});
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("mpi.runs");

TEST_CASE("families step through the positions that two processes share") {
  for (xp::index const extent : {1, 7, 16, 61, 97})
    for (xp::index const in_block : {1, 2, 5, 16, 200})
      for (xp::index const out_block : {1, 3, 4, 24})
        for (int const processes : {1, 2, 3, 4})
          check_axes({extent, in_block, processes, processes - 1},
                     {extent, out_block, 5 - processes, 0});
}

TEST_CASE("regular blocks are few families") {
  dist_axis const cyclic{960, 1, 4, 0};
  dist_axis const slabs{960, 240, 4, 0};
  auto const runs = runs_by_peer(slabs, 1, cyclic);
  CHECK(families_of(runs[2], 0, 60, xp::detail::walk::mine_to_message).size() == 1);
  dist_axis const blocks16{960, 16, 2, 0};
  dist_axis const blocks24{960, 24, 2, 0};
  for (auto const& shared : runs_by_peer(blocks16, 0, blocks24))
    CHECK(families_of(shared, 0, total_of(shared), xp::detail::walk::mine_to_theirs).size() <= 8);
}

TEST_CASE("blocks larger than the extent are one block") {
  xp::index const most = std::numeric_limits<xp::index>::max();
  auto const runs = runs_by_peer({9, most, 3, 1}, 1, {9, most - 1, 2, 0});
  CHECK(total_of(runs[0]) == 9);
  CHECK(total_of(runs[1]) == 0);
}

TEST_SUITE_END();
