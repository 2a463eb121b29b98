// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Sums of gemm_tiles by ordinary instructions, for any type and semiring: a thread holds a small
// rectangle of a tile's sums and, for every step along the depth, the elements of A and B that meet
// in it.
#pragma once

#include <xpose/backends/cuda/gemm/block/mainloop.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// sum + x * y, in the fewest instructions.
template <class Problem, class K>
__device__ K multiply_add(Problem const& problem, K const& sum, K const& x, K const& y) {
  return problem.accumulate(sum, x, y);
}

template <class A, class B, class C, class R, class E>
__device__ complex_value<R> multiply_add(
    gemm_problem<A, B, C, complex_value<R>, plus_times, E> const&, complex_value<R> const& sum,
    complex_value<R> const& x, complex_value<R> const& y) {
  return {fma(-x.im, y.im, fma(x.re, y.re, sum.re)), fma(x.im, y.re, fma(x.re, y.im, sum.im))};
}

// One instruction for the smaller of two reals, as in tropical::add of sums that are no NaN: a sum
// starts infinite, and both then keep it where a product is NaN.
template <class A, class B, class C, class K, class E>
__device__ K multiply_add(gemm_problem<A, B, C, K, min_plus, E> const& problem, K const& sum,
                          K const& x, K const& y) {
  if constexpr (std::is_floating_point_v<K>) return fmin(sum, x + y);
  else return problem.accumulate(sum, x, y);
}
template <class A, class B, class C, class K, class E>
__device__ K multiply_add(gemm_problem<A, B, C, K, max_plus, E> const& problem, K const& sum,
                          K const& x, K const& y) {
  if constexpr (std::is_floating_point_v<K>) return fmax(sum, x + y);
  else return problem.accumulate(sum, x, y);
}

/// Complex numbers have an order of products of their own.
template <class Problem>
constexpr bool has_complex_accumulators =
    zeros_are_neutral<Problem> && !std::is_arithmetic_v<typename Problem::accumulate_type>;

template <class Tile, class Problem>
class simt_accumulators {
  using K = typename Problem::accumulate_type;
  static constexpr gemm_config tile = Tile::row;
  static constexpr int vector =
      std::is_trivially_default_constructible_v<K> ? elements_of_vec16<K> : 1;

 public:
  using element = K;
  static constexpr int rows = tile.inner_rows;
  static constexpr int cols = tile.inner_cols;
  static constexpr int vector_rows = least_of(vector, rows);
  static constexpr int vector_cols = least_of(vector, cols);
  static constexpr int k_per_step = 1;
  static constexpr bool has_unpredicated_loop = false;
  static constexpr int sets =
      2;  // of a step's operands: one is loaded while the other is multiplied

  __device__ explicit simt_accumulators(Problem const& problem) {
    int const thread = static_cast<int>(threadIdx.x) % Tile::threads_of_k_slice;
    int const lane = thread % 32;
    int const warp = thread / 32;
    k_slice_ = static_cast<int>(threadIdx.x) / Tile::threads_of_k_slice;
    // Lanes 0 and 1 share their elements of A, lanes 0 and 2 those of B, so that a load of 16 bytes
    // takes two passes of the banks instead of four.
    int const lane_col = (lane & 1) | (lane >> 2 & (lane_cols / 2 - 1)) << 1;
    int const lane_row = (lane >> 1 & 1) | lane / (2 * lane_cols) << 1;
    row_ = warp / warp_cols * (tile.lane_rows * rows) + lane_row * vector_rows;
    col_ = warp % warp_cols * (lane_cols * cols) + lane_col * vector_cols;
    conjugate_a_ = Tile::row.is_async && problem.conjugate_a;
    conjugate_b_ = problem.conjugate_b;
    K const zero = problem.zero();
    for (auto& row : acc_)
      for (K& sum : row) sum = zero;
  }

  __device__ int k_slice() const { return Tile::row.k_slices == 1 ? 0 : k_slice_; }
  /// In the tile.
  __device__ int row_of(int r) const {
    return row_ + r / vector_rows * (tile.lane_rows * vector_rows) + r % vector_rows;
  }
  __device__ int col_of(int c) const {
    return col_ + c / vector_cols * (lane_cols * vector_cols) + c % vector_cols;
  }
  __device__ K value(int r, int c) const { return conjugated_accumulator(acc_[r][c]); }
  __device__ void set(int r, int c, K const& sum) { acc_[r][c] = conjugated_accumulator(sum); }

  template <int Set>
  __device__ void load(K const* a_tile, K const* b_tile, int step) {
    int const k_extent = k_slice() * (Tile::k_extent / Tile::row.k_slices) + step;
    load_groups<rows, vector_rows>(a_[Set],
                                   a_tile + k_extent * Tile::template a_layout<K>::pitch + row_,
                                   tile.lane_rows * vector_rows);
    load_groups<cols, vector_cols>(b_[Set],
                                   b_tile + k_extent * Tile::template b_layout<K>::pitch + col_,
                                   lane_cols * vector_cols);
  }

