// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A call of omp's copies and transposes, and the walk of its threads over tiles. The kernels of
// rows are in rows.cpp, the others in driver.cpp.
#pragma once

#include <xpose/backends/core/problems/copy_plan.hpp>
#include <xpose/backends/omp/runtime/team.hpp>
#include <xpose/backends/omp/runtime/workspace.hpp>
#include <xpose/backends/omp/transpose/simd/moves.hpp>
#include <xpose/backends/omp/transpose/tile_function.hpp>
#include <xpose/backends/omp/transpose/tile_walk.hpp>

#include <algorithm>
#include <cstdint>

namespace xpose {
inline namespace v0 {
namespace detail {

/// One call: what is copied, and how.
struct copy_job {
  copy_plan const& plan;
  shape_class shape;
  char const* in;
  char* out;
  tile_function const* function;  // null: a bit copy
  char* memory;                   // of copy_workspace_bytes(); null: the call takes its own
  int team = 1;
  store_mode mode = store_mode::cached;

  index bytes() const { return plan.dimensions[0].extent; }
  /// The dimension that a tile spans besides dimension 1.
  int second() const { return plan.in_fastest > 1 ? plan.in_fastest : 2; }
  copy_plan::dimension dimension(int d) const {
    return d < plan.count ? plan.dimensions[d] : copy_plan::dimension{1, 0, 0};
  }
};

/// Calls visit(in, out, extent along axis 0, along axis 1, range) for every tile. Each thread takes
/// one contiguous range of them. `simd`: the kernels that streamed; null: none did.
template <class Visit>
void for_each_tile(copy_job const& job, tile_walk const& walk, simd_kernels const* simd,
                   Visit const& visit) {
  index const ranges = std::min<index>(job.team, walk.tiles);
  auto const visit_range = [&](index first, index last, index range) {
    walk.visit(first, last, [&](index in, index out, index extent_0, index extent_1) {
      visit(job.in + in, job.out + out, extent_0, extent_1, range);
    });
    if (simd != nullptr && job.mode == store_mode::streamed) simd->flush_stream();
  };
  if (ranges == 1) return visit_range(0, walk.tiles, 0);
  parallel_for(job.team, ranges, [&](index range) {
    visit_range(walk.tiles * range / ranges, walk.tiles * (range + 1) / ranges, range);
  });
}

/// The same with workspace for the SIMD transposes: visit(.., workspace).
template <class Visit>
void for_each_transposed_tile(copy_job const& job, tile_walk const& walk, simd_kernels const& simd,
                              Visit const& visit) {
  index const own_ranges = job.memory != nullptr ? 0 : std::min<index>(job.team, walk.tiles);
  workspace const own(own_ranges * transpose_workspace_bytes, job.team);
  char* const memory = job.memory != nullptr ? job.memory : own.data();
  for_each_tile(job, walk, &simd, [&](char const* in, char* out, index a, index b, index range) {
    visit(in, out, a, b, memory + range * transpose_workspace_bytes);
  });
}

/// Whether an address is that of a cache line, and stays so at any multiple of the strides.
inline bool is_line_aligned(char const* address, index strides) {
  return (reinterpret_cast<std::uintptr_t>(address) | static_cast<std::uintptr_t>(strides)) % 64 ==
         0;
}

/// Adds every dimension of the plan from `first` on but `skipped`, without tiles.
inline void add_remaining_dimensions(tile_walk& walk, copy_plan const& plan, int first,
                                     int skipped) {
  for (int d = first; d < plan.count; ++d)
    if (d != skipped) walk.add(tiled(plan.dimensions[d], 1));
}

/// One contiguous run; contiguous rows in one order on both sides.
void copy_run(copy_job const& job);
void copy_rows(copy_job const& job);
/// Rows that the input has in another order than the output.
void reorder_rows(copy_job const& job);
/// Applies the function along contiguous output rows.
void apply_rows(copy_job const& job);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
