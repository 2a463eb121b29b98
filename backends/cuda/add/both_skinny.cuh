// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add of two transposed operands with few rows or columns, by single elements: tiles are as narrow
// as the matrix. Only the sum passes through shared memory.
//
//     A, B: i fastest            tile of C, padded           C: j fastest
//     a00 a10 a01 a11 ..   -->   s00 s01 s02 .. .      -->   s00 s01 s02 ..
//                                s10 s11 s12 .. .            s10 s11 s12 ..
//
// Assumes natural alignment only.
#pragma once

#include <xpose/backends/cuda/add/in_order.cuh>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Both sides of what other kernels take of two transposed operands have so many.
inline constexpr index min_add_tile_side = 32;

/// Of both_skinny_block::elements at most.
struct both_skinny_tile {
  fast_divisor rows, cols;
  int pitch;  // from one row in shared memory to the next
};

template <class C>
struct both_skinny_block {
  static constexpr int threads = 256;
  static constexpr int loads = sizeof(C) <= 8 ? 8 : 4;
  static constexpr int elements = threads * loads;

  /// Long sides in steps of a warp. The padding spreads what a warp writes, `rows` by `rows`, over
  /// the banks.
  static both_skinny_tile tile_of(index rows, index cols) {
    auto const side = [](index own, index other) {
      index const most = elements / std::min<index>(other, min_add_tile_side);
      return own < min_add_tile_side ? own : std::min(most / 32 * 32, ceil_div(own, 32) * 32);
    };
    index const down = side(rows, cols);
    index const across = side(cols, rows);
    index const padding = std::max<index>(1, 32 / down);
    return {fast_divisor(down), fast_divisor(across), static_cast<int>(across + padding)};
  }
  static constexpr int shared_elements = elements + elements / 2;
};

template <class Problem>
__global__ void __launch_bounds__(both_skinny_block<typename Problem::output_type>::threads)
    add_both_skinny(Problem const p, add_grid const grid, both_skinny_tile const tile) {
  using A = typename Problem::a_type;
  using B = typename Problem::b_type;
  using C = typename Problem::output_type;
  using block = both_skinny_block<C>;
  __shared__ shared_tile<C, 1, block::shared_elements> sums;
  unsigned const flat_row = grid.cols.quotient(blockIdx.x);
  unsigned const matrix = grid.rows.quotient(flat_row);
  index const row = index{flat_row - matrix * grid.rows.value} * tile.rows.value;
  index const col = index{blockIdx.x - flat_row * grid.cols.value} * tile.cols.value;
  int const rows = static_cast<int>(tile.rows.value);
  int const cols = static_cast<int>(tile.cols.value);
  auto const is_inside = [&](int i, int j) {
    return i < rows && j < cols && row + i < p.rows && col + j < p.cols;
  };

  uninitialized<A> a[block::loads];
  uninitialized<B> b[block::loads];
  int to[block::loads];
#pragma unroll
  for (int l = 0; l < block::loads; ++l) {
    unsigned const e = threadIdx.x + l * block::threads;
    int const j = static_cast<int>(tile.rows.quotient(e));
    int const i = static_cast<int>(e) - j * rows;
    to[l] = is_inside(i, j) ? i * tile.pitch + j : -1;
    if (to[l] < 0) continue;
    if (p.alpha_kind != scalar_kind::zero)
      a[l].load(reinterpret_cast<char const*>(&p.a.at(matrix, row + i, col + j)));
    if (p.beta_kind != scalar_kind::zero)
      b[l].load(reinterpret_cast<char const*>(&p.b.at(matrix, row + i, col + j)));
  }
#pragma unroll
  for (int l = 0; l < block::loads; ++l)
    if (to[l] >= 0) new (&sums(0, to[l])) C(p.value(a[l].value, b[l].value));
  __syncthreads();

#pragma unroll
  for (int l = 0; l < block::loads; ++l) {
    unsigned const e = threadIdx.x + l * block::threads;
    int const i = static_cast<int>(tile.cols.quotient(e));
    int const j = static_cast<int>(e) - i * cols;
    if (is_inside(i, j)) p.c.at(matrix, row + i, col + j) = sums(0, i * tile.pitch + j);
  }
}

template <class Problem>
void launch_add_both_skinny(execution const& where, Problem const& p) {
  using block = both_skinny_block<typename Problem::output_type>;
  both_skinny_tile const tile = block::tile_of(p.rows, p.cols);
  index const down = ceil_div(p.rows, index{tile.rows.value});
  index const across = ceil_div(p.cols, index{tile.cols.value});
  launch_blocks(where, p.batch * down * across, block::threads, 0, "add_both_skinny",
                add_both_skinny<Problem>, p, add_grid{fast_divisor(across), fast_divisor(down), 0},
                tile);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
