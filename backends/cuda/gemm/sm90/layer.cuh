// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A layer (layer_epilogue) of a wgmma kernel: two warps of the producer bring its scale and bias to
// shared memory, consumers apply it to their accumulators, or to rows of them
// (staged_epilogue.cuh).
#pragma once

#include <xpose/backends/cuda/gemm/block/deferred_layer.cuh>
#include <xpose/backends/cuda/gemm/sm90/staged_epilogue.cuh>

#include <cmath>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Threads that bring a layer's values: the last two warps of the producer.
inline constexpr int layer_loaders = 64;

/// Brings the scale and bias of each of a block's tiles to shared memory as f32, while consumers
/// multiply: neutral ones where the layer has none. By the last two warps of the producer.
template <class Tile, class Problem>
__device__ void produce_layer(pipeline_smem<Tile> const& smem, Problem const& problem,
                              tile_scheduler<Tile> scheduler) {
  constexpr int of_thread = Tile::layer_values / layer_loaders;  // without a remainder
  int const thread = static_cast<int>(threadIdx.x) % layer_loaders;
  unsigned parity = 1;
  auto const& layer = problem.epilogue.layer();
  for (; scheduler.has_work(); scheduler.advance()) {
    if (!scheduler.ends_tile()) continue;
    work_tile const block = scheduler.work(problem);
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
      int const at = thread + n * layer_loaders;
      scale[n] = value(layer.scale(), at, 1.f);
      bias[n] = value(layer.bias(), at, -0.f);  // x + -0 is x, also where x is -0
    }
    mbarrier_wait(smem.layer_empty_barrier(), parity);  // at once for the first tile
    parity ^= 1;
#pragma unroll
    for (int n = 0; n < of_thread; ++n) {
      unsigned const at = static_cast<unsigned>(thread + n * layer_loaders) * 4;
      st_shared(smem.layer_scale() + at, scale[n]);
      st_shared(smem.layer_bias() + at, bias[n]);
    }
    mbarrier_arrive(smem.layer_full_barrier());
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

/// A layer, in the accumulators of a tile: of integers these become the bits of f32. Of a
/// launch with layer_path::accumulators. Straight code of few instructions an accumulator. With
/// scale and bias from global memory, bias and relu took 1.27 of the time of the plain product
/// 4096x4096x4096 of float16 (H100, 2026-11-25).
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

/// Stores a tile with its layer, gelu or any: accumulators go through shared memory, so that one
/// loop over rows has the instructions of the layer. A thread has four columns, of several rows at
/// once, as their dependent instructions must overlap: two consumer warps are all that a scheduler
/// has. The code of all other epilogues (store_by_rows) took 1.4 to 2 times as long (4096x4096x4096
/// of float16, bias and gelu: 1.30 of the plain product; H100, 2026-11-25). Requires C in aligned
/// vectors of four along its rows.
template <class Tile, class Accumulators, class Problem>
__device__ void store_rows_of_layer(Accumulators const& accumulators, Problem const& problem,
                                    work_tile const& block, pipeline_smem<Tile> const& smem) {
  using K = typename Problem::accumulate_type;
  using T = typename Problem::epilogue_type::element_type;
  using values = element_group<float, 4>;
  using staged = staged_accumulators<K, 32 * Tile::epilogue_buffers>;
  constexpr int lanes = staged::cols / 4;  // of a row
  constexpr int rows_at_once = 32 / lanes;
  constexpr int passes = 16 / rows_at_once;  // of a warp's rows
  auto const& layer = problem.epilogue.layer();
  int const warpgroup = static_cast<int>(threadIdx.x) / 128;
  int const lane = static_cast<int>(threadIdx.x) % 32;
  int const first_row = static_cast<int>(threadIdx.x) % 128 / 32 * 16 + lane / lanes;
  int const col_of_chunk = lane % lanes * 4;
  int const rows_left =
      inside_tile(problem.rows, block.coordinates.row) - warpgroup * 64 - first_row;
  int const cols_left = least_of(inside_tile(problem.cols, block.coordinates.col), Tile::cols);
  T* const c = reinterpret_cast<T*>(problem.c.data) + block.batch * problem.c.batch_stride +
               (block.coordinates.row + warpgroup * 64 + first_row) * problem.c.row_stride +
               block.coordinates.col;
  staged const held{smem.epilogue_buffer(0)};
  auto const of_cols = [&](auto const& o, unsigned from, int col) {
    unsigned const at = o.row_stride == 0 ? from + static_cast<unsigned>(col) * 4 : from;
    return bits_as<values>(ld_shared_vec16(at));
  };
  auto const of_row = [&](auto const& o, unsigned from, int row, values& x) {
    if (o.row_stride == 0) return;
    float const held_value =
        bits_as<float>(ld_shared(from + static_cast<unsigned>(warpgroup * 64 + row) * 4));
    for (float& e : x.elements) e = held_value;
  };
#pragma unroll 1
  for (int first = 0; first < Tile::cols; first += staged::cols) {
    int const col = first + col_of_chunk;
    warpgroup_sync(1 + warpgroup);
    with_constant<Tile::cols, staged::cols>(
        first, [&](int constant) { held.fill(accumulators, warpgroup * 64, constant); });
    warpgroup_sync(1 + warpgroup);
    if (col < cols_left) {
      values scale = of_cols(layer.scale(), smem.layer_scale(), col);
      values bias = of_cols(layer.bias(), smem.layer_bias(), col);
#pragma unroll 4
      for (int pass = 0; pass < passes; ++pass) {
        int const row = pass * rows_at_once;
        auto x = bits_as<element_group<K, 4>>(
            ld_shared_vec16(held.address(first_row + row, col_of_chunk)));
        of_row(layer.scale(), smem.layer_scale(), first_row + row, scale);
        of_row(layer.bias(), smem.layer_bias(), first_row + row, bias);
        element_group<T, 4> results;
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          float const y = static_cast<float>(x[e]) * scale[e] + bias[e];
          results[e] = stored_as<T>(activated(activation::gelu, y));
        }
        if (row < rows_left)
          *reinterpret_cast<element_group<T, 4>*>(c + row * problem.c.row_stride + col) = results;
      }
    }
  }
}

/// How a launch's tiles have their layer.
enum class layer_path {
  none,          // they have none, or store_by_rows() applies it
  accumulators,  // apply_layer()
  rows           // store_rows_of_layer()
};
/// `stores_plain`: what apply_layer() leaves can be stored as a plain product's.
template <class Problem>
__device__ layer_path layer_path_of(Problem const& problem, gemm_grid const& grid,
                                    bool stores_plain) {
  if constexpr (may_have_layer<typename Problem::epilogue_type>) {
    auto const repeats = [](auto const& o) {
      return o.data == nullptr || o.row_stride == 0 || o.col_stride == 0;
    };
    auto const& layer = problem.epilogue.layer();
    if (!problem.epilogue.is_given() || grid.partials != nullptr || grid.splits_in_cluster ||
        !problem.scalars.alpha_is_one || !problem.scalars.beta_is_zero || !repeats(layer.scale()) ||
        !repeats(layer.bias()))
      return layer_path::none;
    if (layer.last() != activation::gelu)
      return stores_plain ? layer_path::accumulators : layer_path::none;
    return grid.c == c_access::row_vectors ? layer_path::rows : layer_path::none;
  } else {
    return layer_path::none;
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
