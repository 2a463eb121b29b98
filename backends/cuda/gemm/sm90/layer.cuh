// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A layer (layer_epilogue) of a wgmma kernel: two warps of the producer bring its scale and bias to
// shared memory, consumers apply it to their accumulators, or to rows of them
// (staged_epilogue.cuh).
#pragma once

#include <xpose/backends/cuda/gemm/block/deferred_layer.cuh>
#include <xpose/backends/cuda/gemm/sm90/pipeline.cuh>

#include <cmath>

namespace xpose::detail {

/// Between the two warps that bring a layer's values and the consumers that apply it: named
/// barriers of both.
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
      unsigned const at = static_cast<unsigned>(thread + n * barriers::loaders) * 4;
      st_shared(smem.layer_scale() + at, scale[n]);
      st_shared(smem.layer_bias() + at, bias[n]);
    }
    named_arrive(barriers::full, barriers::threads);
  }
}

/// A layer whose values are in shared memory: those of the block tile that begins at (row, col).
template <class T>
struct staged_layer {
  layer_epilogue<T> const& layer;
  unsigned scale, bias;  // shared addresses
  index row, col;
};

template <class T, class K, int Count>
class epilogue_columns<staged_layer<T>, K, Count> {
  static_assert(Count == 4);

 public:
  __device__ epilogue_columns(staged_layer<T> const& staged, index col, int) : staged_(staged) {
    auto const at = static_cast<unsigned>(col - staged.col) * 4;
    if (staged.layer.scale().row_stride == 0) read_cols(scale_, staged.scale + at);
    if (staged.layer.bias().row_stride == 0) read_cols(bias_, staged.bias + at);
  }
  __device__ void begin_row(index row) {
    auto const at = static_cast<unsigned>(row - staged_.row) * 4;
    if (staged_.layer.scale().row_stride != 0) read_row(scale_, staged_.scale + at);
    if (staged_.layer.bias().row_stride != 0) read_row(bias_, staged_.bias + at);
  }
  template <class Store>
  __device__ void apply(K const (&x)[Count], Store const& store) const {
    apply_layer_to(x, scale_, bias_, staged_.layer.last(), store);
  }

 private:
  __device__ static void read_cols(float (&to)[Count], unsigned from) {
    auto held = bits_as<element_group<float, Count>>(ld_shared_vec16(from));
#pragma unroll
    for (int e = 0; e < Count; ++e) to[e] = held[e];
  }
  __device__ static void read_row(float (&to)[Count], unsigned from) {
    float const held = bits_as<float>(ld_shared(from));
    for (float& x : to) x = held;
  }

  staged_layer<T> const& staged_;
  float scale_[Count];
  float bias_[Count];
};

/// The product with its layer, of which produce_layer() brought the values for this tile.
template <class Tile, class Problem>
__device__ auto with_staged_layer(Problem const& problem, work_tile const& block,
                                  pipeline_smem<Tile> const& smem) {
  auto const& layer = problem.epilogue.layer();
  using T = typename Problem::epilogue_type::element_type;
  return with_layer(problem, staged_layer<T>{layer, smem.layer_scale(), smem.layer_bias(),
                                             block.coordinates.row, block.coordinates.col});
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
  template <bool IsByCols>
  __device__ float of(int r, float of_col) const {
    return IsByCols || is_by_cols_ ? of_col : of_row_[r];
  }

 private:
  unsigned of_pair_;
  float of_row_[2];
  bool is_by_cols_;
};

/// IsByCols: neither operand repeats in all columns. That takes half the instructions.
template <bool IsByCols, class Accumulators>
__device__ void apply_layer(Accumulators& accumulators, accumulator_operand const& scale,
                            accumulator_operand const& bias, activation last) {
  using K = typename Accumulators::element;
  float const least = last == activation::relu ? 0.f : -INFINITY;
#pragma unroll
  for (int c = 0; c < Accumulators::cols; c += 2) {
    float2 const s = scale.read(c);
    float2 const b = bias.read(c);
#pragma unroll
    for (int r = 0; r < Accumulators::rows; ++r)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        float const y = static_cast<float>(accumulators.value(r, c + e)) *
                            scale.of<IsByCols>(r, e == 0 ? s.x : s.y) +
                        bias.of<IsByCols>(r, e == 0 ? b.x : b.y);
        accumulators.set(r, c + e, bits_as<K>(y < least ? least : y));  // a NaN stays one
      }
  }
}

/// A layer, in the accumulators of a tile: of integers these become the bits of f32. Requires
/// is_cheap_layer(). Straight code of few instructions an accumulator. With scale and bias from
/// global memory, bias and relu took 1.27 of the time of the plain product 4096x4096x4096 of
/// float16 (H100, 2026-11-25).
template <class Tile, class Accumulators, class Problem>
__device__ void apply_layer(Accumulators& accumulators, Problem const& problem,
                            pipeline_smem<Tile> const& smem) {
  auto const& layer = problem.epilogue.layer();
  int const pair = static_cast<int>(threadIdx.x) % 4 * 2;
  accumulator_operand const scale(layer.scale(), smem.layer_scale(), pair, accumulators);
  accumulator_operand const bias(layer.bias(), smem.layer_bias(), pair, accumulators);
  if (layer.scale().row_stride == 0 && layer.bias().row_stride == 0)
    apply_layer<true>(accumulators, scale, bias, layer.last());
  else apply_layer<false>(accumulators, scale, bias, layer.last());
}

/// Whether a layer's operands, where it has them, repeat in all rows or in all columns.
template <class Problem>
__device__ bool layer_repeats(Problem const& problem) {
  auto const repeats = [](auto const& o) {
    return o.data == nullptr || o.row_stride == 0 || o.col_stride == 0;
  };
  auto const& layer = problem.epilogue.layer();
  return repeats(layer.scale()) && repeats(layer.bias());
}

/// Whether two warps of the producer bring the values of a launch's layer to shared memory.
template <class Problem>
__device__ bool stages_layer(Problem const& problem, gemm_grid const& grid) {
  if constexpr (may_have_layer<typename Problem::epilogue_type>)
    return problem.epilogue.is_given() && grid.partials == nullptr && !grid.splits_in_cluster &&
           layer_repeats(problem);
  else return false;
}

/// Whether apply_layer() can: not where it would have too many instructions.
template <class Problem>
__device__ bool is_cheap_layer(Problem const& problem) {
  return problem.scalars.alpha_is_one && problem.scalars.beta_is_zero &&
         problem.epilogue.layer().last() != activation::gelu && layer_repeats(problem);
}

}  // namespace xpose::detail
