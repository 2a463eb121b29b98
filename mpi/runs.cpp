// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "runs.hpp"

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// Positions from.. are copied to to.., count of them.
struct copied_run {
  index from;
  index to;
  index count;
};

copied_run copied(shared_run const& run, index first, walk w) {
  index const in_message = run.offset - first;
  switch (w) {
    case walk::mine_to_message:
      return {run.mine, in_message, run.count};
    case walk::message_to_mine:
      return {in_message, run.mine, run.count};
    case walk::mine_to_theirs:
      break;
  }
  return {run.mine, run.theirs, run.count};
}

/// The runs of [first, first + count), joined where one continues the last on both sides.
std::vector<copied_run> copied_runs(shared_runs const& runs, index first, index count, walk w) {
  std::vector<copied_run> copied_ones;
  auto const behind_first = std::upper_bound(
      runs.begin(), runs.end(), first,
      [](index position, shared_run const& run) { return position < run.offset + run.count; });
  for (auto run = behind_first; run != runs.end() && run->offset < first + count; ++run) {
    index const skipped = std::max<index>(0, first - run->offset);
    index const end = std::min(run->count, first + count - run->offset);
    shared_run const part{run->mine + skipped, run->theirs + skipped, end - skipped,
                          run->offset + skipped};
    copied_run const next = copied(part, first, w);
    if (!copied_ones.empty()) {
      copied_run& last = copied_ones.back();
      if (last.from + last.count == next.from && last.to + last.count == next.to) {
        last.count += next.count;
        continue;
      }
    }
    copied_ones.push_back(next);
  }
  return copied_ones;
}

/// How many runs from `first` on repeat with the period, the same steps and the same lengths.
std::size_t repeating(std::vector<copied_run> const& runs, std::size_t first, std::size_t period) {
  if (first + 2 * period > runs.size()) return 0;
  copied_run const& start = runs[first];
  copied_run const& second = runs[first + period];
  std::size_t at = first + period;
  for (; at < runs.size(); ++at) {
    copied_run const& before = runs[at - period];
    if (runs[at].count != before.count || runs[at].from - before.from != second.from - start.from ||
        runs[at].to - before.to != second.to - start.to)
      break;
  }
  std::size_t const whole = (at - first) / period * period;
  return whole < 2 * period ? 0 : whole;
}

/// A block larger than the extent means the same as one of its size, and its multiples fit an
/// index.
dist_axis with_block_within(dist_axis axis) {
  axis.block = std::min(axis.block, std::max<index>(axis.extent, 1));
  return axis;
}

}  // namespace

std::vector<shared_runs> runs_by_peer(dist_axis const& my_axis, int me,
                                      dist_axis const& their_axis) {
  dist_axis const mine = with_block_within(my_axis);
  dist_axis const theirs = with_block_within(their_axis);
  std::vector<shared_runs> runs(static_cast<std::size_t>(theirs.processes));
  if (mine.local_extent(me) == 0) return runs;
  index local = 0;
  for (index start = mine.distance_of(me) * mine.block; start < mine.extent;
       start += mine.block * mine.processes) {
    index const end = std::min(start + mine.block, mine.extent);
    for (index at = start; at < end;) {
      index const block = at / theirs.block;
      index const count = std::min(end, (block + 1) * theirs.block) - at;
      auto& peer = runs[static_cast<std::size_t>((block + theirs.first) % theirs.processes)];
      index const remote = block / theirs.processes * theirs.block + at % theirs.block;
      index const offset = total_of(peer);
      if (!peer.empty() && peer.back().mine + peer.back().count == local &&
          peer.back().theirs + peer.back().count == remote)
        peer.back().count += count;
      else peer.push_back({local, remote, count, offset});
      at += count;
      local += count;
    }
  }
  return runs;
}

run_families families_of(shared_runs const& runs, index first, index count, walk w) {
  // Blocks of two sizes repeat after a few runs: lcm(16, 24) has at most 4 of a pair.
  constexpr std::size_t longest_period = 8;
  auto const all = copied_runs(runs, first, count, w);
  run_families families;
  for (std::size_t at = 0; at < all.size();) {
    std::size_t best_period = 1;
    std::size_t best_length = 1;
    for (std::size_t period = 1; period <= longest_period; ++period) {
      std::size_t const length = repeating(all, at, period);
      // A longer period pays when it covers more runs a family.
      if (length * best_period > best_length * period) {
        best_period = period;
        best_length = length;
      }
    }
    for (std::size_t k = at; k < at + best_period; ++k) {
      bool const repeats = best_length > best_period;
      copied_run const step = repeats ? all[k + best_period] : all[k];
      families.push_back({all[k].from, step.from - all[k].from, all[k].to, step.to - all[k].to,
                          all[k].count, static_cast<index>(best_length / best_period)});
    }
    at += best_length;
  }
  return families;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
