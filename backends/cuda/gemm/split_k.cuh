// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Split-K: several blocks compute the same tile of C, each over a part of k. They store their
// accumulators in a workspace of partials, which split_k_reduce adds in a fixed order:
//
//   A    | k0 | k1 | k2 |        partials[batch][split][row][col]        C = alpha (p0 + p1 + p2)
//   block  0    1    2      ->     p0       p1       p2             ->        + beta C
//
// Used where C has too few tiles to fill the GPU, and with one split where the reduction applies a
// layer (deferred_layer.cuh). On capability 90 a cluster adds up to eight splits, unless tiles are
// large, without partials in memory or a second kernel (sm90/cluster_reduction.cuh). Up to eight
// splits are added in ascending k, more in eight interleaved sums: the order depends on nothing
// else, and results are the same every time.
#pragma once

#include <xpose/backends/cuda/gemm/block/epilogue.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Elements between rows of partials: full vectors.
XPOSE_HOST_DEVICE constexpr index partials_pitch(index cols) { return ceil_div(cols, 4) * 4; }

/// The workspace holds so many bytes at most; batches that do not fit go in several launches.
inline constexpr index max_split_k_workspace = index{256} << 20;

/// Where the partial of C(row, col) of a block's split is stored.
template <class K, class Problem>
__device__ inline K* partial_address(Problem const& problem, gemm_grid const& grid,
                                     work_tile const& work, index row, index col) {
  index const matrix = (work.batch - grid.first_batch) * grid.split_k + work.split_index;
  return static_cast<K*>(grid.partials) +
         (matrix * problem.rows + row) * partials_pitch(problem.cols) + col;
}
template <class Accumulators, class Problem>
__device__ void store_split_k_partials(Accumulators const& accumulators, Problem const& problem,
                                       gemm_grid const& grid, work_tile const& work) {
  using K = typename Problem::accumulate_type;
  constexpr int V = least_of(Accumulators::vector_cols, elements_of_vec16<K>);
  using group = aligned_group<K, V>;
  gemm_tile_coordinates const& tile = work.coordinates;
  K* const first = partial_address<K>(problem, grid, work, tile.row, tile.col);
  int const rows_left = inside_tile(problem.rows, tile.row);
  int const cols_left = inside_tile(problem.cols, tile.col);
#pragma unroll
  for (int r = 0; r < Accumulators::rows; ++r) {
    int const row = accumulators.row_of(r);
    if (row < tile.overlap_rows || row >= rows_left) continue;
    K* const partials_row = first + row * partials_pitch(problem.cols);
#pragma unroll
    for (int c = 0; c < Accumulators::cols; c += V) {
      int const col = accumulators.col_of(c);
      if (col < tile.overlap_cols || col >= cols_left) continue;
      group held;
#pragma unroll
      for (int e = 0; e < V; ++e) held[e] = accumulators.value(r, c + e);
      *reinterpret_cast<group*>(partials_row + col) = held;
    }
  }
}

/// Neighbours in a row of C that a thread of split_k_reduce adds up.
template <class K>
constexpr int reduce_width = least_of(elements_of_vec16<K>, 4);

/// As many as 48 KB of shared memory have a vector of accumulators for.
template <class K>
constexpr int reduce_threads = [] {
  int threads = 256;
  while (threads * reduce_width<K> * static_cast<int>(sizeof(K)) > 48 << 10) threads /= 2;
  return threads;
}();

/// The accumulators of split_k_reduce: one row.
template <class K>
struct reduced_accumulators {
  static constexpr int rows = 1;
  static constexpr int cols = reduce_width<K>;
  static constexpr int vector_rows = 1;
  static constexpr int vector_cols = cols;

  __device__ int row_of(int) const { return 0; }
  __device__ int col_of(int c) const { return c; }
  __device__ K value(int, int c) const { return held.elements[c]; }

  aligned_group<K, cols> held;
};

__device__ inline index divide(index a, index b) {
  if (((a | b) >> 32) == 0) return static_cast<unsigned>(a) / static_cast<unsigned>(b);
  return a / b;
}

