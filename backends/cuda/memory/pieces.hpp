// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Plans too large for the 31-bit coordinates and block numbers of the kernels, cut in two. A piece
// may lie at other addresses than the whole, so its kernel is chosen by itself.
#pragma once

#include <xpose/backends/core/problems/copy_plan.hpp>

#include <array>

namespace xpose {
inline namespace v0 {
namespace detail {

/// What a kernel can number at once.
struct piece_limits {
  index units;
  index extent;
  bool keeps_runs;  // dimension 0 is cut only where nothing else can be
};

inline bool is_one_piece(copy_plan const& plan, piece_limits const& most) {
  for (int d = 0; d < plan.count; ++d)
    if (plan.dimensions[d].extent > most.extent) return false;
  return plan.units <= most.units;
}

/// The longest, of those that are not to be kept; of several the outermost: an output without gaps
/// is then cut in two of which neither has any.
inline int dimension_to_cut(copy_plan const& plan, piece_limits const& most) {
  int longest = most.keeps_runs && plan.count > 1 ? 1 : 0;
  for (int d = longest + 1; d < plan.count; ++d)
    if (plan.dimensions[d].extent >= plan.dimensions[longest].extent) longest = d;
  bool const is_run_too_long = plan.dimensions[0].extent > most.extent;
  return is_run_too_long || plan.dimensions[longest].extent == 1 ? 0 : longest;
}

/// Front and back of a plan that is not one piece and whose strides are in bytes. At a multiple of
/// 64 elements where there are so many, which leaves both sides at multiples of a sector if the
/// whole is at such; at one of 1024, which also fills the tiles of the front, where it is near the
/// half.
inline std::array<copy_plan, 2> cut_in_two(copy_plan const& plan, piece_limits const& most) {
  int const d = dimension_to_cut(plan, most);
  auto const& cut = plan.dimensions[d];
  index const half = cut.extent / 2;
  index const step = half >= 1024 ? 1024 : half >= 64 ? 64 : 1;
  index const front_extent = half / step * step;
  copy_plan front = plan;
  front.dimensions[d].extent = front_extent;
  front.units = plan.units / cut.extent * front_extent;
  copy_plan back = plan;
  back.dimensions[d].extent = cut.extent - front_extent;
  back.units = plan.units - front.units;
  back.in_offset += front_extent * cut.in_stride;
  back.out_offset += front_extent * cut.out_stride;
  return {front, back};
}

/// launch(plan) for the pieces of a plan, in the order of its units.
template <class Launch>
void for_each_piece(copy_plan const& plan, piece_limits const& most, Launch const& launch) {
  if (is_one_piece(plan, most)) return launch(plan);
  for (copy_plan const& half : cut_in_two(plan, most)) for_each_piece(half, most, launch);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
