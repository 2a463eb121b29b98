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

/// multiply_fragments() for code below capability 80 (all_lanes), of depth 4.
__device__ __noinline__ inline void multiply_by_lanes(double (&sums)[2][2], double const (&a)[2],
                                                      double b) {
  int const lane = static_cast<int>(threadIdx.x) % 32;
  for (int k = 0; k < 4; ++k)
    for (int h = 0; h < 2; ++h) {
      double const x = __shfl_sync(all_lanes, a[h], lane / 4 * 4 + k);
      for (int c = 0; c < 2; ++c)
        sums[h][c] = fma(x, __shfl_sync(all_lanes, b, (lane % 4 * 2 + c) * 4 + k), sums[h][c]);
    }
}

/// sums[h] += a[h] b, rows h: both halves of a fragment's rows, depth 4.
__device__ inline void multiply_fragments(double (&sums)[2][2], double const (&a)[2], double b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+d"(sums[0][0]), "+d"(sums[0][1]), "+d"(sums[1][0]), "+d"(sums[1][1])
      : "d"(a[0]), "d"(a[1]), "d"(b));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  for (int h = 0; h < 2; ++h)
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sums[h][0]), "+d"(sums[h][1])
        : "d"(a[h]), "d"(b));
#else
  multiply_by_lanes(sums, a, b);
#endif
}

/// The same of depth 8: a[k][h], b[k].
__device__ inline void multiply_fragments(double (&sums)[2][2], double const (&a)[2][2],
                                          double const (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+d"(sums[0][0]), "+d"(sums[0][1]), "+d"(sums[1][0]), "+d"(sums[1][1])
      : "d"(a[0][0]), "d"(a[0][1]), "d"(a[1][0]), "d"(a[1][1]), "d"(b[0]), "d"(b[1]));
#else
  for (int k = 0; k < 2; ++k) multiply_fragments(sums, a[k], b[k]);
#endif
}

/// Of depth 16.
__device__ inline void multiply_fragments(double (&sums)[2][2], double const (&a)[4][2],
                                          double const (&b)[4]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, "
      "%9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(sums[0][0]), "+d"(sums[0][1]), "+d"(sums[1][0]), "+d"(sums[1][1])
      : "d"(a[0][0]), "d"(a[0][1]), "d"(a[1][0]), "d"(a[1][1]), "d"(a[2][0]), "d"(a[2][1]),
        "d"(a[3][0]), "d"(a[3][1]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#else
  for (int k = 0; k < 4; ++k) multiply_fragments(sums, a[k], b[k]);
#endif
}

/// Where a thread stands: what both element types share.
template <class Tile>
class f64_place {
 public:
  static constexpr int sets = 2;  // of a step's operands: one is loaded, the other multiplied
  // Of two stages the last part's copies would lie bare; of two tiles that lie across, whose
  // readers hold most, a warp's 64x32 sums leave no registers.
  static constexpr bool has_whole_stages =
      Tile::stages > 2 &&
      !(Tile::lies_across && Tile::row.rows_in_thread * Tile::row.cols_in_thread > 1024);

  __device__ f64_place() {
    int const thread = static_cast<int>(threadIdx.x) % Tile::threads_of_tile;
    slice_ = static_cast<int>(threadIdx.x) / Tile::threads_of_tile;
    group_ = thread % 32 / 4;
    in_group_ = thread % 4;
    first_row_ = thread / 32 / warps_across * tile.rows_in_thread;
    first_col_ = thread / 32 % warps_across * tile.cols_in_thread;
  }
  __device__ int slice() const { return tile.slices == 1 ? 0 : slice_; }

 protected:
  static constexpr gemm_row tile = Tile::row;
  static constexpr int warps_across = tile.cols / tile.cols_in_thread;

  /// The first depth of a step of `depth`.
  __device__ int depth_of(int step, int depth) const {
    return slice() * (Tile::depth / tile.slices) + step * depth;
  }

  int slice_;
  int group_;
  int in_group_;
  int first_row_;
  int first_col_;
};

/// Of doubles, in steps of depth 8: depth 4 was 3 % slower (H100, 2026-11-21), and 16 leaves no
/// registers for a second set. Every element is loaded by itself, into its register: pairs along
/// the depth would belong to registers that are not neighbours.
template <class Tile, class Problem>
class f64_sums : public f64_place<Tile> {
  using place = f64_place<Tile>;
  static constexpr int row_fragments = Tile::row.rows_in_thread / 16;
  static constexpr int col_fragments = Tile::row.cols_in_thread / 8;

 public:
  using element = double;
  static constexpr int rows = 2 * row_fragments;
  static constexpr int cols = 2 * col_fragments;
  static constexpr int rows_together = 1;
  static constexpr int cols_together = 2;
  static constexpr int depth_of_step = 8;

  __device__ explicit f64_sums(Problem const&) {
    for (auto& row : sums_)
      for (auto& fragment : row)
        for (auto& line : fragment) line[0] = line[1] = 0;
  }

  __device__ int row_of(int r) const {
    return this->first_row_ + r / 2 * 16 + this->group_ + r % 2 * 8;
  }
  __device__ int col_of(int c) const {
    return this->first_col_ + c / 2 * 8 + this->in_group_ * 2 + c % 2;
  }
  __device__ double value(int r, int c) const { return sums_[r / 2][c / 2][r % 2][c % 2]; }
  __device__ void set(int r, int c, double sum) { sums_[r / 2][c / 2][r % 2][c % 2] = sum; }

  template <int Set>
  __device__ void load(double const* a_tile, double const* b_tile, int step) {
    using a_layout = typename Tile::template a_layout<double>;
    using b_layout = typename Tile::template b_layout<double>;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      int const depth = this->depth_of(step, depth_of_step) + k * 4 + this->in_group_;
#pragma unroll
      for (int r = 0; r < rows; ++r)
        a_[Set][r / 2][k][r % 2] = a_tile[a_layout::place(row_of(r), depth)];
#pragma unroll
      for (int c = 0; c < col_fragments; ++c)
        b_[Set][c][k] = b_tile[b_layout::place(this->first_col_ + this->group_ + c * 8, depth)];
    }
  }

  template <int Set>
  __device__ void multiply(Problem const&) {
#pragma unroll
    for (int r = 0; r < row_fragments; ++r)
#pragma unroll
      for (int c = 0; c < col_fragments; ++c)
        multiply_fragments(sums_[r][c], a_[Set][r], b_[Set][c]);
  }

 private:
  double sums_[row_fragments][col_fragments][2][2];
  double a_[place::sets][row_fragments][2][2];
  double b_[place::sets][col_fragments][2];
};

