// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transpose through a 32x32 tile in shared memory, one element an access, with or without an
// element function. Used where a side has no unit stride, for small matrices (where it is the
// fastest of all), and for functions that elementwise/tile_aligned.cuh does not take. Assumes
// natural alignment. A thread's four loads are in flight together: 0.93 of a copy at 16384x16384
// f32, where a loop that tests its bound gave 0.72; 8 bytes 0.976, 2 bytes 0.62, 1 byte 0.32 (H100,
// 2026-11-21).
#pragma once

#include <xpose/backends/cuda/memory/vector_access.cuh>
#include <xpose/backends/cuda/transpose/launch_tiles.cuh>
#include <xpose/functional.hpp>

#include <new>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A register for a value of a type that need not have a trivial constructor.
template <class T>
union uninitialized {
  __device__ uninitialized() {}
  __device__ void load(char const* from) { new (&value) T(*reinterpret_cast<T const*>(from)); }
  T value;
};

struct strided_tile {
  static constexpr int side = 32, rows = side, cols = side;
  static constexpr int threads = 256;
  static constexpr int rows_in_step = threads / side;
  static constexpr int steps = side / rows_in_step;
  static constexpr int pad = 1;  // element: a column of 4-byte elements lies in 32 different banks
};

template <class In, class Out, class F>
__global__ void __launch_bounds__(strided_tile::threads)
    transpose_tile_strided(transpose_problem const __grid_constant__ p, tile_order const order,
                           F const f) {
  constexpr int side = strided_tile::side, rows_in_step = strided_tile::rows_in_step;
  __shared__ shared_tile<Out, side, side + strided_tile::pad> tile;
  auto const at = locate_tile(p, order);
  int const lane = static_cast<int>(threadIdx.x) % side;
  int const top = static_cast<int>(threadIdx.x) / side;
  int const row = at.row_tile * side, col = at.col_tile * side;

  char const* const in = at.in + index{row + top} * p.in_pitch + (col + lane) * p.in_step;
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

  char* const out = at.out + index{col + top} * p.out_pitch + (row + lane) * p.out_step;
#pragma unroll
  for (int k = 0; k < strided_tile::steps; ++k)
    if (row + lane < p.rows && col + top + rows_in_step * k < p.cols)
      *reinterpret_cast<Out*>(out + rows_in_step * k * p.out_pitch) =
          tile(lane, top + rows_in_step * k);
}

template <class In, class Out, class F>
void launch_tile_strided(execution const& where, transpose_problem const& p, F const& f) {
  launch_tiles<strided_tile>(where, "transpose_tile_strided", transpose_tile_strided<In, Out, F>, p,
                             0, 0, f);
}

template <int W>
void run_tile_strided(execution const& where, transpose_config const&, bit_copy const& copy) {
  using word = typename word_of<W>::type;
  launch_tile_strided<word, word>(where, problem_by_words(copy), identity{});
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
