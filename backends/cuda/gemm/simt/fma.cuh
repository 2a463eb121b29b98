// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// SIMT: accumulators for the main loop of gemm/block/mainloop.cuh by ordinary FMAs, of any type and
// semiring. A thread holds a thread tile of accumulators. For every k it loads a column fragment of
// A and a row fragment of B from shared memory and adds their outer product.
#pragma once

#include <xpose/backends/cuda/gemm/block/mainloop.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// sum + x * y in the fewest instructions.
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

// fmin and fmax are one instruction each. They equal tropical::add, as an accumulator is never NaN:
// it starts infinite, and both keep it where a product is NaN. Of int32, the sum and the minimum
// are one on capability 90, and a product with an infinite operand, itself infinite, is left out:
// two instructions, where tropical::multiply has four.
template <class A, class B, class C, class K, class E>
__device__ K multiply_add(gemm_problem<A, B, C, K, min_plus, E> const& problem, K const& sum,
                          K const& x, K const& y) {
  bool const is_finite = x != problem.zero() && y != problem.zero();
  if constexpr (std::is_floating_point_v<K>) return fmin(sum, x + y);
  else if constexpr (std::is_same_v<K, int>) return is_finite ? __viaddmin_s32(x, y, sum) : sum;
  else return problem.accumulate(sum, x, y);
}
template <class A, class B, class C, class K, class E>
__device__ K multiply_add(gemm_problem<A, B, C, K, max_plus, E> const& problem, K const& sum,
                          K const& x, K const& y) {
  bool const is_finite = x != problem.zero() && y != problem.zero();
  if constexpr (std::is_floating_point_v<K>) return fmax(sum, x + y);
  else if constexpr (std::is_same_v<K, int>) return is_finite ? __viaddmax_s32(x, y, sum) : sum;
  else return problem.accumulate(sum, x, y);
}

template <class Tile, class Problem>
class simt_accumulators {
  using K = typename Problem::accumulate_type;
  static constexpr gemm_config config = Tile::config;
  static constexpr int vector =
      std::is_trivially_default_constructible_v<K> ? elements_of_vec16<K> : 1;

 public:
  using element = K;
  static constexpr int rows = config.inner_rows;
  static constexpr int cols = config.inner_cols;
  static constexpr int vector_rows = least_of(vector, rows);
  static constexpr int vector_cols = least_of(vector, cols);
  static constexpr int lane_cols = 32 / config.lane_rows;
  static constexpr int exchanged_cols =
      is_plain_number<K> && sizeof(K) >= 4 && vector_cols <= lane_cols ? vector_cols : 1;
  static constexpr int k_per_step = k_of_step(config);
  static constexpr bool has_unpredicated_loop = knows_layouts_of_simt<Problem>(config);
  static constexpr bool can_end_early = can_end_last_stage_early(config);
  static constexpr int buffers = 2;  // of fragments: one is loaded while the other is multiplied

  __device__ explicit simt_accumulators(Problem const& problem) {
    int const thread = static_cast<int>(threadIdx.x) % Tile::threads_of_k_slice;
    int const lane = thread % 32;
    int const warp = thread / 32;
    k_slice_ = static_cast<int>(threadIdx.x) / Tile::threads_of_k_slice;
    int const lane_row = (lane >> 1 & 1) | lane / (2 * lane_cols) << 1;
    row_ = warp / warp_cols * (config.lane_rows * rows) + lane_row * vector_rows;
    col_ = warp % warp_cols * (lane_cols * cols) + lane_col() * vector_cols;
    conjugate_a_ = Tile::config.uses_cp_async && problem.conjugate_a;
    conjugate_b_ = problem.conjugate_b;
    K const zero = problem.zero();
    for (auto& row : acc_)
      for (K& sum : row) sum = zero;
  }

  /// Which of the warp's lane_cols. Lanes 0 and 1 share their fragment of A, lanes 0 and 2 that of
  /// B, so that a load of 16 bytes takes two passes through the banks instead of four.
  __device__ static int lane_col() {
    int const lane = static_cast<int>(threadIdx.x) % 32;
    return (lane & 1) | (lane >> 2 & (lane_cols / 2 - 1)) << 1;
  }
  /// Where a bit of lane_col() is in the number of the lane.
  __device__ static constexpr int lane_mask_of_col(int bit) { return bit == 1 ? bit : 2 * bit; }
  __device__ int k_slice() const { return Tile::config.k_slices == 1 ? 0 : k_slice_; }
  /// Row and column in the block tile.
  __device__ int row_of(int r) const {
    return row_ + r / vector_rows * (config.lane_rows * vector_rows) + r % vector_rows;
  }
  __device__ int col_of(int c) const {
    return col_ + c / vector_cols * (lane_cols * vector_cols) + c % vector_cols;
  }
  __device__ K value(int r, int c) const { return conjugated_accumulator(acc_[r][c]); }
  __device__ void set(int r, int c, K const& sum) { acc_[r][c] = conjugated_accumulator(sum); }

