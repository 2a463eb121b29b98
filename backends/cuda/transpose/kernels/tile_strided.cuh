// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transpose through a tile of 32x32 or 16x16 elements in shared memory, one element an access, with
// or without an element function. Used where a side has no unit stride, for small matrices (where
// it is the fastest of all), and for functions that elementwise/tile_aligned.cuh does not take.
// Assumes natural alignment. A thread's four loads are in flight together: 0.93 of a copy at
// 16384x16384 f32, where a loop that tests its bound gave 0.72; 8 bytes 0.976, 2 bytes 0.62, 1 byte
// 0.32 (H100, 2026-11-21).
#pragma once

#include <xpose/backends/cuda/memory/vector_access.cuh>
#include <xpose/backends/cuda/transpose/launch_tiles.cuh>
#include <xpose/functional.hpp>

#include <algorithm>
#include <new>
#include <type_traits>

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

template <int Side>
struct strided_tile {
  static constexpr int side = Side, rows = side, cols = side;
  static constexpr int threads = Side == 32 ? 256 : 128;
  static constexpr int rows_in_step = threads / side;
  static constexpr int steps = side / rows_in_step;
  static constexpr int pad = 1;  // element: a column of 4-byte elements lies in 32 different banks
};

template <int Side, class In, class Out, class F>
__global__ void __launch_bounds__(strided_tile<Side>::threads)
    transpose_tile_strided(transpose_problem const __grid_constant__ p, tile_order const order,
                           F const f) {
  using shape = strided_tile<Side>;
  constexpr int side = Side, rows_in_step = shape::rows_in_step;
  __shared__ shared_tile<Out, side, side + shape::pad> tile;
  auto const at = locate_tile(p, order);
  int const lane = static_cast<int>(threadIdx.x) % side;
  int const top = static_cast<int>(threadIdx.x) / side;
  int const row = at.row_tile * side, col = at.col_tile * side;

  char const* const in = at.in + index{row + top} * p.in_pitch + (col + lane) * p.in_step;
  uninitialized<In> v[shape::steps];
#pragma unroll
  for (int k = 0; k < shape::steps; ++k)
    if (col + lane < p.cols && row + top + rows_in_step * k < p.rows)
      v[k].load(in + rows_in_step * k * p.in_pitch);
#pragma unroll
  for (int k = 0; k < shape::steps; ++k)
    if (col + lane < p.cols && row + top + rows_in_step * k < p.rows)
      tile(top + rows_in_step * k, lane) = static_cast<Out>(f(v[k].value));
  __syncthreads();

  char* const out = at.out + index{col + top} * p.out_pitch + (row + lane) * p.out_step;
#pragma unroll
  for (int k = 0; k < shape::steps; ++k)
    if (row + lane < p.rows && col + top + rows_in_step * k < p.cols)
      *reinterpret_cast<Out*>(out + rows_in_step * k * p.out_pitch) =
          tile(lane, top + rows_in_step * k);
}

/// Up to so many elements go in tiles of 16x16: there are four times as many blocks, and a thread
/// has two elements, not four. Shares of a copy by 32x32 and so: bytes of 119x119 0.95, 0.99; 2
/// bytes 169x169 0.99, 1.00, but 300x300 0.80, 0.77; f32 119x119 0.83, 0.90, but 400x410 0.85,
/// 0.83; f64 92x92 0.80, 0.90, 9*150x140 1.35, 1.39, but 700x640 0.93, 0.92; 16 bytes 92x92 0.74,
/// 0.87, 700x640 0.94, 0.98. Lost: 16x16 by 64 and by 256 threads, 32x32 by 512 and 1024 (H200,
/// 2026-12-01).
constexpr index most_in_small_tiles(index element_bytes) {
  return element_bytes < 4    ? 3 << 14
         : element_bytes < 8  ? 1 << 16
         : element_bytes < 16 ? 3 << 17
                              : 1 << 21;
}

template <class In, class Out, class F>
void launch_tile_strided(execution const& where, transpose_problem const& p, F const& f) {
  constexpr index few = most_in_small_tiles(std::min(sizeof(In), sizeof(Out)));
  auto const launch = [&](auto side) {
    launch_tiles<strided_tile<side>>(where, "transpose_tile_strided",
                                     transpose_tile_strided<side, In, Out, F>, p, 0, 0, f);
  };
  if (p.batch_count * p.rows * p.cols <= few) launch(std::integral_constant<int, 16>{});
  else launch(std::integral_constant<int, 32>{});
}

template <int W>
void run_tile_strided(execution const& where, transpose_config const&, bit_copy const& copy) {
  using word = typename word_of<W>::type;
  launch_tile_strided<word, word>(where, problem_by_words(copy), identity{});
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