/// Of complex doubles, in steps of depth 8. A fragment's rows g and g + 8 are real and imaginary
/// part of one row: (re, im) b.re + (-im, re) b.im, so that a fragment of depth 16 has depths t and
/// t + 4 of the step, and its parts of B lie so in memory. Fragments of depth 4, two products for a
/// depth, took 10.9 ms at 4096 where these take 9.0 (H100, 2026-11-22): the sums pass through the
/// registers a quarter as often. (-im, re) is made where a fragment is loaded; where it is
/// multiplied, 32x32 has too few registers.
template <class Tile, class Problem>
class c128_sums : public f64_place<Tile> {
  using K = complex_value<double>;
  using place = f64_place<Tile>;

 public:
  using element = K;
  static constexpr int rows = Tile::row.rows_in_thread / 8;
  static constexpr int cols = Tile::row.cols_in_thread / 4;
  static constexpr int rows_together = 1;
  static constexpr int cols_together = 1;
  static constexpr int depth_of_step = 8;

  __device__ explicit c128_sums(Problem const& problem)
      : conjugates_sums_(problem.conjugate_a),
        signs_(problem.conjugate_a != problem.conjugate_b ? sign : 0) {
    for (auto& row : sums_)
      for (auto& fragment : row)
        for (auto& part : fragment) part[0] = part[1] = 0;
  }

  __device__ int row_of(int r) const { return this->first_row_ + r * 8 + this->group_; }
  __device__ int col_of(int c) const {
    return this->first_col_ + c / 2 * 8 + this->in_group_ * 2 + c % 2;
  }
  __device__ K value(int r, int c) const {
    return {sums_[r][c / 2][0][c % 2], conjugated_part(sums_[r][c / 2][1][c % 2])};
  }
  __device__ void set(int r, int c, K const& sum) {
    sums_[r][c / 2][0][c % 2] = sum.re;
    sums_[r][c / 2][1][c % 2] = conjugated_part(sum.im);
  }

  template <int Set>
  __device__ void load(K const* a_tile, K const* b_tile, int step) {
    using a_layout = typename Tile::template a_layout<K>;
    using b_layout = typename Tile::template b_layout<K>;
#pragma unroll
    for (int k = 0; k < 4; k += 2) {
      int const depth = this->depth_of(step, depth_of_step) + k * 2 + this->in_group_;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        double2 const held = at(a_tile, a_layout::place(row_of(r), depth));
        a_[Set][r][k][0] = held.x;
        a_[Set][r][k][1] = held.y;
        a_[Set][r][k + 1][0] = flipped(held.y, signs_ ^ sign);
        a_[Set][r][k + 1][1] = flipped(held.x, signs_);
      }
#pragma unroll
      for (int c = 0; c < cols / 2; ++c) {
        double2 const held =
            at(b_tile, b_layout::place(this->first_col_ + this->group_ + c * 8, depth));
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
      for (int c = 0; c < cols / 2; ++c) multiply_fragments(sums_[r][c], a_[Set][r], b_[Set][c]);
  }

 private:
  static constexpr int sign = static_cast<int>(0x80000000u);

  __device__ static double2 at(K const* tile, int place) {
    return *reinterpret_cast<double2 const*>(tile + place);
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
  double sums_[rows][cols / 2][2][2];
  double a_[place::sets][rows][4][2];
  double b_[place::sets][cols / 2][4];
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
