// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add with transposed operands, aligned: vec16 accesses on all sides, sums in registers.
//     transposed operand --vec16--> tile of transpose/kernels/tile_aligned.cuh --gather-->
//     registers other operand      --vec16---------------------------------------------------->
//     registers
// Assumes elements of one size, 1, 2, 4, 8 or 16 bytes, contiguous along rows or columns, and all
// addresses and pitches multiples of 16.
#pragma once

#include <xpose/backends/core/problems/add_problem.hpp>
#include <xpose/backends/cuda/elementwise/tile_aligned.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Rows and columns are those of a transposed operand: columns and rows of C. Shares of bandwidth:
/// 2 bytes 64x64 0.93, 128x128 0.94, this 0.97; 1 byte 256x128 0.91, 128x256 0.89, this 0.94 (H100,
/// 2026-11-21).
template <int Bytes>
using sum_tile = by_word_size<Bytes, aligned_tile<1, 128, 128, 256>, aligned_tile<2, 64, 128, 256>,
                              aligned_tile<4, 64, 64, 256>, aligned_tile<8, 32, 32, 256>,
                              aligned_tile<16, 16, 16, 256>>;
/// Resident blocks that registers are kept for. 8 bytes: 8 blocks of 32 registers for 6 of 40, f64
/// of 6616x13232 NT, TN, TT 1.07, 1.09, 1.05 times as fast, 8192 square 1.07, 1.06, 1.05, 4000x4008
/// 1.04, 1.13, 1.05. 0: as the compiler likes, f32 63 registers; so 1, which gives it 72, 0.9.
/// Lost: f32 in tiles of 32x64 and 64x64 by 512 threads in 8 and 4 blocks 0.70 to 1.0, a kernel for
/// each layout 0.85, loads that pass by L1 0.94 to 1.0, bands of tiles 0.97 (H200, 2026-11-30).
template <int Bytes>
inline constexpr int min_sum_blocks = Bytes == 8 ? 8 : 0;

/// One thread's vec16s of an operand, in the order in which it stores C.
template <int Bytes>
struct operand_vec16s {
  using tile = sum_tile<Bytes>;
  static constexpr int V = tile::V;

  /// Loads the tile of C at (row, col), rows x cols of it in bounds; a transposed operand goes to
  /// shared memory.
  template <class T>
  __device__ void load(strided_batch<T const> const& from, unsigned matrix, index row, index col,
                       int rows, int cols, bool is_transposed, uint4* smem) {
    auto const* const first = reinterpret_cast<char const*>(&from.at(matrix, row, col));
    if (is_transposed)
      return load_tile<tile, Bytes>(first, from.col_stride * Bytes, cols, rows, smem);
#pragma unroll
    for (int l = 0; l < tile::gathers; ++l) {
      auto const at = tile::gathered_by(l);
#pragma unroll
      for (int k = 0; k < tile::cols_per_thread; ++k)
        if (at.col + k < rows)
          vec16s[l][k] =
              load_in_row<Bytes>(first + (at.col + k) * from.row_stride * Bytes, at.down * V, cols);
    }
  }
  __device__ void gather_transposed(bool is_transposed, uint4 const* smem) {
    if (!is_transposed) return;
#pragma unroll
    for (int l = 0; l < tile::gathers; ++l)
      gather<tile, Bytes>(smem, tile::gathered_by(l), vec16s[l]);
  }

  uint4 vec16s[tile::gathers][tile::cols_per_thread];
};

template <class T>
inline constexpr bool is_users = element_type_of<T>() == element_type::other;

/// Stores the sums of two vec16s in a row of C. Elements beyond the row are added too, but for a
/// user's types, whose operators must not see them: adding is faster than a bounds check each.
template <class Problem>
__device__ inline void store_sums(Problem const& p, char* row, index first, index cols,
                                  uint4 const& x, uint4 const& y) {
  using A = typename Problem::a_type;
  using B = typename Problem::b_type;
  using C = typename Problem::output_type;
  constexpr int V = vec16_bytes / static_cast<int>(sizeof(C));
  auto const& a = reinterpret_cast<element_vector<A, V> const&>(x);
  auto const& b = reinterpret_cast<element_vector<B, V> const&>(y);
  auto const sum_of = [&](int k) { return p.value(a.elements[k], b.elements[k]); };
  if constexpr (is_users<A> || is_users<B> || is_users<C>) {
    store_elements<C>(row, first, cols, sum_of);
  } else {
    uninitialized<element_vector<C, V>> sum;
#pragma unroll
    for (int k = 0; k < V; ++k) new (&sum.value.elements[k]) C(sum_of(k));
    store_in_row<sizeof(C)>(row, first, cols, reinterpret_cast<uint4 const&>(sum));
  }
}

/// Blocks walk the tiles of C along rows, then down, then over the batch.
template <class Problem>
__global__ void __launch_bounds__(sum_tile<sizeof(typename Problem::output_type)>::threads,
                                  min_sum_blocks<sizeof(typename Problem::output_type)>)
    add_vec16(Problem const p, fast_divisor const across, fast_divisor const down,
              bool const a_is_transposed, bool const b_is_transposed) {
  constexpr int bytes = sizeof(typename Problem::output_type);
  using tile = sum_tile<bytes>;
  extern __shared__ uint4 a_smem[];
  uint4* const b_smem = a_smem + (a_is_transposed ? tile::shared_bytes / vec16_bytes : 0);
  unsigned const flat_row = across.quotient(blockIdx.x);
  unsigned const matrix = down.quotient(flat_row);
  index const row = index{flat_row - matrix * down.value} * tile::cols;
  index const col = index{blockIdx.x - flat_row * across.value} * tile::rows;
  int const rows = static_cast<int>(min(index{tile::cols}, p.rows - row));
  int const cols = static_cast<int>(min(index{tile::rows}, p.cols - col));

  operand_vec16s<bytes> a, b;
  if (p.alpha_kind != scalar_kind::zero)
    a.load(p.a, matrix, row, col, rows, cols, a_is_transposed, a_smem);
  if (p.beta_kind != scalar_kind::zero)
    b.load(p.b, matrix, row, col, rows, cols, b_is_transposed, b_smem);
  __syncthreads();
  a.gather_transposed(a_is_transposed, a_smem);
  b.gather_transposed(b_is_transposed, b_smem);

  char* const c = reinterpret_cast<char*>(&p.c.at(matrix, row, col));
#pragma unroll
  for (int l = 0; l < tile::gathers; ++l) {
    auto const at = tile::gathered_by(l);
#pragma unroll
    for (int k = 0; k < tile::cols_per_thread; ++k)
      if (at.col + k < rows)
        store_sums(p, c + (at.col + k) * p.c.row_stride * bytes, at.down * tile::V, cols,
                   a.vec16s[l][k], b.vec16s[l][k]);
  }
}

template <class Problem>
void launch_add_vec16(execution const& where, Problem const& p) {
  using tile = sum_tile<sizeof(typename Problem::output_type)>;
  index const across = ceil_div(p.cols, tile::rows);
  index const down = ceil_div(p.rows, tile::cols);
  int const smem_tiles = (p.is_transposed(p.a) ? 1 : 0) + (p.is_transposed(p.b) ? 1 : 0);
  launch_blocks(where, p.batch * down * across, tile::threads, smem_tiles * tile::shared_bytes,
                "add_vec16", add_vec16<Problem>, p, fast_divisor(across), fast_divisor(down),
                p.is_transposed(p.a), p.is_transposed(p.b));
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
