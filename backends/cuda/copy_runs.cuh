// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Copy in output order: consecutive threads take consecutive units of the output's fastest
// dimension. Used when the input is fastest along the same dimension, and for elements too large
// for a shared tile. Takes any strides and extents.
#pragma once

#include <xpose/backends/copy_plan.hpp>
#include <xpose/backends/cuda/launch.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

struct copy_run {
  static constexpr int threads = 256;
  static constexpr int units_per_thread = 4;  // independent loads in flight
  static constexpr int units = threads * units_per_thread;
};

template <class In, class Out, class F, class Index>
__global__ void __launch_bounds__(copy_run::threads)
    copy_runs(index first_block, In const* in, Out* out, tile_grid<Index> grid, Index units, F f) {
  Index const first = static_cast<Index>(first_block + blockIdx.x) * copy_run::units +
                      static_cast<Index>(threadIdx.x);
#pragma unroll
  for (int step = 0; step < copy_run::units_per_thread; ++step) {
    Index const unit = first + step * copy_run::threads;
    if (unit >= units) return;
    auto const at = grid.at(unit);
    out[at.out] = static_cast<Out>(f(in[at.in]));
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
