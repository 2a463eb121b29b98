// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Sums of gemm_tiles by the matrix units for doubles, real and complex, of devices of capability 80
// and up: a warp holds a rectangle of sums as fragments. IEEE arithmetic, an FMA for every product.
// Thread 4 g + t of a warp has, of a fragment, rows g and g + 8 of A, column g of B, both in depths
// t, t + 4, .., and columns 2 t and 2 t + 1 of rows g and g + 8 of the sums.
#pragma once

#include <xpose/backends/cuda/gemm/block/mainloop.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// mma_f64() for code below capability 80 (all_lanes), of depth 4.
__device__ __noinline__ inline void mma_by_shuffles(double (&accumulators)[2][2],
                                                    double const (&a)[2], double b) {
  int const lane = static_cast<int>(threadIdx.x) % 32;
  for (int k = 0; k < 4; ++k)
    for (int h = 0; h < 2; ++h) {
      double const x = __shfl_sync(all_lanes, a[h], lane / 4 * 4 + k);
      for (int c = 0; c < 2; ++c)
        accumulators[h][c] =
            fma(x, __shfl_sync(all_lanes, b, (lane % 4 * 2 + c) * 4 + k), accumulators[h][c]);
    }
}

/// sums[h] += a[h] b, rows h: both halves of a fragment's rows, depth 4.
__device__ inline void mma_f64(double (&accumulators)[2][2], double const (&a)[2], double b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+d"(accumulators[0][0]), "+d"(accumulators[0][1]), "+d"(accumulators[1][0]),
        "+d"(accumulators[1][1])
      : "d"(a[0]), "d"(a[1]), "d"(b));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  for (int h = 0; h < 2; ++h)
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(accumulators[h][0]), "+d"(accumulators[h][1])
        : "d"(a[h]), "d"(b));
#else
  mma_by_shuffles(accumulators, a, b);
#endif
}

/// The same of depth 8: a[k][h], b[k].
__device__ inline void mma_f64(double (&accumulators)[2][2], double const (&a)[2][2],
                               double const (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+d"(accumulators[0][0]), "+d"(accumulators[0][1]), "+d"(accumulators[1][0]),
        "+d"(accumulators[1][1])
      : "d"(a[0][0]), "d"(a[0][1]), "d"(a[1][0]), "d"(a[1][1]), "d"(b[0]), "d"(b[1]));
#else
  for (int k = 0; k < 2; ++k) mma_f64(accumulators, a[k], b[k]);
#endif
}

/// Of depth 16.
__device__ inline void mma_f64(double (&accumulators)[2][2], double const (&a)[4][2],
                               double const (&b)[4]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, "
      "%9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(accumulators[0][0]), "+d"(accumulators[0][1]), "+d"(accumulators[1][0]),
        "+d"(accumulators[1][1])
      : "d"(a[0][0]), "d"(a[0][1]), "d"(a[1][0]), "d"(a[1][1]), "d"(a[2][0]), "d"(a[2][1]),
        "d"(a[3][0]), "d"(a[3][1]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#else
  for (int k = 0; k < 4; ++k) mma_f64(accumulators, a[k], b[k]);
#endif
}

/// Where a thread stands: what both element types share.
template <class Tile>
class dmma_lane {
 public:
  static constexpr int sets = 2;  // of a step's operands: one is loaded, the other multiplied
  // Of two stages the last part's copies would lie bare; of two tiles that lie across, whose
  // readers hold most, a warp's 64x32 sums leave no registers.
  static constexpr bool has_unpredicated_loop =
      Tile::stages > 2 &&
      !(Tile::both_mn_major && Tile::row.inner_rows * Tile::row.inner_cols > 1024);

  __device__ dmma_lane() {
    int const thread = static_cast<int>(threadIdx.x) % Tile::threads_of_k_slice;
    k_slice_ = static_cast<int>(threadIdx.x) / Tile::threads_of_k_slice;
    group_ = thread % 32 / 4;
    in_group_ = thread % 4;
    first_row_ = thread / 32 / warp_cols * tile.inner_rows;
    first_col_ = thread / 32 % warp_cols * tile.inner_cols;
  }
  __device__ int k_slice() const { return tile.k_slices == 1 ? 0 : k_slice_; }

 protected:
  static constexpr gemm_config tile = Tile::row;
  static constexpr int warp_cols = tile.cols / tile.inner_cols;

  /// The first depth of a step of `depth`.
  __device__ int k_of(int step, int k_extent) const {
    return k_slice() * (Tile::k_extent / tile.k_slices) + step * k_extent;
  }

  int k_slice_;
  int group_;
  int in_group_;
  int first_row_;
  int first_col_;
};

/// Of doubles, in steps of depth 8: depth 4 was 3 % slower (H100, 2026-11-21), and 16 leaves no
/// registers for a second set. Every element is loaded by itself, into its register: pairs along
/// the depth would belong to registers that are not neighbours.
template <class Tile, class Problem>
class dmma_accumulators : public dmma_lane<Tile> {
  using offset = dmma_lane<Tile>;
  static constexpr int row_fragments = Tile::row.inner_rows / 16;
  static constexpr int col_fragments = Tile::row.inner_cols / 8;

 public:
  using element = double;
  static constexpr int rows = 2 * row_fragments;
  static constexpr int cols = 2 * col_fragments;
  static constexpr int vector_rows = 1;
  static constexpr int vector_cols = 2;
  static constexpr int k_per_step = 8;

  __device__ explicit dmma_accumulators(Problem const&) {
    for (auto& row : acc_)
      for (auto& fragment : row)
        for (auto& line : fragment) line[0] = line[1] = 0;
  }

  __device__ int row_of(int r) const {
    return this->first_row_ + r / 2 * 16 + this->group_ + r % 2 * 8;
  }
  __device__ int col_of(int c) const {
    return this->first_col_ + c / 2 * 8 + this->in_group_ * 2 + c % 2;
  }
  __device__ double value(int r, int c) const { return acc_[r / 2][c / 2][r % 2][c % 2]; }
  __device__ void set(int r, int c, double sum) { acc_[r / 2][c / 2][r % 2][c % 2] = sum; }

  template <int Set>
  __device__ void load(double const* a_tile, double const* b_tile, int step) {
    using a_layout = typename Tile::template a_layout<double>;
    using b_layout = typename Tile::template b_layout<double>;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      int const k_extent = this->k_of(step, k_per_step) + k * 4 + this->in_group_;
#pragma unroll
      for (int r = 0; r < rows; ++r)
        a_[Set][r / 2][k][r % 2] = a_tile[a_layout::offset(row_of(r), k_extent)];
#pragma unroll
      for (int c = 0; c < col_fragments; ++c)
        b_[Set][c][k] = b_tile[b_layout::offset(this->first_col_ + this->group_ + c * 8, k_extent)];
    }
  }

  template <int Set>
  __device__ void multiply(Problem const&) {
#pragma unroll
    for (int r = 0; r < row_fragments; ++r)
#pragma unroll
      for (int c = 0; c < col_fragments; ++c) mma_f64(acc_[r][c], a_[Set][r], b_[Set][c]);
  }

 private:
  double acc_[row_fragments][col_fragments][2][2];
  double a_[offset::sets][row_fragments][2][2];
  double b_[offset::sets][col_fragments][2];
};

