// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Plans too large for the 31-bit coordinates and block numbers of the kernels, cut in halves.
#pragma once

#include <xpose/backends/copy_plan.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// launch(plan) for pieces of a plan, whose strides are in bytes, with extents of at most 2^30 and
/// at most so many units. Cuts are at multiples of 1024 where they can be, which keep the alignment
/// of the whole.
template <class Launch>
void for_each_piece(copy_plan const& plan, index most_units, Launch const& launch) {
  constexpr index most_extent = index{1} << 30;
  int longest = 0;
  for (int d = 1; d < plan.count; ++d)
    if (plan.dimensions[d].extent > plan.dimensions[longest].extent) longest = d;
  auto const& cut = plan.dimensions[longest];
  if (plan.units <= most_units && cut.extent <= most_extent) return launch(plan);

  index const half = cut.extent / 2;
  index const front_extent = half >= 1024 ? half / 1024 * 1024 : half;
  copy_plan front = plan;
  front.dimensions[longest].extent = front_extent;
  front.units = plan.units / cut.extent * front_extent;
  copy_plan back = plan;
  back.dimensions[longest].extent = cut.extent - front_extent;
  back.units = plan.units - front.units;
  back.in_offset += front_extent * cut.in_stride;
  back.out_offset += front_extent * cut.out_stride;
  for_each_piece(front, most_units, launch);
  for_each_piece(back, most_units, launch);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
