// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transpose through a 32x32 tile, one element an access, with or without an element function. Used
// where a side has no unit stride, where matrices are small (it is the fastest of all then) and for
// functions that elementwise/tile_aligned.cuh does not take. Assumes nothing but natural alignment.
// The four loads of a thread are in flight together: 0.93 of a copy at 16384x16384 f32, where a
// loop with the bound in it gave 0.72; 8 bytes 0.976, 2 bytes 0.62, 1 byte 0.32 (H100, 2026-11-21).
#pragma once

#include <xpose/backends/cuda/memory/tile_coordinates.cuh>
#include <xpose/backends/cuda/runtime/launch.cuh>

#include <new>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A register for a value that need not have a trivial constructor.
template <class T>
union uninitialized {
  __device__ uninitialized() {}
  __device__ void load(char const* from) { new (&value) T(*reinterpret_cast<T const*>(from)); }
  T value;
};

struct strided_tile {
  static constexpr int side = 32;
  static constexpr int threads = 256;
  static constexpr int rows_in_step = threads / side;
  static constexpr int steps = side / rows_in_step;
  static constexpr int pad = 1;  // element: columns of 4-byte elements meet 32 different banks
};

template <class In, class Out, class F>
__global__ void __launch_bounds__(strided_tile::threads)
    transpose_tile_strided(transpose_problem const __grid_constant__ p, tile_order const order,
                           F const f) {
  constexpr int side = strided_tile::side, rows_in_step = strided_tile::rows_in_step;
  __shared__ shared_tile<Out, side, side + strided_tile::pad> tile;
  auto const tile_at = locate_tile(p, order);
  int const lane = static_cast<int>(threadIdx.x) % side;
  int const top = static_cast<int>(threadIdx.x) / side;
  int const row = tile_at.row_tile * side, col = tile_at.col_tile * side;

  char const* const in = tile_at.in + index{row + top} * p.in_pitch + (col + lane) * p.in_step;
  uninitialized<In> v[strided_tile::steps];
#pragma unroll
  for (int k = 0; k < strided_tile::steps; ++k)
    if (col + lane < p.cols && row + top + rows_in_step * k < p.rows)
      v[k].load(in + rows_in_step * k * p.in_pitch);
#pragma unroll
  for (int k = 0; k < strided_tile::steps; ++k)
    if (col + lane < p.cols && row + top + rows_in_step * k < p.rows)
      tile(top + rows_in_step * k, lane) = static_cast<Out>(f(v[k].value));
  __syncthreads();

  char* const out = tile_at.out + index{col + top} * p.out_pitch + (row + lane) * p.out_step;
#pragma unroll
  for (int k = 0; k < strided_tile::steps; ++k)
    if (row + lane < p.rows && col + top + rows_in_step * k < p.cols)
      *reinterpret_cast<Out*>(out + rows_in_step * k * p.out_pitch) =
          tile(lane, top + rows_in_step * k);
}

template <class In, class Out, class F>
void launch_tile_strided(execution const& where, transpose_problem const& p, F const& f) {
  auto const tiles = [](int extent) {
    return (index{extent} + strided_tile::side - 1) / strided_tile::side;
  };
  launch_blocks(where, tiles(p.rows) * tiles(p.cols) * p.batch_count, strided_tile::threads, 0,
                "transpose_strided", transpose_tile_strided<In, Out, F>, p,
                tile_order(tiles(p.rows), tiles(p.cols)), f);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
