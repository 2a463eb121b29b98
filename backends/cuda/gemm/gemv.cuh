// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A row times a matrix (a matrix times a column is turned into it): every element of B is read
// once, straight into registers, so memory sets the speed. A block has some columns; its threads
// share the depth, and their sums are added as a tree, in the same order every time.
#pragma once

#include <xpose/backends/cuda/gemm/simt/fma.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A row of a table as constants: 128 bytes of columns.
template <class Table, int Row>
struct vector_tile {
  static constexpr gemm_row row = Table::rows[Row];
  static constexpr int rows = 1;
  static constexpr int cols = row.cols;
  static constexpr int threads = threads_of(row);
  template <class>
  static constexpr int shared_bytes = 0;  // of dynamic size
};

template <class Tile, class Problem>
class vector_sums {
  using A = typename Problem::a_type;
  using B = typename Problem::b_type;
  using K = typename Problem::accumulate_type;
  static constexpr int cols = Tile::cols;
  static constexpr int vector = cols * Tile::row.slices / Tile::threads;
  static constexpr int most_sharers = Tile::row.slices;

 public:
  static constexpr int rows_together = 1;
  static constexpr int cols_together = 1;
  using shared = shared_tile<K, most_sharers, cols>;

  /// The sums of the block's columns end in held(0, column).
  __device__ vector_sums(Problem const& problem, gemm_grid const& grid, gemm_block const& block,
                         shared& held)
      : problem_(problem),
        block_(block),
        held_(held),
        cols_left_(static_cast<int>(
            problem.cols - block.place.col < cols ? problem.cols - block.place.col : cols)) {
    if (grid.b == gemm_reading::vectors_along_depth) add_along_depth<vector>();
    else if (grid.b == gemm_reading::along_depth) add_along_depth<1>();
    else if (grid.b == gemm_reading::vectors && cols_left_ % vector == 0)
      add_along_across<vector>();
    else add_along_across<1>();
  }

 private:
  /// Threads side by side have groups of V columns, the others of the block other depths.
  template <int V>
  __device__ void add_along_across() {
    constexpr int lanes = cols / V;
    constexpr int sharers = Tile::threads / lanes;
    int const sharer = static_cast<int>(threadIdx.x) / lanes;
    int const col = static_cast<int>(threadIdx.x) % lanes * V;
    K sums[V];
    for (K& sum : sums) sum = problem_.zero();
    if (col < cols_left_) {
      index const first = block_.first_depth + sharer;
      auto const* x = &problem_.a.at(block_.batch, block_.place.row, first);
      auto const* y = &problem_.b.at(block_.batch, first, block_.place.col + col);
      index const x_step = sharers * problem_.a.col_stride;
      index const y_step = sharers * problem_.b.row_stride;
#pragma unroll 8
      for (index k = sharer; k < block_.depth; k += sharers, x += x_step, y += y_step) {
        auto const group = *reinterpret_cast<element_group<B, V> const*>(y);
        K const element = problem_.read_a(*x);
#pragma unroll
        for (int v = 0; v < V; ++v)
          sums[v] = multiply_add(problem_, sums[v], element, problem_.read_b(group.elements[v]));
      }
    }
    add_up<sharers>(sums, sharer, col);
  }

  /// A warp has some columns, its lanes the depth in groups of V; those of A are loaded at once
  /// where they can be.
  template <int V>
  __device__ void add_along_depth() {
    auto const* const x = &problem_.a.at(block_.batch, block_.place.row, block_.first_depth);
    bool const is_together = problem_.a.col_stride == 1 &&
                             reinterpret_cast<std::uintptr_t>(x) % sizeof(element_group<A, V>) == 0;
    is_together ? add_along_depth<V, V>() : add_along_depth<V, 1>();
  }
  template <int V, int OfA>
  __device__ void add_along_depth() {
    constexpr int cols_of_warp = cols * 32 / Tile::threads > 0 ? cols * 32 / Tile::threads : 1;
    constexpr int bytes_at_once = 128;  // of B that a thread has asked for: more need registers
    constexpr int of_step = cols_of_warp * V * static_cast<int>(sizeof(B));
    constexpr int steps = of_step < bytes_at_once ? bytes_at_once / of_step : 1;
    int const lane = static_cast<int>(threadIdx.x) % 32;
    int const col = static_cast<int>(threadIdx.x) / 32 * cols_of_warp;
    K sums[cols_of_warp];
    for (K& sum : sums) sum = problem_.zero();
    index const last = block_.depth / V * V;
#pragma unroll steps
    for (index k = index{lane} * V; k < last; k += 32 * V) add_depths<V, OfA>(sums, col, k);
    for (index k = last + lane; k < block_.depth; k += 32) add_depths<1, 1>(sums, col, k);
    add_up<32>(sums, lane, col);
  }

  /// Columns beyond the last are read as the first: a condition would keep loads from running
  /// ahead.
  template <int V, int OfA, int Cols>
  __device__ void add_depths(K (&sums)[Cols], int col, index k) const {
    index const depth = block_.first_depth + k;
    auto const* const x = &problem_.a.at(block_.batch, block_.place.row, depth);
    element_group<A, V> elements;
    element_group<B, V> groups[Cols];
#pragma unroll
    for (int v = 0; v < V; v += OfA)
      reinterpret_cast<element_group<A, OfA>*>(&elements)[v / OfA] =
          *reinterpret_cast<element_group<A, OfA> const*>(x + v * problem_.a.col_stride);
#pragma unroll
    for (int c = 0; c < Cols; ++c)
      groups[c] = *reinterpret_cast<element_group<B, V> const*>(&problem_.b.at(
          block_.batch, depth, block_.place.col + (col + c < cols_left_ ? col + c : 0)));
#pragma unroll
    for (int v = 0; v < V; ++v) {
      K const element = problem_.read_a(elements[v]);
#pragma unroll
      for (int c = 0; c < Cols; ++c)
        sums[c] = multiply_add(problem_, sums[c], element, problem_.read_b(groups[c].elements[v]));
    }
  }

  /// Sums of neighbours col, col + 1, .. of so many sharers.
  template <int Sharers, int Count>
  __device__ void add_up(K const (&sums)[Count], int sharer, int col) {
    static_assert(Sharers <= most_sharers);
    bool const is_inside = col < cols;
    if (is_inside)
      for (int c = 0; c < Count; ++c) held_(sharer, col + c) = sums[c];
    __syncthreads();
    for (int half = Sharers / 2; half > 0; half /= 2) {
      if (is_inside && sharer < half)
        for (int c = 0; c < Count; ++c)
          held_(sharer, col + c) =
              problem_.semiring.add(held_(sharer, col + c), held_(sharer + half, col + c));
      __syncthreads();
    }
  }

  Problem const& problem_;
  gemm_block const& block_;
  shared& held_;
  int cols_left_;
};

template <class Tile, class Sums, class Problem>
__global__ void __launch_bounds__(Tile::threads, Tile::row.blocks)
    gemm_vectors(Problem problem, gemm_grid grid) {
  using K = typename Problem::accumulate_type;
  __shared__ typename Sums::shared held;
  wait_for_kernel_before();
  gemm_block const block = block_of<Tile>(problem, grid, blockIdx.x);

  Sums(problem, grid, block, held);
  let_next_kernel_start();

  index const col = block.place.col + threadIdx.x;
  if (threadIdx.x >= Tile::cols || col >= problem.cols) return;
  K const sum = held(0, static_cast<int>(threadIdx.x));
  if (grid.splits > 1) *partial_at<K>(problem, grid, block, block.place.row, col) = sum;
  else problem.write(block.batch, block.place.row, col, sum);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