  template <int Set>
  __device__ void multiply(Problem const& problem) {
    if constexpr (has_complex_accumulators<Problem>) {
      multiply_complex<Set, false>();
    } else {
      // Not where they are loaded: the step after the last one is loaded too, whatever is there.
      if constexpr (Tile::row.is_async && !std::is_arithmetic_v<K>) {
        if (conjugate_a_)
          for (K& x : a_[Set]) x = scalar_traits<K>::conj(x);
        if (conjugate_b_)
          for (K& y : b_[Set]) y = scalar_traits<K>::conj(y);
      }
      // Up one column and down the next: a multiply-add then shares an operand with the one before,
      // which leaves two registers to read. Three take an extra clock on boards with 128 lanes a
      // multiprocessor: 9 % of f32's multiply-adds read three so, 15 % row by row (H100,
      // 2026-11-21).
#pragma unroll
      for (int c = 0; c < cols; ++c)
#pragma unroll
        for (int i = 0; i < rows; ++i) {
          int const r = c % 2 == 0 ? i : rows - 1 - i;
          acc_[r][c] = multiply_add(problem, acc_[r][c], a_[Set][r], b_[Set][c]);
        }
    }
  }
  /// By conj(B) in place of B.
  template <int Set>
  __device__ void multiply_conj_b() {
    multiply_complex<Set, true>();
  }

 private:
  static constexpr int lane_cols = 32 / tile.lane_rows;
  static constexpr int warp_cols = tile.cols / (lane_cols * cols);
  static_assert(tile.cols % (lane_cols * cols) == 0 && tile.rows % (tile.lane_rows * rows) == 0 &&
                lane_cols >= 2 && tile.lane_rows >= 2);

  /// conj(A) B is the conjugate of A conj(B), so that A is never conjugated but its sums.
  __device__ K conjugated_accumulator(K const& sum) const {
    if constexpr (has_complex_accumulators<Problem>) {
      return {sum.re, conjugate_a_ ? 0 - sum.im : sum.im};  // no negative zero
    } else {
      return sum;
    }
  }

  /// Each of the four products of a column by itself, up or down its rows: c64 at 4096 takes 11.6
  /// ms so, 12.8 with the four of an element in a row (H100, 2026-11-22). No better: all products
  /// with real parts before those with imaginary ones (12.4), parts of A in planes of their own
  /// (11.8 to 11.9), a branch after every step, which keeps the compiler from mixing steps (13.2).
  template <int Set, bool ConjugatesB>
  __device__ void multiply_complex() {
#pragma unroll
    for (int c = 0; c < cols; ++c) {
      K const y = b_[Set][c];
#pragma unroll
      for (int r = 0; r < rows; ++r) acc_[r][c].re = fma(a_[Set][r].re, y.re, acc_[r][c].re);
#pragma unroll
      for (int r = rows - 1; r >= 0; --r) acc_[r][c].im = fma(a_[Set][r].im, y.re, acc_[r][c].im);
#pragma unroll
      for (int r = 0; r < rows; ++r)
        acc_[r][c].re = fma(ConjugatesB ? a_[Set][r].im : -a_[Set][r].im, y.im, acc_[r][c].re);
#pragma unroll
      for (int r = rows - 1; r >= 0; --r)
        acc_[r][c].im = fma(ConjugatesB ? -a_[Set][r].re : a_[Set][r].re, y.im, acc_[r][c].im);
    }
  }

  template <int Count, int Together>
  __device__ static void load_groups(K (&to)[Count], K const* from, int step) {
#pragma unroll
    for (int g = 0; g < Count; g += Together)
      if constexpr (Together == 1) {
        to[g] = from[g * step];
      } else {
        using group = element_group<K, Together>;
        group held = *reinterpret_cast<group const*>(from + g / Together * step);
#pragma unroll
        for (int e = 0; e < Together; ++e) to[g + e] = held[e];
      }
  }

  int row_;
  int col_;
  int k_slice_;
  bool conjugate_a_;
  bool conjugate_b_;
  K acc_[rows][cols];
  K a_[sets][rows];
  K b_[sets][cols];
};

/// The same sums, of products by conj(B).
template <class Accumulators>
class conj_b_accumulators {
 public:
  using element = typename Accumulators::element;
  static constexpr int k_per_step = Accumulators::k_per_step;
  static constexpr int sets = Accumulators::sets;
  static constexpr bool has_unpredicated_loop = Accumulators::has_unpredicated_loop;

  __device__ explicit conj_b_accumulators(Accumulators& accumulators) : acc_(accumulators) {}
  __device__ int k_slice() const { return acc_.k_slice(); }
  template <int Set>
  __device__ void load(element const* a_tile, element const* b_tile, int step) {
    acc_.template load<Set>(a_tile, b_tile, step);
  }
  template <int Set, class Problem>
  __device__ void multiply(Problem const&) {
    acc_.template multiply_conj_b<Set>();
  }

 private:
  Accumulators& acc_;
};

template <class Tile, class Problem>
struct conj_b_accumulators_of<simt_accumulators<Tile, Problem>> {
  using type = std::conditional_t<has_complex_accumulators<Problem>,
                                  conj_b_accumulators<simt_accumulators<Tile, Problem>>, void>;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
