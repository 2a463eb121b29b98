// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A layer (layer_epilogue) in the accumulators of a wgmma kernel, before it stores them as a plain
// product's.
#pragma once

#include <xpose/backends/cuda/gemm/block/deferred_layer.cuh>
#include <xpose/backends/cuda/gemm/sm90/pipeline.cuh>

#include <cmath>

namespace xpose::detail {

/// Between the two warps that bring a layer's values and the consumers that apply it: named barriers
/// of both.
template <class Tile>
struct layer_barriers {
  static constexpr int loaders = 64;
  static constexpr int threads = loaders + Tile::consumer_threads;
  static constexpr int full = 2 + Tile::consumer_warpgroups;
  static constexpr int empty = full + 1;
};

/// Brings the scale and bias of each of a block's tiles to shared memory as f32, while consumers
/// multiply: neutral ones where the layer has none. By the last two warps of the producer.
template <class Tile, class Problem>
__device__ void produce_layer(pipeline_smem<Tile> const& smem, Problem const& problem,
                              gemm_grid const& grid, unsigned tiles) {
  using barriers = layer_barriers<Tile>;
  constexpr int of_thread = Tile::layer_values / barriers::loaders;  // without a remainder
  int const thread = static_cast<int>(threadIdx.x) % barriers::loaders;
  auto const& layer = problem.epilogue.layer();
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    work_tile const block = work_tile_of<Tile>(problem, grid, tile);
    auto const value = [&](auto const& o, int at, float neutral) {
      index const row = o.row_stride == 0 ? 0 : block.coordinates.row + at;
      index const col = o.row_stride == 0 ? block.coordinates.col + at : 0;
      bool const exists = o.data != nullptr && row < problem.rows && col < problem.cols;
      return exists ? cast<float>{}(o.at(row, col)) : neutral;
    };
    float scale[of_thread];
    float bias[of_thread];
#pragma unroll
    for (int n = 0; n < of_thread; ++n) {
      int const at = thread + n * barriers::loaders;
      scale[n] = value(layer.scale(), at, 1.f);
      bias[n] = value(layer.bias(), at, -0.f);  // x + -0 is x, also where x is -0
    }
    if (tile != blockIdx.x) named_sync(barriers::empty, barriers::threads);
#pragma unroll
    for (int n = 0; n < of_thread; ++n) {
      unsigned const to =
          smem.layer() + static_cast<unsigned>(thread + n * barriers::loaders) * sizeof(float);
      st_shared(to, scale[n]);
      st_shared(to + Tile::layer_values * static_cast<unsigned>(sizeof(float)), bias[n]);
    }
    named_arrive(barriers::full, barriers::threads);
  }
}

/// A layer's scale or bias for a thread's accumulators: by columns, or one value for each of its
/// rows.
class accumulator_operand {
 public:
  /// `values` are those of the block tile; `pair` is the thread's first column of it.
  template <class T, class Accumulators>
  __device__ accumulator_operand(repeated_matrix<T> const& o, unsigned values, int pair,
                                 Accumulators const& accumulators)
      : of_pair_(values + static_cast<unsigned>(pair) * 4), is_by_cols_(o.row_stride == 0) {
#pragma unroll
    for (int r = 0; r < 2; ++r)
      of_row_[r] = bits_as<float>(
          ld_shared(values + static_cast<unsigned>(is_by_cols_ ? 0 : accumulators.row_of(r)) * 4));
  }
  /// Of accumulators c and c + 1.
  __device__ float2 read(int c) const {
    return bits_as<float2>(ld_shared_vec8(of_pair_ + static_cast<unsigned>(c / 2 * 8) * 4));
  }
  __device__ float of(int r, float of_col) const { return is_by_cols_ ? of_col : of_row_[r]; }

 private:
  unsigned of_pair_;
  float of_row_[2];
  bool is_by_cols_;
};

/// A layer, in the accumulators of a tile: of integers these become the bits of f32. Requires
/// is_cheap_layer(). Straight code of few instructions an accumulator: branches around loops over
/// all of them doubled the compile time of all kernels, and so did gelu. With scale and bias from
/// global memory, bias and relu took 1.27 of the time of the plain product 4096x4096x4096 of
/// float16 (H100, 2026-11-25).
template <class Tile, class Accumulators, class Problem>
__device__ void apply_layer(Accumulators& accumulators, Problem const& problem,
                            pipeline_smem<Tile> const& smem) {
  using K = typename Problem::accumulate_type;
  using barriers = layer_barriers<Tile>;
  auto const& layer = problem.epilogue.layer();
  int const pair = static_cast<int>(threadIdx.x) % 4 * 2;
  named_sync(barriers::full, barriers::threads);
  accumulator_operand const scale(layer.scale(), smem.layer(), pair, accumulators);
  accumulator_operand const bias(
      layer.bias(), smem.layer() + Tile::layer_values * static_cast<unsigned>(sizeof(float)), pair,
      accumulators);
  float const least = layer.last() == activation::relu ? 0.f : -INFINITY;
#pragma unroll
  for (int c = 0; c < Accumulators::cols; c += 2) {
    float2 const s = scale.read(c);
    float2 const b = bias.read(c);
#pragma unroll
    for (int r = 0; r < Accumulators::rows; ++r)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        float const y = static_cast<float>(accumulators.value(r, c + e)) *
                            scale.of(r, e == 0 ? s.x : s.y) +
                        bias.of(r, e == 0 ? b.x : b.y);
        accumulators.set(r, c + e, bits_as<K>(y < least ? least : y));  // a NaN stays one
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