  template <int Buffer>
  __device__ void load(K const* a_tile, K const* b_tile, int step) {
    int const k = k_slice() * (Tile::k_extent / Tile::config.k_slices) + step;
    load_groups<rows, vector_rows>(a_[Buffer],
                                   a_tile + k * Tile::template a_layout<K>::pitch + row_,
                                   config.lane_rows * vector_rows);
    load_groups<cols, vector_cols>(
        b_[Buffer], b_tile + k * Tile::template b_layout<K>::pitch + col_, lane_cols * vector_cols);
  }

  template <int Buffer>
  __device__ void multiply(Problem const& problem) {
    if constexpr (has_complex_accumulators<Problem>) {
      multiply_complex<Buffer, false>();
    } else {
      // Not where fragments are loaded: the step after the last one is loaded too, from anything.
      if constexpr (Tile::config.uses_cp_async && !std::is_arithmetic_v<K>) {
        if (conjugate_a_)
          for (K& x : a_[Buffer]) x = scalar_traits<K>::conj(x);
        if (conjugate_b_)
          for (K& y : b_[Buffer]) y = scalar_traits<K>::conj(y);
      }
      // Up one column and down the next: an FMA then shares an operand with the previous one and
      // reads two registers. Reading three takes an extra cycle on GPUs with 128 FP32 lanes a
      // multiprocessor: 9 % of f32's FMAs read three in this order, 15 % row by row (H100,
      // 2026-11-21).
#pragma unroll
      for (int c = 0; c < cols; ++c)
#pragma unroll
        for (int i = 0; i < rows; ++i) {
          int const r = c % 2 == 0 ? i : rows - 1 - i;
          acc_[r][c] = multiply_add(problem, acc_[r][c], a_[Buffer][r], b_[Buffer][c]);
        }
    }
  }
  /// By B or conj(B), each of the four real products of a column by itself, up or down its rows:
  /// c64 at 4096 takes 11.6 ms, and 12.8 with an element's four products in a row (H100,
  /// 2026-11-22). No better: all products with real parts before those with imaginary ones (12.4),
  /// real and imaginary parts of A in planes (11.8 to 11.9), a branch after every step to keep the
  /// compiler from mixing steps (13.2).
  template <int Buffer, bool ConjugatesB>
  __device__ void multiply_complex() {
#pragma unroll
    for (int c = 0; c < cols; ++c) {
      K const y = b_[Buffer][c];
#pragma unroll
      for (int r = 0; r < rows; ++r) acc_[r][c].re = fma(a_[Buffer][r].re, y.re, acc_[r][c].re);
#pragma unroll
      for (int r = rows - 1; r >= 0; --r)
        acc_[r][c].im = fma(a_[Buffer][r].im, y.re, acc_[r][c].im);
#pragma unroll
      for (int r = 0; r < rows; ++r)
        acc_[r][c].re =
            fma(ConjugatesB ? a_[Buffer][r].im : -a_[Buffer][r].im, y.im, acc_[r][c].re);
#pragma unroll
      for (int r = rows - 1; r >= 0; --r)
        acc_[r][c].im =
            fma(ConjugatesB ? -a_[Buffer][r].re : a_[Buffer][r].re, y.im, acc_[r][c].im);
    }
  }

 private:
  static constexpr int warp_cols = config.block_cols / (lane_cols * cols);
  static_assert(config.block_cols % (lane_cols * cols) == 0 &&
                config.block_rows % (config.lane_rows * rows) == 0 && lane_cols >= 2 &&
                config.lane_rows >= 2);

  /// conj(A) B is the conjugate of A conj(B): instead of A the accumulators are conjugated.
  __device__ K conjugated_accumulator(K const& sum) const {
    if constexpr (has_complex_accumulators<Problem>) {
      return {sum.re, conjugate_a_ ? 0 - sum.im : sum.im};  // no negative zero
    } else {
      return sum;
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

  int row_, col_, k_slice_;
  bool conjugate_a_, conjugate_b_;
  K acc_[rows][cols];
  K a_[buffers][rows];
  K b_[buffers][cols];
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
