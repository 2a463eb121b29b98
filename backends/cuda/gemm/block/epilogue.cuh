// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The epilogue: from a thread's accumulators to C, scaled by alpha, beta C added.
#pragma once

#include <xpose/backends/cuda/gemm/block/block_tile.cuh>
#include <xpose/backends/cuda/gemm/block/deferred_layer.cuh>
#include <xpose/backends/cuda/memory/short_divisor.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// alpha and beta for the epilogue. Real accumulators are multiplied by an alpha of one rather than
/// branching on it; complex ones are not, as an infinite part would become NaN. wgmma's kernels
/// have scaled what has a layer (sm90/layer.cuh) before they store it.
template <bool OfWgmma = false, class Problem>
__device__ inline auto scalars_of(Problem const& problem) {
  using K = typename Problem::accumulate_type;
  auto known = problem.scalars;
  if constexpr (OfWgmma && may_have_layer<typename Problem::epilogue_type>)
    if (problem.epilogue.is_given()) known = {K(1), K(0), true, false, true};
  if constexpr (zeros_are_neutral<Problem> && std::is_arithmetic_v<K>) {
    if (known.alpha_is_one) known.alpha = K(1);
    known.alpha_is_one = false;
  }
  return known;
}

/// Before a warp stores C by elements, its lanes exchange columns. A lane has neighbours, so what
/// lanes store at once would be that many elements apart, and each store would touch all sectors of
/// a row: batches of small products wrote 4.6 times the sectors of C (H200, 2026-11-26). Which
/// bits of a column tell the lane and which the element in it, for four neighbours and eight lanes:
///
///              lane    element
///     before   4 3 2   1 0
///     after    1 0 2   4 3
///
/// For each bit of the element, a lane sends half of what it has.
template <class Accumulators, class = void>
class column_exchange {
 public:
  static constexpr int cols = 1;  // none
};
template <class Accumulators>
class column_exchange<Accumulators, std::enable_if_t<(Accumulators::exchanged_cols > 1)>> {
  using K = typename Accumulators::element;
  static constexpr int lanes = Accumulators::lane_cols;

 public:
  static constexpr int cols = Accumulators::exchanged_cols;
  static_assert(cols <= lanes);

  __device__ static void run(K (&sums)[cols]) {
    int lane_bit = lanes / 2;
#pragma unroll
    for (int bit = cols / 2; bit > 0; bit /= 2, lane_bit /= 2) {
      bool const keeps_upper = (Accumulators::lane_col() & lane_bit) != 0;
#pragma unroll
      for (int e = 0; e < cols; ++e) {
        if ((e & bit) != 0) continue;
        K const got = exchanged(selected(keeps_upper, sums[e], sums[e + bit]),
                                Accumulators::lane_mask_of_col(lane_bit));
        sums[e] = selected(keeps_upper, got, sums[e]);
        sums[e + bit] = selected(keeps_upper, sums[e + bit], got);
      }
    }
  }
  /// The column of sums[e] after, minus that of sums[0] before.
  __device__ static int col_after(int e) {
    return e * lanes - Accumulators::lane_col() / (lanes / cols) * (lanes - 1);
  }

 private:
  // x or y as a choice of addresses would put the sums into local memory.
  template <class T>
  __device__ static T selected(bool first, T x, T y) {
    return first ? x : y;
  }
  template <class R>
  __device__ static complex_value<R> selected(bool first, complex_value<R> x, complex_value<R> y) {
    return {selected(first, x.re, y.re), selected(first, x.im, y.im)};
  }
  template <class T>
  __device__ static T exchanged(T const& x, int mask) {
    return __shfl_xor_sync(0xFFFFFFFFu, x, mask);
  }
  template <class R>
  __device__ static complex_value<R> exchanged(complex_value<R> const& x, int mask) {
    return {exchanged(x.re, mask), exchanged(x.im, mask)};
  }
};

