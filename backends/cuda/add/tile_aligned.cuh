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
/// bytes 256x128 0.91, 128x256 0.89, this 0.94 (H100, 2026-11-21). The others, NT and TN, us, in
/// these and in larger tiles: 2 bytes of 8000x4008 56, 54; 64x128 60, 57; of 512 threads 63, 60;
/// f32 of 6616x13232 259, 260; 64x64 261, 262; of 512 threads 293, 294; f64 of 6616x6616 254, 258;
/// 32x32 258, 262; 64x32 301, 270; 16 bytes of 6616x3308 253, 253; 16x16 255, 273 (cuBLAS 260 and
/// 515 for twice the f64; H200, 2026-12-01).
template <int Bytes>
using sum_tile = by_word_size<Bytes, aligned_tile<1, 128, 128, 256>, aligned_tile<2, 64, 64, 256>,
                              aligned_tile<4, 32, 64, 256>, aligned_tile<8, 16, 64, 256>,
                              aligned_tile<16, 16, 32, 256>>;
/// Resident blocks that registers are kept for: 32 a thread. f32 of 32x64 in as many as 38
/// registers leave 275, 268 us for the above; f64 of 32x32 by 40 registers 274, 282. Bytes take 64.
/// Lost: a kernel for each layout 0.85, loads that pass by L1 0.94 to 1.0, bands of tiles 0.97
/// (H200, 2026-11-30).
template <int Bytes>
inline constexpr int min_sum_blocks = Bytes == 1 ? 0 : 8;

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

/// To global memory. Where a vec16's end is stored by elements in another branch, the compiler
/// makes one of both: elements, each with a condition. add of f32 stored four times as often, and
/// twice the sectors where rows do not begin at 128 bytes: 4000x4008 NT 67 us, cuBLAS 49 (H200).
__device__ inline void store_vec16_at_once(char* p, uint4 v) {
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(p)),
               "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
}

/// Stores the sums of two vec16s in a row of C.
template <class Problem>
__device__ inline void store_sums(Problem const& p, char* row, index first, index cols,
                                  uint4 const& x, uint4 const& y) {
  using C = typename Problem::output_type;
  constexpr int V = vec16_of<C>::count;
  auto const& a = reinterpret_cast<element_vector<typename Problem::a_type, V> const&>(x);
  auto const& b = reinterpret_cast<element_vector<typename Problem::b_type, V> const&>(y);
  auto const sum_of = [&](int k) { return p.value(a.elements[k], b.elements[k]); };
  if (first + V > cols) return store_elements<C>(row, first, cols, sum_of);
  vec16_of<C> sums;
#pragma unroll
  for (int k = 0; k < V; ++k) new (&sums.elements[k]) C(sum_of(k));
  store_vec16_at_once(row + first * index{sizeof(C)}, sums.vec16);
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
