// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm through shared memory: a block computes a tile of C, reading tiles of A and B step by step
// along k. Takes any types, semiring, epilogue, strides and extents; edge tiles are filled with the
// semiring's zero and the last step stops at k, so nothing depends on what a zero times a zero is.
#pragma once

#include <xpose/backends/cuda/launch.cuh>
#include <xpose/backends/gemm_problem.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

template <int Rows, int Cols, int Depth, int RowsPerThread, int ColsPerThread>
struct gemm_tile_shape {
  static constexpr int rows = Rows;
  static constexpr int cols = Cols;
  static constexpr int depth = Depth;
  static constexpr int rows_per_thread = RowsPerThread;
  static constexpr int cols_per_thread = ColsPerThread;
  static constexpr int threads_across = Cols / ColsPerThread;
  static constexpr int threads_down = Rows / RowsPerThread;
  static constexpr int threads = threads_across * threads_down;
};

/// Reads a `Across` x depth tile; `along_depth` says which way consecutive threads walk, so that
/// loads coalesce for either layout. read(across, p) is called inside the matrix only.
template <int Across, class Shape, class Tile, class K, class Read>
__device__ void fill_tile(Tile& tile, bool along_depth, index across_left, index depth_left,
                          K const& zero, Read const& read) {
  for (int e = static_cast<int>(threadIdx.x); e < Across * Shape::depth; e += Shape::threads) {
    int const across = along_depth ? e / Shape::depth : e % Across;
    int const p = along_depth ? e % Shape::depth : e / Across;
    bool const inside = across < across_left && p < depth_left;
    tile(p, across) = inside ? read(across, p) : zero;
  }
}

template <class Shape, class Problem>
__global__ void __launch_bounds__(Shape::threads)
    gemm_tiles(index first_block, Problem problem, index row_tiles, index col_tiles) {
  using K = typename Problem::accumulate_type;
  __shared__ shared_tile<K, Shape::depth, Shape::rows + 1> a_tile;
  __shared__ shared_tile<K, Shape::depth, Shape::cols + 1> b_tile;
  index const block = first_block + blockIdx.x;
  index const b = block / (row_tiles * col_tiles);
  index const first_row = block / col_tiles % row_tiles * Shape::rows;
  index const first_col = block % col_tiles * Shape::cols;
  int const across = static_cast<int>(threadIdx.x) % Shape::threads_across;
  int const down = static_cast<int>(threadIdx.x) / Shape::threads_across;
  K const zero = problem.zero();
  K sums[Shape::rows_per_thread][Shape::cols_per_thread];
  for (auto& row : sums)
    for (K& sum : row) sum = zero;

  for (index first_p = 0; first_p < problem.depth; first_p += Shape::depth) {
    index const depth_left = problem.depth - first_p;
    fill_tile<Shape::rows, Shape>(
        a_tile, problem.a.col_stride == 1, problem.rows - first_row, depth_left, zero,
        [&](int i, int p) { return problem.read_a(b, first_row + i, first_p + p); });
    fill_tile<Shape::cols, Shape>(
        b_tile, problem.b.row_stride == 1, problem.cols - first_col, depth_left, zero,
        [&](int j, int p) { return problem.read_b(b, first_p + p, first_col + j); });
    __syncthreads();

    int const depth = depth_left < Shape::depth ? static_cast<int>(depth_left) : Shape::depth;
    for (int p = 0; p < depth; ++p)
      for (int i = 0; i < Shape::rows_per_thread; ++i)
        for (int j = 0; j < Shape::cols_per_thread; ++j)
          sums[i][j] = problem.accumulate(sums[i][j], a_tile(p, down + i * Shape::threads_down),
                                          b_tile(p, across + j * Shape::threads_across));
    __syncthreads();
  }

  for (int i = 0; i < Shape::rows_per_thread; ++i)
    for (int j = 0; j < Shape::cols_per_thread; ++j) {
      index const row = first_row + down + i * Shape::threads_down;
      index const col = first_col + across + j * Shape::threads_across;
      if (row < problem.rows && col < problem.cols) problem.write(b, row, col, sums[i][j]);
    }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
