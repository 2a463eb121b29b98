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
  template <class Accumulators>
  __device__ accumulator_operand(repeated_matrix<T> const& o, float neutral, index row, index col,
                                 int rows_left, Accumulators const& accumulators)
      : of_first_col_(&o.at(0, col)), col_stride_(o.col_stride), of_row_{neutral, neutral} {
    is_by_cols_ = o.data != nullptr && o.col_stride != 0;
    if (o.data == nullptr || is_by_cols_) return;
    for (int r = 0; r < 2; ++r)
      if (accumulators.row_of(r) < rows_left)
        of_row_[r] = cast<float>{}(o.at(row + accumulators.row_of(r), 0));
  }
  /// Of both rows, in the column so many behind the first.
  __device__ void read(float (&values)[2], int col, bool is_inside) const {
    float const of_col =
        is_by_cols_ && is_inside ? cast<float>{}(of_first_col_[col * col_stride_]) : 0.f;
    for (int r = 0; r < 2; ++r) values[r] = is_by_cols_ ? of_col : of_row_[r];
  }

 private:
  T const* of_first_col_;
  index col_stride_;
  float of_row_[2];
  bool is_by_cols_;
};

/// A layer, in the accumulators: of integers these become the bits of f32. Requires
/// is_cheap_layer(). Straight code of few instructions an accumulator: branches around loops over
/// all of them doubled the compile time of all kernels, and so did gelu.
template <class Accumulators, class Problem>
__device__ void apply_layer(Accumulators& accumulators, Problem const& problem,
                            work_tile const& block) {
  using K = typename Problem::accumulate_type;
  auto const& layer = problem.epilogue.layer();
  int const rows_left = inside_tile(problem.rows, block.coordinates.row);
  int const cols_left = inside_tile(problem.cols, block.coordinates.col);
  int const pair = static_cast<int>(threadIdx.x) % 4 * 2;
  auto const operand = [&](auto const& o, float neutral) {
    return accumulator_operand(o, neutral, block.coordinates.row, block.coordinates.col + pair,
                               rows_left, accumulators);
  };
  auto const scale = operand(layer.scale(), 1.f);
  auto const bias = operand(layer.bias(), -0.f);  // x + -0 is x, also where x is -0
  float const least = layer.last() == activation::relu ? 0.f : -INFINITY;
#pragma unroll
  for (int c = 0; c < Accumulators::cols; ++c) {
    int const col = c / 2 * 8 + c % 2;
    float s[2];
    float b[2];
    scale.read(s, col, pair + col < cols_left);
    bias.read(b, col, pair + col < cols_left);
#pragma unroll
    for (int r = 0; r < Accumulators::rows; ++r) {
      float const y = static_cast<float>(accumulators.value(r, c)) * s[r] + b[r];
      accumulators.set(r, c, bits_as<K>(y < least ? least : y));  // a NaN stays one
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