/// Accumulators of mma.sync, of which a lane has two or four neighbours of a row, pass through
/// shared memory before a warp stores C by elements: so many rows of its tile at a time, of which
/// each store then writes whole rows.
template <class Accumulators, class = void>
class staged_fragment {
 public:
  static constexpr int rows = 0;  // none
};
template <class Accumulators>
class staged_fragment<Accumulators, std::enable_if_t<(Accumulators::fragment_rows > 0)>> {
 public:
  static constexpr int rows = Accumulators::fragment_rows;
  static constexpr int cols = Accumulators::fragment_cols;
  static constexpr int pitch = cols + 8;  // lanes of eight rows, two a bank (of pairs four)
  static constexpr int elements = rows * pitch;
};

/// Scales, adds beta C and stores, by vectors of Rows x Cols elements. A thread runs this code
/// once, so instruction fetches dominate: few instructions an element matter more than which. The
/// branch on beta is outside the loops.
template <class Accumulators, class Problem>
class epilogue_writer {
  using C = typename Problem::c_type;
  using scalars = gemm_scalars<typename Problem::accumulate_type>;
  using exchange = column_exchange<Accumulators>;
  using fragment = staged_fragment<Accumulators>;

 public:
  /// `shared`: of the block, for its warps' fragments.
  __device__ epilogue_writer(Accumulators const& accumulators, Problem const& problem, index batch,
                             gemm_tile_coordinates coordinates, void* shared = nullptr)
      : acc_(accumulators),
        problem_(problem),
        coordinates_(coordinates),
        shared_(shared),
        first_(&problem.c.at(batch, coordinates.row, coordinates.col)),
        rows_left_(inside_tile(problem.rows, coordinates.row)),
        cols_left_(inside_tile(problem.cols, coordinates.col)) {}

  __device__ void write(c_access how) const {
    if (how == c_access::row_vectors) write_row_vectors();
    else if (how == c_access::col_vectors)
      write_vectors<true, least_of(Accumulators::vector_rows, elements_of_vec16<C>), 1>(
          problem_.c.col_stride);
    else write_scalars();
  }
  __device__ void write_row_vectors() const {
    write_vectors<true, 1, least_of(Accumulators::vector_cols, elements_of_vec16<C>)>(
        unit_stride{});
  }
  __device__ void write_scalars() const {
    if constexpr (fragment::rows > 0)
      with_known_beta([&](scalars const& known) { write_staged(known); });
    else if constexpr (exchange::cols > 1)
      with_known_beta([&](scalars const& known) { write_exchanged(known); });
    else write_vectors<false, 1, 1>(problem_.c.col_stride);
  }

 private:
  struct unit_stride {
    __device__ operator index() const { return 1; }
  };

  /// write(scalars): beta_is_zero is a constant in either branch, which the compiler folds.
  template <class Write>
  __device__ void with_known_beta(Write const& write) const {
    scalars known = scalars_of(problem_);
    if (known.beta_is_zero) {
      known.beta_is_zero = true;
      write(known);
    } else {
      known.beta_is_zero = false;
      write(known);
    }
  }

  template <bool IsAligned, int Rows, int Cols, class Stride>
  __device__ void write_vectors(Stride col_stride) const {
    with_known_beta(
        [&](scalars const& known) { write_vectors<IsAligned, Rows, Cols>(col_stride, known); });
  }
  template <bool IsAligned, int Rows, int Cols, class Stride>
  __device__ void write_vectors(Stride col_stride, scalars const& known) const {
#pragma unroll
    for (int r = 0; r < Accumulators::rows; r += Rows) {
      int const row = acc_.row_of(r);
      if (row < coordinates_.overlap_rows || row >= rows_left_) continue;
      C* const c_row = first_ + row * problem_.c.row_stride;
#pragma unroll
      for (int c = 0; c < Accumulators::cols; c += Cols) {
        int const col = acc_.col_of(c);
        if (col >= coordinates_.overlap_cols && col < cols_left_)
          write_vector<IsAligned, Rows, Cols>(c_row + col * col_stride, known, r, c, row, col);
      }
    }
  }

