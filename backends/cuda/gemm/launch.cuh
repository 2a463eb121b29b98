// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// From a chosen row to launches: how blocks read and write the operands, the grid, the workspace of
// splits, and the sum of the splits.
#pragma once

#include <xpose/backends/cuda/gemm/block/mainloop.cuh>
#include <xpose/backends/cuda/runtime/workspace.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Whether groups of `together` neighbours along the unit stride begin at multiples of their size.
inline bool has_aligned_groups(void const* data, index bytes_of_element, int together, index batch,
                               index batch_stride, index unit_stride, index other_stride) {
  index const group = bytes_of_element * together;
  return unit_stride == 1 && reinterpret_cast<std::uintptr_t>(data) % group == 0 &&
         other_stride % together == 0 && (batch == 1 || batch_stride % together == 0);
}

/// How an operand is read whose elements across the depth, and along it, lie so far apart.
template <class T>
gemm_reading reading_of(strided_batch<T> const& o, index batch, index across_stride,
                        index depth_stride) {
  if constexpr (vector_of < std::remove_cv_t < T >>> 1 || sizeof(T) == 16) {
    auto const is_aligned = [&](index unit_stride, index other_stride) {
      return has_aligned_groups(o.data, sizeof(T), 16 / sizeof(T), batch, o.batch_stride,
                                unit_stride, other_stride);
    };
    if (is_aligned(across_stride, depth_stride)) return gemm_reading::vectors;
    if (is_aligned(depth_stride, across_stride)) return gemm_reading::vectors_along_depth;
  }
  return depth_stride == 1 ? gemm_reading::along_depth : gemm_reading::along_across;
}

/// Whether tiles of an operand of short elements lie along the depth: unless it is contiguous
/// across it, and better copied so.
template <class T>
bool lies_along_depth(strided_batch<T> const& o, index batch, index across_stride,
                      index depth_stride) {
  gemm_reading const how = reading_of(o, batch, across_stride, depth_stride);
  return how == gemm_reading::vectors_along_depth ||
         (how != gemm_reading::vectors && (depth_stride == 1 || across_stride != 1));
}

/// How C is written whose neighbours a thread holds in groups of at least so many.
template <class C>
gemm_writing writing_of(strided_batch<C> const& c, index batch, index rows, index cols,
                        int rows_together, int cols_together) {
  int const along_rows = std::min(cols_together, vector_of<C>);
  int const along_cols = std::min(rows_together, vector_of<C>);
  if (cols % along_rows == 0 && has_aligned_groups(c.data, sizeof(C), along_rows, batch,
                                                   c.batch_stride, c.col_stride, c.row_stride))
    return gemm_writing::along_rows;
  if (rows % along_cols == 0 && has_aligned_groups(c.data, sizeof(C), along_cols, batch,
                                                   c.batch_stride, c.row_stride, c.col_stride))
    return gemm_writing::along_cols;
  return gemm_writing::one;
}

/// Neighbours of a row whose sums are one vector.
template <class K>
constexpr int sums_together = least_of(vector_of<K>, 4);

/// As many as 48 KB of shared memory have a vector of sums for.
template <class K>
constexpr int threads_of_adders = [] {
  int threads = 256;
  while (threads * sums_together<K> * static_cast<int>(sizeof(K)) > 48 << 10) threads /= 2;
  return threads;
}();

/// The sums of splits as sums_writer takes them: one row, and the columns from `col` on.
template <class K>
struct added_sums {
  static constexpr int rows = 1;
  static constexpr int cols = sums_together<K>;
  static constexpr int rows_together = 1;
  static constexpr int cols_together = cols;

  __device__ int row_of(int) const { return 0; }
  __device__ int col_of(int c) const { return c; }
  __device__ K value(int, int c) const { return held.elements[c]; }

  element_group<K, cols> held;
};

__device__ inline index quotient_of(index a, index b) {
  if (((a | b) >> 32) == 0) return static_cast<unsigned>(a) / static_cast<unsigned>(b);
  return a / b;
}

