// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transpose through shared memory: a 32x32 tile is read along the input's fast dimension and
// written along the output's. Used when the two differ. Assumes nothing of alignment, strides or
// extents; the edge of a tile is cut by comparison.
#pragma once

#include <xpose/backends/copy_plan.hpp>
#include <xpose/backends/cuda/launch.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

struct transpose_tile {
  static constexpr int side = 32;
  static constexpr int threads = 256;
  static constexpr int rows_per_step = threads / side;
  static constexpr int pad =
      1;  // one element: column reads of 4-byte elements meet 32 different banks
};

template <class In, class Out, class F, class Index>
__global__ void __launch_bounds__(transpose_tile::threads)
    transpose_tiles(index first_block, In const* in, Out* out, tile_grid<Index> grid, F f) {
  constexpr int side = transpose_tile::side;
  __shared__ shared_tile<Out, side, side + transpose_tile::pad> tile;
  auto const at = grid.at(static_cast<Index>(first_block + blockIdx.x));
  auto const& first = grid.dimensions[0];
  auto const& second = grid.dimensions[grid.second];
  int const lane = static_cast<int>(threadIdx.x) % side;
  int const top = static_cast<int>(threadIdx.x) / side;

  if (at.second + lane < second.extent)
    for (int i = top; i < side && at.first + i < first.extent; i += transpose_tile::rows_per_step)
      tile(i, lane) =
          static_cast<Out>(f(in[at.in + i * first.in_stride + lane * second.in_stride]));
  __syncthreads();

  if (at.first + lane < first.extent)
    for (int j = top; j < side && at.second + j < second.extent; j += transpose_tile::rows_per_step)
      out[at.out + lane * first.out_stride + j * second.out_stride] = tile(lane, j);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
