// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Driver of transpose, copy and permute on a CUDA device: choose one of two kernels, cut the grid,
// launch, wait if asked. Assumes checked operands. The library instantiates it for words and named
// functions, a user's .cu for its own.
#pragma once

#include <xpose/backends/cuda/copy_runs.cuh>
#include <xpose/backends/cuda/transpose_tiles.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Elements beyond this fill whole 32-byte sectors by themselves, so a tile would gain nothing.
inline constexpr int most_bytes_in_tile = 32;

template <class Index, class In, class Out, class F>
void launch_copy(execution const& where, copy_plan const& plan, In const* in, Out* out,
                 F const& f) {
  tile_grid<Index> grid;
  if constexpr (sizeof(Out) <= most_bytes_in_tile) {
    if (plan.turns()) {
      index const tiles = cut_into_tiles(plan, transpose_tile::side, transpose_tile::side, grid);
      return launch(where, tiles, transpose_tile::threads, "transpose_tiles",
                    transpose_tiles<In, Out, F, Index>, in, out, grid, f);
    }
  }
  index const units = cut_into_tiles(plan, 1, 1, grid);
  launch(where, (units + copy_run::units - 1) / copy_run::units, copy_run::threads, "copy_runs",
         copy_runs<In, Out, F, Index>, in, out, grid, static_cast<Index>(units), f);
}

/// out(i..) = f(in(i..)). 64-bit offsets only: a second set of kernels would double the
/// compile time of every user function (0.2 s a kernel and architecture), and functions are bound
/// by memory.
template <class In, class Out, class F>
void cuda_copy(execution const& where, tensor_operand const& in, tensor_operand const& out,
               F const& f) {
  copy_plan const plan = plan_elements(in, out);
  launch_copy<index>(where, plan, first_unit<In const>(in, plan.in_offset),
                     first_unit<Out>(out, plan.out_offset), f);
  finish(where);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
