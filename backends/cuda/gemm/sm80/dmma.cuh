// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Doubles and complex doubles on tensor cores (DMMA: mma.sync of f64, capability 80): accumulators
// for the main loop of gemm/block/mainloop.cuh. IEEE arithmetic, one FMA for every product. A warp
// holds its warp tile as fragments of 16x8; ptx/mma_sync.cuh says which elements a thread has.
#pragma once

#include <xpose/backends/cuda/gemm/sm80/mma.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// What both element types share.
template <class Tile>
class dmma_lane : public mma_lane<Tile> {
 public:
  static constexpr int k_per_step = k_of_step(Tile::config);
  static constexpr int buffers = Tile::config.fragment_buffers;
  // Not with two stages: nothing would hide the last part's copies. Not with two MN-major tiles of
  // a 64x32 warp tile: their loaders hold most, and accumulators leave no registers.
  static constexpr bool has_unpredicated_loop =
      Tile::config.stages > 2 && Tile::config.fragment_buffers == 2 &&
      !(Tile::both_mn_major && Tile::config.inner_rows * Tile::config.inner_cols > 1024);
  // Two MN-major tiles of a 16x8 warp tile leave no registers for it either.
  static constexpr bool can_end_early = can_end_last_stage_early(Tile::config) &&
                                        !(Tile::both_mn_major && Tile::config.inner_cols == 8);

  __device__ int col_of(int c) const {
    return this->first_col_ + c / 2 * 8 + this->in_group_ * 2 + c % 2;
  }

 protected:
  /// The first k of a step, in the tile.
  __device__ int k_of(int step) const {
    return this->k_slice() * (Tile::k_extent / Tile::config.k_slices) + step * k_per_step;
  }
};

/// Doubles, k = 8 a step: k = 4 was 3 % slower (H100, 2026-11-21), and 16 leaves no registers for a
/// second buffer. Every element is loaded by itself into its register: pairs along k would belong
/// to registers that are not neighbours. Rows of C without vectors are stored after an exchange
/// (block/epilogue.cuh), four neighbours at once: 1636x2701x86 NT wrote 2.1 times the sectors that
/// cuBLAS's kernel did (H100, 2026-11-27).
template <class Tile, class Problem>
class dmma_accumulators : public dmma_lane<Tile> {
  using lane = dmma_lane<Tile>;
  static constexpr int row_fragments = Tile::config.inner_rows / 16;
  static constexpr int col_fragments = Tile::config.inner_cols / 8;

 public:
  using element = double;
  static constexpr int rows = 2 * row_fragments;
  static constexpr int cols = 2 * col_fragments;
  static constexpr int vector_rows = 1;
  static constexpr int vector_cols = 2;
  static constexpr int lane_cols = 4;
  static constexpr int exchanged_cols = 2;

  __device__ explicit dmma_accumulators(Problem const&) {
    for (auto& row : acc_)
      for (auto& fragment : row)
        for (auto& pair : fragment) pair[0] = pair[1] = 0;
  }

  __device__ static int lane_col() { return static_cast<int>(threadIdx.x) % lane_cols; }
  __device__ static constexpr int lane_mask_of_col(int bit) { return bit; }
  __device__ int row_of(int r) const {
    return this->first_row_ + r / 2 * 16 + this->group_ + r % 2 * 8;
  }
  __device__ double value(int r, int c) const { return acc_[r / 2][c / 2][r % 2][c % 2]; }
  __device__ void set(int r, int c, double sum) { acc_[r / 2][c / 2][r % 2][c % 2] = sum; }

  template <int Buffer>
  __device__ void load(double const* a_tile, double const* b_tile, int step) {
    using a_layout = typename Tile::template a_layout<double>;
    using b_layout = typename Tile::template b_layout<double>;
#pragma unroll
    for (int four = 0; four < 2; ++four) {
      int const k = this->k_of(step) + four * 4 + this->in_group_;
#pragma unroll
      for (int r = 0; r < rows; ++r)
        a_[Buffer][r / 2][four][r % 2] = a_tile[a_layout::offset(row_of(r), k)];
#pragma unroll
      for (int c = 0; c < col_fragments; ++c)
        b_[Buffer][c][four] = b_tile[b_layout::offset(this->first_col_ + this->group_ + c * 8, k)];
    }
  }

  template <int Buffer>
  __device__ void multiply(Problem const&) {
#pragma unroll
    for (int r = 0; r < row_fragments; ++r)
#pragma unroll
      for (int c = 0; c < col_fragments; ++c)
        mma_m16n8_f64(acc_[r][c], a_[Buffer][r], b_[Buffer][c]);
  }