/// Adds the sums of all splits, a vector of neighbours a thread. `adders` threads take every
/// adders-th split each, in ascending order, and their sums are added in order: one where splits
/// are few, eight where many.
template <class Problem>
__global__ void __launch_bounds__(threads_of_adders<typename Problem::accumulate_type>)
    add_splits(Problem problem, index first_batch, index batches, unsigned splits, int adders,
               gemm_writing writing, typename Problem::accumulate_type const* partial) {
  using K = typename Problem::accumulate_type;
  using sums_of_thread = added_sums<K>;
  using group = element_group<K, sums_of_thread::cols>;
  __shared__ shared_tile<group, 1, threads_of_adders<K>> held;
  index const pitch = partial_pitch(problem.cols);
  index const groups_of_row = (problem.cols + sums_of_thread::cols - 1) / sums_of_thread::cols;
  index const groups_of_matrix = problem.rows * groups_of_row;
  index const all = batches * groups_of_matrix;
  index const split_stride = problem.rows * pitch;
  int const thread = static_cast<int>(threadIdx.x);
  int const of_block = threads_of_adders<K> / adders;
  unsigned const adder = static_cast<unsigned>(thread / of_block);
  wait_for_kernel_before();
  for (index first = index{blockIdx.x} * of_block; first < all;
       first += index{gridDim.x} * of_block) {
    index const at = first + thread % of_block;
    index const matrix = quotient_of(at, groups_of_matrix);
    index const row = quotient_of(at - matrix * groups_of_matrix, groups_of_row);
    index const col = (at - matrix * groups_of_matrix - row * groups_of_row) * sums_of_thread::cols;
    bool const inside = at < all;
    int const cols = inside_tile(problem.cols, col);  // what lies behind them was never written
    sums_of_thread sums;
    for (K& sum : sums.held.elements) sum = problem.zero();
    auto const add = [&](group const& other) {
#pragma unroll
      for (int c = 0; c < sums_of_thread::cols; ++c)
        if (c < cols)
          sums.held.elements[c] = problem.semiring.add(sums.held.elements[c], other.elements[c]);
    };
    if (inside) {
      K const* from = partial + (matrix * splits * problem.rows + row) * pitch + col;
      auto const step = static_cast<unsigned>(adders);
      if (cols >= sums_of_thread::cols) {
#pragma unroll 4
        for (unsigned split = adder; split < splits; split += step)
          add(*reinterpret_cast<group const*>(from + split * split_stride));
      } else {
        for (unsigned split = adder; split < splits; split += step)
#pragma unroll
          for (int c = 0; c < sums_of_thread::cols; ++c)
            if (c < cols)
              sums.held.elements[c] =
                  problem.semiring.add(sums.held.elements[c], from[split * split_stride + c]);
      }
    }
    if (adders > 1) {
      held(0, thread) = sums.held;
      __syncthreads();
    }
    if (adder == 0 && inside) {
      for (int other = 1; other < adders; ++other) add(held(0, other * of_block + thread));
      sums_writer<sums_of_thread, Problem>(sums, problem, first_batch + matrix, {row, col})
          .write(writing);
    }
    if (adders > 1) __syncthreads();
  }
}

/// Bytes of the workspace of splits; more batches than fit go one launch after the other.
inline constexpr index most_workspace = index{256} << 20;