  /// All lanes exchange, also those whose rows lie outside C.
  __device__ void write_exchanged(scalars const& known) const {
#pragma unroll
    for (int r = 0; r < Accumulators::rows; ++r) {
      int const row = acc_.row_of(r);
      bool const has_row = row >= coordinates_.overlap_rows && row < rows_left_;
      C* const c_row = first_ + row * problem_.c.row_stride;
#pragma unroll
      for (int c = 0; c < Accumulators::cols; c += exchange::cols) {
        typename Accumulators::element sums[exchange::cols];
#pragma unroll
        for (int e = 0; e < exchange::cols; ++e) sums[e] = acc_.value(r, c + e);
        exchange::run(sums);
#pragma unroll
        for (int e = 0; e < exchange::cols; ++e) {
          int const col = acc_.col_of(c) + exchange::col_after(e);
          if (has_row && col >= coordinates_.overlap_cols && col < cols_left_)
            problem_.write_to(c_row[col * problem_.c.col_stride], known, coordinates_.row + row,
                              coordinates_.col + col, sums[e]);
        }
      }
    }
  }

  /// A warp's lanes store neighbours in a row, and go on with the next row where C ends.
  __device__ void write_staged(scalars const& known) const {
    using K = typename Problem::accumulate_type;
    constexpr int rows_of_lane = 2;
    int const thread = static_cast<int>(threadIdx.x);
    K* const held = static_cast<K*>(shared_) + thread / 32 * fragment::elements;
    int const first_col = acc_.first_col();
    int const cols = least_of(cols_left_ - first_col, fragment::cols);
    if (cols <= 0) return;
    short_divisor<fragment::rows * fragment::cols, fragment::cols> const row_length(cols);
#pragma unroll
    for (int r = 0; r < Accumulators::rows; r += rows_of_lane) {
      int const first_row = acc_.first_row() + r / rows_of_lane * fragment::rows;
      int const elements = least_of(rows_left_ - first_row, fragment::rows) * cols;
      if (elements <= 0) return;
      __syncwarp();
#pragma unroll
      for (int i = 0; i < rows_of_lane; ++i)
#pragma unroll
        for (int c = 0; c < Accumulators::cols; ++c)
          held[(acc_.row_of(r + i) - first_row) * fragment::pitch + acc_.col_of(c) - first_col] =
              acc_.value(r + i, c);
      __syncwarp();
#pragma unroll 4
      for (int e = thread % 32; e < elements; e += 32) {
        int const in_fragment = row_length.quotient(e);
        int const col = e - in_fragment * cols;
        int const row = first_row + in_fragment;
        problem_.write_to(
            first_[row * problem_.c.row_stride + (first_col + col) * problem_.c.col_stride], known,
            coordinates_.row + row, coordinates_.col + first_col + col,
            held[in_fragment * fragment::pitch + col]);
      }
    }
  }

  template <bool IsAligned, int Rows, int Cols>
  __device__ void write_vector(C* at, scalars const& known, int r, int c, int row, int col) const {
    using group = aligned_group<C, Rows * Cols>;
    if constexpr (Rows * Cols == 1 && !(IsAligned && is_loose_vec16<C>)) {
      problem_.write_to(*at, known, coordinates_.row + row, coordinates_.col + col,
                        acc_.value(r, c));
    } else {
      group held;
      if (!known.beta_is_zero) held = *reinterpret_cast<group const*>(at);
#pragma unroll
      for (int e = 0; e < Rows * Cols; ++e) {
        int const i = Rows > 1 ? e : 0;
        int const j = Cols > 1 ? e : 0;
        problem_.write_to(held[e], known, coordinates_.row + row + i, coordinates_.col + col + j,
                          acc_.value(r + i, c + j));
      }
      *reinterpret_cast<group*>(at) = held;
    }
  }

  Accumulators const& acc_;
  Problem const& problem_;
  gemm_tile_coordinates coordinates_;
  void* shared_;
  C* first_;
  int rows_left_, cols_left_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