 private:
  double acc_[row_fragments][col_fragments][2][2];
  double a_[lane::buffers][row_fragments][2][2];
  double b_[lane::buffers][col_fragments][2];
};

/// Complex doubles, k = 8 a step. Rows g and g + 8 of a fragment are real and imaginary part of one
/// row of C, so that one real fragment product of k = 16 is a complex one of k = 8:
///
///   | re |    | a.re  -a.im |   | b.re |      columns of A: k, then the same k of the rotated
///   | im | += | a.im   a.re | * | b.im |      operand; rows of B: as they lie in memory
///
/// Fragments of k = 4, two products for each k, took 10.9 ms at 4096 where these take 9.0 (H100,
/// 2026-11-22): accumulators pass through the registers a quarter as often. (-im, re) is made where
/// a fragment is loaded; made where it is multiplied, 32x32 has too few registers.
template <class Tile, class Problem>
class complex_dmma_accumulators : public dmma_lane<Tile> {
  using K = complex_value<double>;
  using lane = dmma_lane<Tile>;

 public:
  using element = K;
  static constexpr int rows = Tile::config.inner_rows / 8;
  static constexpr int cols = Tile::config.inner_cols / 4;
  static constexpr int vector_rows = 1;
  static constexpr int vector_cols = 1;

  __device__ explicit complex_dmma_accumulators(Problem const& problem)
      : conjugates_acc_(problem.conjugate_a),
        signs_(problem.conjugate_a != problem.conjugate_b ? sign : 0) {
    for (auto& row : acc_)
      for (auto& fragment : row)
        for (auto& part : fragment) part[0] = part[1] = 0;
  }

  __device__ int row_of(int r) const { return this->first_row_ + r * 8 + this->group_; }
  __device__ int col_of(int c) const {
    return this->first_col_ + c / 2 * 8 + col_of_fragment(this->in_group_ * 2 + c % 2);
  }
  __device__ K value(int r, int c) const {
    return {acc_[r][c / 2][0][c % 2], conjugated_part(acc_[r][c / 2][1][c % 2])};
  }
  __device__ void set(int r, int c, K const& sum) {
    acc_[r][c / 2][0][c % 2] = sum.re;
    acc_[r][c / 2][1][c % 2] = conjugated_part(sum.im);
  }

  template <int Buffer>
  __device__ void load(K const* a_tile, K const* b_tile, int step) {
    using a_layout = typename Tile::template a_layout<K>;
    using b_layout = typename Tile::template b_layout<K>;
#pragma unroll
    for (int four = 0; four < 4; four += 2) {
      int const k = this->k_of(step) + four * 2 + this->in_group_;
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        double2 const held = at(a_tile, a_layout::offset(row_of(r), k));
        a_[Buffer][r][four][0] = held.x;
        a_[Buffer][r][four][1] = held.y;
        a_[Buffer][r][four + 1][0] = flipped(held.y, signs_ ^ sign);
        a_[Buffer][r][four + 1][1] = flipped(held.x, signs_);
      }
#pragma unroll
      for (int c = 0; c < cols / 2; ++c) {
        int const col = this->first_col_ + c * 8 + col_of_fragment(this->group_);
        double2 const held = at(b_tile, b_layout::offset(col, k));
        b_[Buffer][c][four] = held.x;
        b_[Buffer][c][four + 1] = held.y;
      }
    }
  }

  template <int Buffer>
  __device__ void multiply(Problem const&) {
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int c = 0; c < cols / 2; ++c) mma_m16n8_f64(acc_[r][c], a_[Buffer][r], b_[Buffer][c]);
  }

 private:
  static constexpr int sign = static_cast<int>(0x80000000u);

  /// The columns of C that a fragment's eight are: 0 3, 1 2, 4 7 and 5 6. A lane has two of these,
  /// so what lanes store at once fills sectors of 32 bytes; and what neighbours load of B at once
  /// touches all banks, as one of their columns is odd.
  __device__ static int col_of_fragment(int col) {
    int const pair = col >> 1 & 1;
    return (col & 4) + (col % 2 == 0 ? pair : 3 - pair);
  }

  __device__ static double2 at(K const* tile, int offset) {
    return *reinterpret_cast<double2 const*>(tile + offset);
  }
  /// Never makes a negative zero.
  __device__ double conjugated_part(double im) const { return conjugates_acc_ ? 0 - im : im; }
  /// By integer instructions: the f64 pipe is busy with products.
  __device__ static double flipped(double x, int signs) {
    return __hiloint2double(__double2hiint(x) ^ signs, __double2loint(x));
  }

  bool conjugates_acc_;
  int signs_;
  double acc_[rows][cols / 2][2][2];
  double a_[lane::buffers][rows][4][2];
  double b_[lane::buffers][cols / 2][4];
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
