// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transpose through an element function by an aligned tile in shared memory:
//     in --vector loads--> f --> tile of results --gathers--> vec16 stores --> out
// Used for sizes of 1, 2, 4, 8 or 16 bytes that do not grow, where the input is aligned to its
// vector loads and the output to 32 bytes. Sizes that grow and unaligned rows take
// transpose/kernels/tile_unaligned.cuh, skinny matrices transpose/kernels/skinny.cuh; these call
// the function on the words that they gather.
#pragma once

#include <xpose/backends/cuda/elementwise/select.hpp>
#include <xpose/backends/cuda/transpose/kernels/skinny.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_aligned.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_strided.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_unaligned.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Consecutive elements, loaded and stored by one access.
template <class T, int Count>
struct alignas(Count == 1 ? alignof(T) : Count * sizeof(T)) element_vector {
  T elements[Count];
};

/// Applies f to each element of a vector.
template <class In, class Out, int Count, class F>
struct on_vectors {
  __device__ element_vector<Out, Count> operator()(element_vector<In, Count> const& x) const {
    uninitialized<element_vector<Out, Count>> result;
#pragma unroll
    for (int k = 0; k < Count; ++k)
      new (&result.value.elements[k]) Out(static_cast<Out>(f(x.elements[k])));
    return result.value;
  }
  F f;
};

template <int OutBytes>
using result_tile = aligned_tile<OutBytes, aligned_tile_extents(OutBytes).rows,
                                 aligned_tile_extents(OutBytes).cols, OutBytes == 1 ? 128 : 256>;

/// Fills the tile with f of its vectors; elements beyond the last full vector of a row one by one.
template <class Tile, class In, class Out, class F>
__device__ inline void load_results(char const* in, index pitch, int rows, int cols, uint4* smem,
                                    F const& f) {
  constexpr int count = elements_in_vector(sizeof(In), sizeof(Out));
  constexpr int vectors_in_row = Tile::cols / count;
  constexpr int loads = Tile::rows * vectors_in_row / Tile::threads;
  using in_vector = element_vector<In, count>;
  using out_vector = element_vector<Out, count>;
  auto const smem_at = [smem](int row, int col) {
    int const byte = col * static_cast<int>(sizeof(Out));
    return reinterpret_cast<char*>(smem + Tile::vec16_at(row, byte / vec16_bytes)) +
           byte % vec16_bytes;
  };
  uninitialized<in_vector> v[loads];
#pragma unroll
  for (int l = 0; l < loads; ++l) {
    int const e = static_cast<int>(threadIdx.x) + l * Tile::threads;
    int const row = e / vectors_in_row, col = e % vectors_in_row * count;
    if (row < rows && col + count <= cols)
      v[l].load(in + row * pitch + col * static_cast<int>(sizeof(In)));
  }
#pragma unroll
  for (int l = 0; l < loads; ++l) {
    int const e = static_cast<int>(threadIdx.x) + l * Tile::threads;
    int const row = e / vectors_in_row, col = e % vectors_in_row * count;
    if (row < rows && col + count <= cols) {
      *reinterpret_cast<out_vector*>(smem_at(row, col)) =
          on_vectors<In, Out, count, F>{f}(v[l].value);
    } else if (row < rows) {
      for (int k = col; k < cols; ++k)
        *reinterpret_cast<Out*>(smem_at(row, k)) =
            static_cast<Out>(f(reinterpret_cast<In const*>(in + row * pitch)[k]));
    }
  }
}

template <class In, class Out, class F>
__global__ void __launch_bounds__(result_tile<sizeof(Out)>::threads)
    transpose_function(transpose_problem const __grid_constant__ p, tile_order const order,
                       F const f) {
  using tile = result_tile<sizeof(Out)>;
  extern __shared__ uint4 smem[];
  auto const at = locate_tile(p, order);
  int const row = at.row_tile * tile::rows, col = at.col_tile * tile::cols;
  int const rows = min(tile::rows, p.rows - row), cols = min(tile::cols, p.cols - col);

  load_results<tile, In, Out>(at.in + row * p.in_pitch + index{col} * sizeof(In), p.in_pitch, rows,
                              cols, smem, f);
  __syncthreads();

  store_tile<tile, sizeof(Out)>(smem, at.out + col * p.out_pitch + index{row} * sizeof(Out),
                                p.out_pitch, rows, cols);
}

/// The unaligned tile of a copy through a function; a thread gathers one vec16 at a time for each
/// of its columns. Shares of a copy, aligned and unaligned, H100: f64 to f32 0.984, 0.967; bytes to
/// f32 0.911, 0.872 (256 columns 0.898, 0.865) (2026-11-21); f32 to bfloat16, 3398x10195, in 64x64
/// 0.949, in 128x64 0.945, in 64x128 0.956 (2026-11-28).
template <int InBytes, int OutBytes>
struct result_tile_unaligned {
  static constexpr int rows = unaligned_tile_extents(InBytes, OutBytes).rows;
  static constexpr int cols = unaligned_tile_extents(InBytes, OutBytes).cols;
  static constexpr int vec16_count = rows * cols * OutBytes / vec16_bytes;
  static constexpr bool is_square = rows == 64 && cols == 64 && InBytes <= 4;
  static constexpr int threads = is_square ? 256 : std::min(512, vec16_count);
  static constexpr int columns = is_square ? 2 : vec16_count / threads;
  // Resident blocks. Four columns need too many registers for three, unless 1-byte words are read.
  static constexpr int blocks = is_square                                        ? 6
                                : (columns == 4 && InBytes > 1) || OutBytes == 8 ? 2
                                                                                 : 3;
  using type = unaligned_tile<InBytes, OutBytes, 1, rows, cols, threads, columns>;
};

/// Launches the unaligned tile or a skinny kernel.
template <class In, class Out, class F>
void launch_unaligned_or_skinny(execution const& where, function_kernel kernel,
                                transpose_problem const& p, F const& f) {
  constexpr int skinny_threads = 256;
  function_epilogue<In, Out, F> const stored{f};
  if (kernel == function_kernel::unaligned) {
    using tile = result_tile_unaligned<sizeof(In), sizeof(Out)>;
    return launch_tile_unaligned<typename tile::type, tile::blocks>(
        where, "transpose_tile_unaligned<function>", p, stored);
  }
  launch_skinny<skinny_threads>(
      where, "transpose_skinny<function>",
      kernel == function_kernel::skinny_cols ? skinny_side::cols : skinny_side::rows, p,
      is_output_contiguous(p, sizeof(Out)), stored);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