/// launch(blocks, grid), batch by batch where the workspace of splits, or the grid, is too small
/// for all, and the sums of the splits after each.
template <class Tile, class Sums, class Problem, class Launch>
static void launch_gemm_grid(execution const& where, Problem const& problem,
                             gemm_choice const& choice, gemm_condition const& condition,
                             Launch const& launch) {
  using K = typename Problem::accumulate_type;
  index const row_tiles = row_tiles_of(Tile::row, problem.rows);
  index const col_tiles = col_tiles_of(Tile::row, problem.cols);
  index const blocks_of_matrix = row_tiles * col_tiles * choice.splits;
  index const partial_bytes = choice.splits > 1
                                  ? choice.splits * problem.rows * partial_pitch(problem.cols) *
                                        static_cast<index>(sizeof(K))
                                  : 0;
  index batches = std::max<index>(1, most_blocks / blocks_of_matrix);
  if (partial_bytes > 0)
    batches = std::min(batches, std::max<index>(1, most_workspace / partial_bytes));
  batches = std::min(batches, problem.batch);

  gemm_grid grid{0,
                 static_cast<unsigned>(row_tiles),
                 static_cast<unsigned>(col_tiles),
                 static_cast<unsigned>(choice.splits),
                 choice.depth_of_split,
                 reading_of(problem.a, problem.batch, problem.a.row_stride, problem.a.col_stride),
                 reading_of(problem.b, problem.batch, problem.b.col_stride, problem.b.row_stride),
                 writing_of(problem.c, problem.batch, problem.rows, problem.cols,
                            Sums::rows_together, Sums::cols_together),
                 false,
                 false,
                 nullptr,
                 condition};
  // Vectors that are read, and those of split sums, stay aligned.
  auto const is_whole = [](index extent, int vector) { return extent % vector == 0; };
  grid.moves_rows = grid.a != gemm_reading::vectors ||
                    is_whole(problem.rows, vector_of<std::remove_cv_t<typename Problem::a_type>>);
  grid.moves_cols =
      (grid.b != gemm_reading::vectors ||
       is_whole(problem.cols, vector_of<std::remove_cv_t<typename Problem::b_type>>)) &&
      (grid.splits == 1 || is_whole(problem.cols, vector_of<K>));
  auto const run = [&] {
    for (; grid.first_batch < problem.batch; grid.first_batch += batches) {
      index const now = std::min(batches, problem.batch - grid.first_batch);
      launch(now * blocks_of_matrix, grid);
      if (grid.splits > 1) {
        int const adders = grid.splits > 8 ? 8 : 1;
        index const of_block = index{threads_of_adders<K>} / adders * sums_together<K>;
        index const blocks =
            (now * problem.rows * partial_pitch(problem.cols) + of_block - 1) / of_block;
        gemm_writing const writing =
            writing_of(problem.c, problem.batch, problem.rows, problem.cols, 1, sums_together<K>);
        launch_early(where, 1, std::min<index>(blocks, 1 << 20), threads_of_adders<K>, 0,
                     "add_splits", add_splits<Problem>, problem, grid.first_batch, now, grid.splits,
                     adders, writing, static_cast<K const*>(grid.partial));
      }
    }
  };
  if (choice.splits == 1) return run();
  stream_workspace const workspace(where, batches * partial_bytes);
  grid.partial = workspace.data();
  run();
}

template <class Tile, class Sums, class Problem>
static void launch_gemm_tiles(execution const& where, Problem const& problem,
                              gemm_choice const& choice,
                              void (*kernel)(Problem, gemm_grid) = gemm_tiles<Tile, Sums, Problem>,
                              gemm_condition const& condition = {}) {
  using K = typename Problem::accumulate_type;
  launch_gemm_grid<Tile, Sums>(
      where, problem, choice, condition, [&](index blocks, gemm_grid const& grid) {
        // Blocks that start early find places on the multiprocessors that are done first, and many
        // of them on few: 1024x1024x1024 of double 48 us in place of 42, but 64x64x64 of float 2.6
        // in place of 3.6 (H100, 2026-11-22).
        bool const is_even = Tile::row.arithmetic == gemm_arithmetic::vector ||
                             2 * blocks <= facts_of_device().multiprocessors;
        if (is_even)
          launch_early(where, 1, blocks, Tile::threads, Tile::template shared_bytes<K>,
                       Tile::row.name, kernel, problem, grid);
        else
          launch_blocks(where, blocks, Tile::threads, Tile::template shared_bytes<K>,
                        Tile::row.name, kernel, problem, grid);
      });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
