// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A layer (layer_epilogue) in the accumulators of a wgmma kernel, before it stores them as a plain
// product's.
#pragma once

#include <xpose/backends/cuda/gemm/block/deferred_layer.cuh>
#include <xpose/backends/cuda/gemm/sm90/pipeline.cuh>

#include <cmath>

namespace xpose::detail {

/// A layer's operand for a thread's accumulators: by columns, or one value for each of its rows.
template <class T>
class accumulator_operand {
 public:
  /// `col` is the thread's first column of C, `cols_left` those that exist from there on.
  template <class Accumulators>
  __device__ accumulator_operand(repeated_matrix<T> const& o, float neutral, index row, index col,
                                 int rows_left, int cols_left, Accumulators const& accumulators)
      : data_(&o.at(0, col)),
        col_stride_(o.col_stride),
        last_col_(cols_left - 1),
        of_row_{neutral, neutral},
        is_by_cols_(o.data != nullptr && o.col_stride != 0 && cols_left > 0) {
    if (o.data == nullptr || is_by_cols_) return;
    for (int r = 0; r < 2; ++r)
      if (accumulators.row_of(r) < rows_left)
        of_row_[r] = cast<float>{}(o.at(row + accumulators.row_of(r), 0));
  }
  /// Values of accumulators from `first` on. Without predicates, so that loads do not wait for each
  /// other: columns beyond the last read that one.
  template <int Count>
  __device__ void read(float (&values)[Count], int first) const {
    if (!is_by_cols_) return;
#pragma unroll
    for (int n = 0; n < Count; ++n) {
      int const col = (first + n) / 2 * 8 + n % 2;
      values[n] = cast<float>{}(data_[least_of(col, last_col_) * col_stride_]);
    }
  }
  __device__ float of(int r, float of_col) const { return is_by_cols_ ? of_col : of_row_[r]; }

 private:
  T const* data_;
  index col_stride_;
  int last_col_;
  float of_row_[2];
  bool is_by_cols_;
};

/// Brings what a layer reads for a tile of C to L1, where TMA's loads do not displace it. By the
/// consumers, before they wait for the first stage.
template <class Tile, class Problem>
__device__ void prefetch_layer(Problem const& problem, work_tile const& block) {
  auto const prefetch = [&](auto const& o) {
    if (o.data == nullptr) return;
    constexpr int most = Tile::rows < Tile::cols ? Tile::cols : Tile::rows;
    for (int at = static_cast<int>(threadIdx.x); at < most; at += Tile::consumer_threads) {
      index const row = o.row_stride == 0 ? 0 : block.coordinates.row + at;
      index const col = o.col_stride == 0 ? 0 : block.coordinates.col + at;
      if (row < problem.rows && col < problem.cols)
        asm volatile("prefetch.global.L1 [%0];" ::"l"(&o.at(row, col)));
    }
  };
  prefetch(problem.epilogue.layer().scale());
  prefetch(problem.epilogue.layer().bias());
}

/// A layer, in the accumulators: of integers these become the bits of f32. Requires
/// is_cheap_layer(). Straight code of few instructions an accumulator: branches around loops over
/// all of them doubled the compile time of all kernels, and so did gelu. Scale and bias are read a
/// few columns ahead: each load by itself, behind a predicate, took 8 us a tile of 128x256 (H100,
/// 2026-11-25).
template <class Accumulators, class Problem>
__device__ void apply_layer(Accumulators& accumulators, Problem const& problem,
                            work_tile const& block) {
  using K = typename Problem::accumulate_type;
  constexpr int chunk = 4;
  auto const& layer = problem.epilogue.layer();
  int const rows_left = inside_tile(problem.rows, block.coordinates.row);
  int const pair = static_cast<int>(threadIdx.x) % 4 * 2;
  int const cols_left = inside_tile(problem.cols, block.coordinates.col) - pair;
  auto const operand = [&](auto const& o, float neutral) {
    return accumulator_operand(o, neutral, block.coordinates.row, block.coordinates.col + pair,
                               rows_left, cols_left, accumulators);
  };
  auto const scale = operand(layer.scale(), 1.f);
  auto const bias = operand(layer.bias(), -0.f);  // x + -0 is x, also where x is -0
  float const least = layer.last() == activation::relu ? 0.f : -INFINITY;
  float s[2][chunk];
  float b[2][chunk];
  scale.read(s[0], 0);
  bias.read(b[0], 0);
#pragma unroll
  for (int first = 0; first < Accumulators::cols; first += chunk) {
    int const now = first / chunk % 2;
    if (first + chunk < Accumulators::cols) {
      scale.read(s[1 - now], first + chunk);
      bias.read(b[1 - now], first + chunk);
    }
#pragma unroll
    for (int n = 0; n < chunk; ++n)
#pragma unroll
      for (int r = 0; r < Accumulators::rows; ++r) {
        float const y =
            static_cast<float>(accumulators.value(r, first + n)) * scale.of(r, s[now][n]) +
            bias.of(r, b[now][n]);
        accumulators.set(r, first + n, bits_as<K>(y < least ? least : y));  // a NaN stays one
      }
  }
}

/// Whether apply_layer() can: not where it would have too many instructions.
template <class Problem>
__device__ bool is_cheap_layer(Problem const& problem) {
  auto const repeats = [](auto const& o) {
    return o.data == nullptr || o.row_stride == 0 || o.col_stride == 0;
  };
  auto const& layer = problem.epilogue.layer();
  return problem.scalars.alpha_is_one && problem.scalars.beta_is_zero &&
         layer.last() != activation::gelu && repeats(layer.scale()) && repeats(layer.bias());
}

}  // namespace xpose::detail
