// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// GEMV: a row times a matrix (a matrix times a column is transposed into it). Every element of B is
// read once, straight into registers, so memory bandwidth is the bound. A block has some columns;
// its threads divide k, and a tree in shared memory adds their sums, in the same order every time.
#pragma once

#include <xpose/backends/cuda/gemm/simt/fma.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A block has 128 bytes of columns.
template <class Tile, class Problem>
class gemv_accumulators {
  using A = typename Problem::a_type;
  using B = typename Problem::b_type;
  using K = typename Problem::accumulate_type;
  static constexpr int cols = Tile::cols;
  static constexpr int vector = cols * Tile::config.k_slices / Tile::threads;
  static constexpr int max_sharers = Tile::config.k_slices;

 public:
  static constexpr int vector_rows = 1;
  static constexpr int vector_cols = 1;
  using shared = shared_tile<K, max_sharers, cols>;

  /// Multiplies; the sums of the block's columns end in held(0, column).
  __device__ gemv_accumulators(Problem const& problem, gemm_grid const& grid, work_tile const& work,
                               shared& held)
      : problem_(problem),
        work_(work),
        held_(held),
        cols_left_(static_cast<int>(problem.cols - work.coordinates.col < cols
                                        ? problem.cols - work.coordinates.col
                                        : cols)) {
    if (grid.b == operand_access::k_major_vec16) multiply_k_major<vector>();
    else if (grid.b == operand_access::k_major) multiply_k_major<1>();
    else if (grid.b == operand_access::mn_major_vec16 && cols_left_ % vector == 0)
      multiply_mn_major<vector>();
    else multiply_mn_major<1>();
  }

 private:
  /// B MN-major: neighbouring threads have vectors of V columns, and rows of threads divide k.
  template <int V>
  __device__ void multiply_mn_major() {
    constexpr int lanes = cols / V;
    constexpr int sharers = Tile::threads / lanes;
    int const sharer = static_cast<int>(threadIdx.x) / lanes;
    int const col = static_cast<int>(threadIdx.x) % lanes * V;
    K accumulators[V];
    for (K& sum : accumulators) sum = problem_.zero();
    if (col < cols_left_) {
      index const first = work_.k_begin + sharer;
      auto const* x = &problem_.a.at(work_.batch, work_.coordinates.row, first);
      auto const* y = &problem_.b.at(work_.batch, first, work_.coordinates.col + col);
      index const x_step = sharers * problem_.a.col_stride;
      index const y_step = sharers * problem_.b.row_stride;
#pragma unroll 8
      for (index k = sharer; k < work_.k_extent; k += sharers, x += x_step, y += y_step) {
        auto const group = *reinterpret_cast<element_group<B, V> const*>(y);
        K const element = problem_.read_a(*x);
#pragma unroll
        for (int v = 0; v < V; ++v)
          accumulators[v] =
              multiply_add(problem_, accumulators[v], element, problem_.read_b(group.elements[v]));
      }
    }
    add_up<sharers>(accumulators, sharer, col);
  }

  /// B K-major: a warp has some columns, and its lanes divide k in vectors of V. A's vectors are
  /// one load where they are aligned.
  template <int V>
  __device__ void multiply_k_major() {
    auto const* const x = &problem_.a.at(work_.batch, work_.coordinates.row, work_.k_begin);
    bool const is_aligned = problem_.a.col_stride == 1 &&
                            reinterpret_cast<std::uintptr_t>(x) % sizeof(element_group<A, V>) == 0;
    is_aligned ? multiply_k_major<V, V>() : multiply_k_major<V, 1>();
  }
  template <int V, int OfA>
  __device__ void multiply_k_major() {
    constexpr int cols_of_warp = cols * 32 / Tile::threads > 0 ? cols * 32 / Tile::threads : 1;
    constexpr int bytes_at_once = 128;  // of B that a thread has in flight; more need registers
    constexpr int of_step = cols_of_warp * V * static_cast<int>(sizeof(B));
    constexpr int steps = of_step < bytes_at_once ? bytes_at_once / of_step : 1;
    int const lane = static_cast<int>(threadIdx.x) % 32;
    int const col = static_cast<int>(threadIdx.x) / 32 * cols_of_warp;
    K accumulators[cols_of_warp];
    for (K& sum : accumulators) sum = problem_.zero();
    index const last = work_.k_extent / V * V;
#pragma unroll steps
    for (index k = index{lane} * V; k < last; k += 32 * V) multiply_k<V, OfA>(accumulators, col, k);
    for (index k = last + lane; k < work_.k_extent; k += 32) multiply_k<1, 1>(accumulators, col, k);
    add_up<32>(accumulators, lane, col);
  }

  /// Columns beyond the last read the first one: a predicate would keep loads from running ahead.
  template <int V, int OfA, int Cols>
  __device__ void multiply_k(K (&accumulators)[Cols], int col, index k) const {
    index const at = work_.k_begin + k;
    auto const* const x = &problem_.a.at(work_.batch, work_.coordinates.row, at);
    element_group<A, V> elements;
    element_group<B, V> groups[Cols];
#pragma unroll
    for (int v = 0; v < V; v += OfA)
      reinterpret_cast<element_group<A, OfA>*>(&elements)[v / OfA] =
          *reinterpret_cast<element_group<A, OfA> const*>(x + v * problem_.a.col_stride);
#pragma unroll
    for (int c = 0; c < Cols; ++c)
      groups[c] = *reinterpret_cast<element_group<B, V> const*>(&problem_.b.at(
          work_.batch, at, work_.coordinates.col + (col + c < cols_left_ ? col + c : 0)));
#pragma unroll
    for (int v = 0; v < V; ++v) {
      K const element = problem_.read_a(elements[v]);
#pragma unroll
      for (int c = 0; c < Cols; ++c)
        accumulators[c] = multiply_add(problem_, accumulators[c], element,
                                       problem_.read_b(groups[c].elements[v]));
    }
  }

  /// Tree reduction of columns col, col + 1, .. over the threads that divide k.
  template <int Sharers, int Count>
  __device__ void add_up(K const (&accumulators)[Count], int sharer, int col) {
    static_assert(Sharers <= max_sharers);
    bool const is_inside = col < cols;
    if (is_inside)
      for (int c = 0; c < Count; ++c) held_(sharer, col + c) = accumulators[c];
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
  work_tile const& work_;
  shared& held_;
  int cols_left_;
};

template <class Tile, class Accumulators, class Problem>
__global__ void __launch_bounds__(Tile::threads, Tile::config.resident_blocks)
    gemv_kernel(Problem problem, gemm_grid grid) {
  using K = typename Problem::accumulate_type;
  __shared__ typename Accumulators::shared held;
  pdl_wait();
  work_tile const work = work_tile_of<Tile>(problem, grid, blockIdx.x);

  Accumulators(problem, grid, work, held);
  pdl_trigger();

  index const col = work.coordinates.col + threadIdx.x;
  if (threadIdx.x >= Tile::cols || col >= problem.cols) return;
  K const sum = held(0, static_cast<int>(threadIdx.x));
  if (grid.partials != nullptr)
    *partial_address<K>(problem, grid, work, work.coordinates.row, col) = sum;
  else problem.write(work.batch, work.coordinates.row, col, sum);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
