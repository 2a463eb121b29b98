// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// transpose, copy and permute on the cores: tiles that fit the first-level cache, handed out to
// threads in contiguous ranges. Assumes checked operands; takes any strides.
#pragma once

#include <xpose/backends/copy_plan.hpp>
#include <xpose/backends/omp/parallel.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Rows of a tile read along dimension 0 are strided on one side; writing along dimension 0 keeps
/// stores contiguous.
template <class In, class Out, class F>
void copy_tile(In const* in, Out* out, tile_grid<index> const& grid, index tile, F const& f) {
  auto const at = grid.at(tile);
  auto const& first = grid.dimensions[0];
  tile_grid<index>::dimension const none{1, 0, 0, 1, 1};
  auto const& second = grid.count > 1 ? grid.dimensions[grid.second] : none;
  index const width = std::min(first.units_in_tile, first.extent - at.first);
  index const height = std::min(second.units_in_tile, second.extent - at.second);

  for (index j = 0; j < height; ++j) {
    In const* from = in + at.in + j * second.in_stride;
    Out* to = out + at.out + j * second.out_stride;
    if (first.in_stride == 1 && first.out_stride == 1)
      for (index i = 0; i < width; ++i) to[i] = static_cast<Out>(f(from[i]));
    else if (first.out_stride == 1)
      for (index i = 0; i < width; ++i) to[i] = static_cast<Out>(f(from[i * first.in_stride]));
    else
      for (index i = 0; i < width; ++i)
        to[i * first.out_stride] = static_cast<Out>(f(from[i * first.in_stride]));
  }
}

/// in and out are moved to the plan's first unit.
template <class In, class Out, class F>
void copy_in_tiles(int threads, copy_plan const& plan, In const* in, Out* out, F const& f) {
  // A turned tile holds 64 lines of either side: 4 KB for 1-byte elements, 32 KB for 8-byte ones.
  // Runs in order are cut into 32 KB pieces, or into as many whole runs as fill that.
  constexpr index turned_units = sizeof(Out) <= 8 ? 64 : 32;
  constexpr index piece_bytes = 32768;
  index const run =
      std::max<index>(1, std::min(plan.dimensions[0].extent, piece_bytes / index{sizeof(Out)}));
  index const first_units = plan.turns() ? turned_units : run;
  index const second_units =
      plan.turns() ? turned_units : std::max<index>(1, piece_bytes / index{sizeof(Out)} / run);
  // Waking a team costs more than moving this much on one thread.
  constexpr index serial_bytes = 65536;
  int const team = plan.units * index{sizeof(Out)} <= serial_bytes ? 1 : threads;

  tile_grid<index> grid;
  index const tiles = cut_into_tiles(plan, first_units, second_units, grid);
  parallel_for(team, tiles, [&](index tile) { copy_tile(in, out, grid, tile, f); });
}

/// out(i..) = f(in(i..)).
template <class In, class Out, class F>
void omp_copy(int threads, tensor_operand const& in, tensor_operand const& out, F const& f) {
  copy_plan const plan = plan_elements(in, out);
  copy_in_tiles(threads, plan, first_unit<In const>(in, plan.in_offset),
                first_unit<Out>(out, plan.out_offset), f);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
