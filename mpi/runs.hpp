// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Which positions of a dimension pass from one process to another. A position has an index on the
// process that has it now and one on the process that gets it; runs are positions where both count
// upwards together.
//
//   16 positions, blocks of 2 over processes 0 and 1  ->  slabs of 8 over processes 0 and 1
//   in:   0 0 1 1 0 0 1 1 | 0 0 1 1 0 0 1 1
//   out:  0 0 0 0 0 0 0 0 | 1 1 1 1 1 1 1 1
//   from process 1 to 0: positions 2 3 6 7, which are 0 1 2 3 of the sender's (one run there) and
//   2 3, 6 7 of the receiver's (two runs, one family: length 2, repeated 2 times, 4 apart)
#pragma once

#include <xpose/dist_matrix_view.hpp>

#include <vector>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Positions mine.. of one process are positions theirs.. of another, count of them; `offset` of
/// those that pass between the two come before.
struct shared_run {
  index mine;
  index theirs;
  index count;
  index offset;
};
using shared_runs = std::vector<shared_run>;

inline index total_of(shared_runs const& runs) {
  return runs.empty() ? 0 : runs.back().offset + runs.back().count;
}

/// Of process `me` of an axis, with every process of another axis of the same extent; in ascending
/// order of the global position, on both sides of the same pair. Costs a step for each block.
std::vector<shared_runs> runs_by_peer(dist_axis const& mine, int me, dist_axis const& theirs);

/// How a copy walks along one dimension: `repeat` times `length` positions, in two memories.
struct run_family {
  index from;
  index from_step;
  index to;
  index to_step;
  index length;
  index repeat;
};
using run_families = std::vector<run_family>;

/// What the families of a piece of shared runs step through.
enum class walk {
  mine_to_message,  // packing
  message_to_mine,  // unpacking
  mine_to_theirs    // both on this process
};

/// Positions [first, first + count) of the runs, in as few families as repeat regularly.
run_families families_of(shared_runs const& runs, index first, index count, walk w);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
