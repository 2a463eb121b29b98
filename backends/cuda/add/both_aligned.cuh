// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add with both operands transposed, aligned: vec16s of A and B are added as they are loaded, and
// the sums are transposed by transpose/kernels/tile_aligned.cuh.
//     A, B --vec16--> sums --vec16--> tile --gather--> C
// One tile and half the gathers of add/tile_aligned.cuh, which transposes each operand. Assumes
// elements of one size, 1, 2, 4, 8 or 16 bytes, contiguous along columns of A and B and rows of C,
// and all addresses and pitches multiples of 16; both operands are read.
#pragma once

#include <xpose/backends/cuda/add/tile_aligned.cuh>
#include <xpose/backends/cuda/add/tile_unaligned.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Shares of bandwidth at 3104x1552, 8192x8192 and 10000x8000, f32, f64 and complex doubles: 0.93,
/// 0.98, 0.94; 0.97, 0.98, 0.92; 0.98, 0.97, 0.99, where add_vec16 has 0.79, 0.96, 0.87; 0.87,
/// 0.96, 0.95; 0.82, 0.83, 0.84. f32 in 64x32 0.92, 0.93, 0.95; f64 in 32x64 of 512 threads 0.70;
/// 16 bytes in 16x16 0.96, 0.96, 0.94. With so many blocks that registers do not suffice 0.62 to
/// 0.76 (H200). 1 and 2 bytes at the first two sizes 0.61, 0.91 and 0.93, 0.94, where add_vec16 has
/// 0.59, 0.89 and 0.80, 0.95 (H100, 2026-11-28).
template <class Tile, int Blocks>
struct resident_sum_tile {
  using tile = Tile;
  static constexpr int blocks = Blocks;
};
template <int Bytes>
using both_aligned_tile = by_word_size<Bytes, resident_sum_tile<aligned_tile<1, 128, 128, 256>, 4>,
                                       resident_sum_tile<aligned_tile<2, 64, 64, 256>, 4>,
                                       resident_sum_tile<aligned_tile<4, 64, 64, 512>, 3>,
                                       resident_sum_tile<aligned_tile<8, 32, 32, 256>, 6>,
                                       resident_sum_tile<aligned_tile<16, 32, 16, 256>, 6>>;

template <class Problem, class Tile, int MinBlocks>
__global__ void __launch_bounds__(Tile::threads, MinBlocks)
    add_both_aligned(transpose_problem const __grid_constant__ rows_of, tile_order const order,
                     Problem const p, row_operand const b) {
  using A = typename Problem::a_type;
  using B = typename Problem::b_type;
  using C = typename Problem::output_type;
  using tile = Tile;
  constexpr int bytes = sizeof(C), V = tile::V;
  extern __shared__ uint4 smem[];
  auto const at = locate_tile(rows_of, order);
  int const row = at.row_tile * tile::rows, col = at.col_tile * tile::cols;
  int const rows = min(tile::rows, rows_of.rows - row), cols = min(tile::cols, rows_of.cols - col);
  index const a_pitch = rows_of.in_pitch, b_pitch = b.row_pitch;
  char const* const a_rows = at.in + row * a_pitch + index{col} * bytes;
  char const* const b_rows = b.row(at.batch_index, row) + index{col} * bytes;

  aligned_loads<tile, bytes> x, y;
  x.load(a_rows, a_pitch, rows, cols);
  y.load(b_rows, b_pitch, rows, cols);
#pragma unroll
  for (int l = 0; l < tile::loads; ++l) {
    int const e = threadIdx.x + l * tile::threads;
    int const i = e / tile::vec16s_in_row, first = e % tile::vec16s_in_row * V;
    if (i >= rows || first >= cols) continue;
    char* const to = reinterpret_cast<char*>(smem + tile::vec16_at(i, first / V));
    if (first + V <= cols) {
      vec16_words<bytes> const u{x.v[l]}, v{y.v[l]};
      store_elements<C>(to, 0, V, [&](int k) {
        return p.value(reinterpret_cast<A const&>(u.words[k]),
                       reinterpret_cast<B const&>(v.words[k]));
      });
    } else {
      auto* const from_a = reinterpret_cast<A const*>(a_rows + i * a_pitch) + first;
      auto* const from_b = reinterpret_cast<B const*>(b_rows + i * b_pitch) + first;
      for (int k = 0; k < cols - first; ++k)
        new (reinterpret_cast<C*>(to) + k) C(p.value(from_a[k], from_b[k]));
    }
  }
  __syncthreads();

  store_tile<tile, bytes>(smem, at.out + col * rows_of.out_pitch + index{row} * bytes,
                          rows_of.out_pitch, rows, cols);
}

template <class Problem>
void launch_add_both_aligned(execution const& where, Problem const& p) {
  using resident = both_aligned_tile<sizeof(typename Problem::output_type)>;
  using tile = typename resident::tile;
  row_operand const b(p.b.data, p.batch, p.b.batch_stride, p.cols, p.b.col_stride, p.rows);
  launch_tiles<tile>(where, "add_both_aligned", add_both_aligned<Problem, tile, resident::blocks>,
                     transposed_rows(p, p.a), tile::shared_bytes, 0, p, b);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
