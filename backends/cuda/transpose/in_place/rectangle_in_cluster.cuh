// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A rectangle without gaps, transposed in place by a cluster of blocks that hold all of it in their
// shared memory (capability 90): each loads a part, all wait for each other, and each stores its
// part where it belongs. One launch, and no workspace.
//
//   memory before             shared memory      memory after
//   row 0 | part of block 0                      columns of parts 0, 1, 2
//   row 1 |                    0   1   2           col 0  | 0 | 1 | 2 |
//   row 2 | part of block 1    barrier of          col 1  | 0 | 1 | 2 |
//   ..    | part of block 2    the cluster         ..
//
// The longer dimension is cut into parts.
#pragma once

#include <xpose/backends/cuda/ptx/barriers.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_strided.cuh>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Rows x cols elements, row by row, and `batch_step` bytes from matrix to matrix. A block has
/// part_rows x part_cols of them, of which the last parts lack some.
struct cluster_rectangle {
  static constexpr int blocks = 8;        // the portable size of a cluster
  static constexpr int threads_log = 10;  // of a block

  char* data;
  index batch_step;
  int rows, cols;
  int part_rows, part_cols;
  int log_col_lanes, log_row_lanes;  // threads along a row, and along a column, of a part

  cluster_rectangle(char* first, index step, int row_count, int col_count)
      : data(first),
        batch_step(step),
        rows(row_count),
        cols(col_count),
        part_rows(rows >= cols ? ceil_div(rows, blocks) : rows),
        part_cols(rows >= cols ? cols : ceil_div(cols, blocks)),
        log_col_lanes(log_lanes_of(part_cols, part_rows)),
        log_row_lanes(log_lanes_of(part_rows, part_cols)) {}

  /// Elements between rows of a part in shared memory: odd, so that the elements of a column lie in
  /// different banks.
  XPOSE_HOST_DEVICE int pitch() const { return part_cols | 1; }
  index shared_bytes(index bytes_of_element) const {
    return index{part_rows} * pitch() * bytes_of_element;
  }

 private:
  /// A warp's, or more where a part has fewer rows (columns) than a block has warps: four rows of
  /// 13100 elements of 8 bytes, by 32 threads each, took 28 us (H200, 2026-11-30).
  static int log_lanes_of(int along, int across) {
    constexpr int warp_log = 5;
    auto const log_of = [](int extent) {
      int log = 0;
      while (log < threads_log && (1 << log) < extent) ++log;
      return log;
    };
    return std::min(log_of(along), std::max(warp_log, threads_log - log_of(across)));
  }
};

struct rectangle_block {
  static constexpr int threads = 1 << cluster_rectangle::threads_log;
  static constexpr int loads = 4;  // of a thread, in flight together
};

/// T: an element, at addresses that are multiples of its alignment. In clusters of
/// cluster_rectangle::blocks, as many as there are matrices, with p.shared_bytes(sizeof(T)) each.
template <class T>
__global__ void __launch_bounds__(rectangle_block::threads)
    transpose_in_cluster(cluster_rectangle const __grid_constant__ p) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  constexpr int threads = rectangle_block::threads, loads = rectangle_block::loads;
  extern __shared__ uint4 smem_vec16s[];
  T* const smem = reinterpret_cast<T*>(smem_vec16s);
  int const thread = static_cast<int>(threadIdx.x);
  int const rank = static_cast<int>(blockIdx.x % cluster_rectangle::blocks);
  T* const matrix = reinterpret_cast<T*>(
      p.data + static_cast<index>(blockIdx.x / cluster_rectangle::blocks) * p.batch_step);
  bool const by_rows = p.rows >= p.cols;
  int const row = by_rows ? rank * p.part_rows : 0, col = by_rows ? 0 : rank * p.part_cols;
  int const rows = min(p.part_rows, p.rows - row), cols = min(p.part_cols, p.cols - col);
  int const pitch = p.pitch();

  int const rows_at_once = threads >> p.log_col_lanes, col_lanes = 1 << p.log_col_lanes;
  for (int j = thread & (col_lanes - 1); j < cols; j += col_lanes)
    for (int first = thread >> p.log_col_lanes; first < rows; first += loads * rows_at_once) {
      T const* const from = matrix + index{row + first} * p.cols + col + j;
      uninitialized<T> v[loads];
#pragma unroll
      for (int l = 0; l < loads; ++l)
        if (first + l * rows_at_once < rows)
          v[l].load(reinterpret_cast<char const*>(from + l * rows_at_once * p.cols));
#pragma unroll
      for (int l = 0; l < loads; ++l)
        if (first + l * rows_at_once < rows)
          smem[(first + l * rows_at_once) * pitch + j] = v[l].value;
    }
  __syncwarp();  // lanes leave the loops at different times
  cluster_sync();
  int const cols_at_once = threads >> p.log_row_lanes, row_lanes = 1 << p.log_row_lanes;
  for (int i = thread & (row_lanes - 1); i < rows; i += row_lanes)
#pragma unroll 4
    for (int j = thread >> p.log_row_lanes; j < cols; j += cols_at_once)
      matrix[index{col + j} * p.rows + row + i] = smem[i * pitch + j];
#else
  __trap();  // never launched; no result is better than a wrong one
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