/// Adds the partials of all splits, a vector of neighbours a thread. `reducers` threads share a
/// vector: each takes every reducers-th split in ascending order, and their sums are added in
/// order. One reducer where splits are few, eight where they are many.
template <class Problem>
__global__ void __launch_bounds__(reduce_threads<typename Problem::accumulate_type>)
    split_k_reduce(Problem problem, index first_batch, index batches, unsigned split_k,
                   int reducers, c_access access, gemm_condition condition,
                   typename Problem::accumulate_type const* partials) {
  using K = typename Problem::accumulate_type;
  using reduced = reduced_accumulators<K>;
  using group = aligned_group<K, reduced::cols>;
  __shared__ shared_tile<group, 1, reduce_threads<K>> held;
  index const pitch = partials_pitch(problem.cols);
  index const groups_of_row = ceil_div(problem.cols, reduced::cols);
  index const groups_of_matrix = problem.rows * groups_of_row;
  index const all = batches * groups_of_matrix;
  index const split_stride = problem.rows * pitch;
  int const thread = static_cast<int>(threadIdx.x);
  int const of_block = reduce_threads<K> / reducers;
  unsigned const reducer = static_cast<unsigned>(thread / of_block);
  pdl_wait();
  if (!condition.holds()) return;
  for (index first = index{blockIdx.x} * of_block; first < all;
       first += index{gridDim.x} * of_block) {
    index const at = first + thread % of_block;
    index const matrix = divide(at, groups_of_matrix);
    index const row = divide(at - matrix * groups_of_matrix, groups_of_row);
    index const col = (at - matrix * groups_of_matrix - row * groups_of_row) * reduced::cols;
    bool const inside = at < all;
    int const cols = inside_tile(problem.cols, col);  // partials behind them were never written
    reduced acc;
    for (K& sum : acc.held.elements) sum = problem.zero();
    auto const add_to = [&](int c, K const& partial) {
      if (c < cols) acc.held.elements[c] = problem.semiring.add(acc.held.elements[c], partial);
    };
    auto const add = [&](group const& other) {
#pragma unroll
      for (int c = 0; c < reduced::cols; ++c) add_to(c, other.elements[c]);
    };
    if (inside) {
      K const* from = partials + (matrix * split_k * problem.rows + row) * pitch + col;
      auto const step = static_cast<unsigned>(reducers);
      if (cols >= reduced::cols) {
#pragma unroll 4
        for (unsigned split = reducer; split < split_k; split += step)
          add(*reinterpret_cast<group const*>(from + split * split_stride));
      } else {
        for (unsigned split = reducer; split < split_k; split += step)
#pragma unroll
          for (int c = 0; c < reduced::cols; ++c) add_to(c, from[split * split_stride + c]);
      }
    }
    if (reducers > 1) {
      held(0, thread) = acc.held;
      __syncthreads();
    }
    if (reducer == 0 && inside) {
      for (int other = 1; other < reducers; ++other) add(held(0, other * of_block + thread));
      epilogue_writer<reduced, Problem>(acc, problem, first_batch + matrix, {row, col})
          .write(access);
    }
    if (reducers > 1) __syncthreads();
  }
}

/// Reduces the partials of `batches` matrices, from grid.first_batch on, to C.
template <class Problem>
static void launch_split_k_reduce(execution const& where, Problem const& problem,
                                  gemm_grid const& grid, index batches) {
  using K = typename Problem::accumulate_type;
  if constexpr (may_have_layer<typename Problem::epilogue_type>)
    if (problem.epilogue.is_given())
      return launch_split_k_reduce(where, with_layer(problem), grid, batches);
  constexpr index max_blocks = 1 << 20;
  int const reducers = grid.split_k > 8 ? 8 : 1;
  index const of_block = index{reduce_threads<K>} / reducers * reduce_width<K>;
  index const blocks = ceil_div(batches * problem.rows * partials_pitch(problem.cols), of_block);
  c_access const access = c_access_of(problem, 1, reduce_width<K>);
  launch_pdl(where, 1, std::min(blocks, max_blocks), reduce_threads<K>, 0, "split_k_reduce",
             split_k_reduce<Problem>, problem, grid.first_batch, batches, grid.split_k, reducers,
             access, grid.condition, static_cast<K const*>(grid.partials));
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