/// Of complex doubles, in steps of depth 8. A fragment's rows g and g + 8 are real and imaginary
/// part of one row: (re, im) b.re + (-im, re) b.im, so that a fragment of depth 16 has depths t and
/// t + 4 of the step, and its parts of B lie so in memory. Fragments of depth 4, two products for a
/// depth, took 10.9 ms at 4096 where these take 9.0 (H100, 2026-11-22): the sums pass through the
/// registers a quarter as often. (-im, re) is made where a fragment is loaded; where it is
/// multiplied, 32x32 has too few registers.
template <class Tile, class Problem>
class complex_dmma_accumulators : public dmma_lane<Tile> {
  using K = complex_value<double>;
  using offset = dmma_lane<Tile>;

 public:
  using element = K;
  static constexpr int rows = Tile::row.inner_rows / 8;
  static constexpr int cols = Tile::row.inner_cols / 4;
  static constexpr int vector_rows = 1;
  static constexpr int vector_cols = 1;
  static constexpr int k_per_step = 8;

  __device__ explicit complex_dmma_accumulators(Problem const& problem)
      : conjugates_sums_(problem.conjugate_a),
        signs_(problem.conjugate_a != problem.conjugate_b ? sign : 0) {
    for (auto& row : acc_)
      for (auto& fragment : row)
        for (auto& part : fragment) part[0] = part[1] = 0;
  }

  __device__ int row_of(int r) const { return this->first_row_ + r * 8 + this->group_; }
  __device__ int col_of(int c) const {
    return this->first_col_ + c / 2 * 8 + this->in_group_ * 2 + c % 2;
  }
  __device__ K value(int r, int c) const {
    return {acc_[r][c / 2][0][c % 2], conjugated_part(acc_[r][c / 2][1][c % 2])};
  }
  __device__ void set(int r, int c, K const& sum) {
    acc_[r][c / 2][0][c % 2] = sum.re;
    acc_[r][c / 2][1][c % 2] = conjugated_part(sum.im);
  }

  template <int Set>
  __device__ void load(K const* a_tile, K const* b_tile, int step) {
    using a_layout = typename Tile::template a_layout<K>;
    using b_layout = typename Tile::template b_layout<K>;
#pragma unroll
    for (int k = 0; k < 4; k += 2) {
      int const k_extent = this->k_of(step, k_per_step) + k * 2 + this->in_group_;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        double2 const held = at(a_tile, a_layout::offset(row_of(r), k_extent));
        a_[Set][r][k][0] = held.x;
        a_[Set][r][k][1] = held.y;
        a_[Set][r][k + 1][0] = flipped(held.y, signs_ ^ sign);
        a_[Set][r][k + 1][1] = flipped(held.x, signs_);
      }
#pragma unroll
      for (int c = 0; c < cols / 2; ++c) {
        double2 const held =
            at(b_tile, b_layout::offset(this->first_col_ + this->group_ + c * 8, k_extent));
        b_[Set][c][k] = held.x;
        b_[Set][c][k + 1] = held.y;
      }
    }
  }

  template <int Set>
  __device__ void multiply(Problem const&) {
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int c = 0; c < cols / 2; ++c) mma_f64(acc_[r][c], a_[Set][r], b_[Set][c]);
  }

 private:
  static constexpr int sign = static_cast<int>(0x80000000u);

  __device__ static double2 at(K const* tile, int offset) {
    return *reinterpret_cast<double2 const*>(tile + offset);
  }
  /// Of a sum of zero no negative zero.
  __device__ double conjugated_part(double im) const {
    return conjugates_sums_ ? 0 - im : im;
  }
  /// By the ordinary units: doubles' own have the products.
  __device__ static double flipped(double x, int signs) {
    return __hiloint2double(__double2hiint(x) ^ signs, __double2loint(x));
  }

  bool conjugates_sums_;
  int signs_;
  double acc_[rows][cols / 2][2][2];
  double a_[offset::sets][rows][4][2];
  double b_[offset::sets][cols / 2][4];
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
