// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add with transposed operands, by single elements through tiles of 32x32 or 16x16 in shared
// memory. Assumes natural alignment only.
#pragma once

#include <xpose/backends/cuda/add/in_order.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Of 16x16 for elements of 8 bytes and more (tile_strided.cuh of transpose has the measurements).
template <class Problem>
using add_transposed_tile = strided_tile<sizeof(typename Problem::output_type) >= 8 ? 16 : 32>;

/// Whether tiles of A and B fit the 48 KB of shared memory that a block has on every GPU. Larger
/// elements, of 24 bytes and more, nearly fill a 32-byte sector each and need no tile.
constexpr bool fit_in_tiles(index a_bytes, index b_bytes) {
  using tile = strided_tile<32>;
  constexpr index elements = tile::side * (tile::side + tile::pad);
  return elements * (a_bytes + b_bytes) <= 48 << 10;
}

/// A tile of C by single elements; a transposed operand goes through shared memory.
template <class Problem>
__global__ void __launch_bounds__(add_transposed_tile<Problem>::threads)
    add_transposed(Problem const p, add_grid const grid, bool const a_is_transposed,
                   bool const b_is_transposed) {
  using A = typename Problem::a_type;
  using B = typename Problem::b_type;
  using tile = add_transposed_tile<Problem>;
  constexpr int side = tile::side, steps = tile::steps, rows_in_step = tile::rows_in_step;
  __shared__ shared_tile<A, side, side + tile::pad> a_tile;
  __shared__ shared_tile<B, side, side + tile::pad> b_tile;
  unsigned const flat_row = grid.cols.quotient(blockIdx.x);
  unsigned const matrix = grid.rows.quotient(flat_row);
  index const row = index{flat_row - matrix * grid.rows.value} * side;
  index const col = index{blockIdx.x - flat_row * grid.cols.value} * side;
  int const lane = static_cast<int>(threadIdx.x) % side;
  int const top = static_cast<int>(threadIdx.x) / side;
  bool const reads_a = p.alpha_kind != scalar_kind::zero;
  bool const reads_b = p.beta_kind != scalar_kind::zero;
  auto const is_inside = [&](int i, int j) { return row + i < p.rows && col + j < p.cols; };

  uninitialized<A> a[steps];
  uninitialized<B> b[steps];
#pragma unroll
  for (int k = 0; k < steps; ++k) {
    int const other = top + rows_in_step * k;
    auto const load = [&](auto& into, auto const& from, bool is_transposed) {
      int const i = is_transposed ? lane : other, j = is_transposed ? other : lane;
      if (is_inside(i, j))
        into.load(reinterpret_cast<char const*>(&from.at(matrix, row + i, col + j)));
    };
    if (reads_a) load(a[k], p.a, a_is_transposed);
    if (reads_b) load(b[k], p.b, b_is_transposed);
  }
#pragma unroll
  for (int k = 0; k < steps; ++k) {
    int const other = top + rows_in_step * k;
    if (!is_inside(lane, other)) continue;
    if (reads_a && a_is_transposed) a_tile(other, lane) = a[k].value;
    if (reads_b && b_is_transposed) b_tile(other, lane) = b[k].value;
  }
  __syncthreads();

#pragma unroll
  for (int k = 0; k < steps; ++k) {
    int const other = top + rows_in_step * k;
    if (!is_inside(other, lane)) continue;
    // No reference to one or the other: elements held would need addresses, in local memory.
    if (a_is_transposed) a[k].value = a_tile(lane, other);
    if (b_is_transposed) b[k].value = b_tile(lane, other);
    p.c.at(matrix, row + other, col + lane) = p.value(a[k].value, b[k].value);
  }
}

template <class Problem>
void launch_add_transposed(execution const& where, Problem const& p) {
  using tile = add_transposed_tile<Problem>;
  index const down = ceil_div(p.rows, index{tile::side});
  index const across = ceil_div(p.cols, index{tile::side});
  launch_blocks(where, p.batch * down * across, tile::threads, 0, "add_transposed",
                add_transposed<Problem>, p, add_grid{fast_divisor(across), fast_divisor(down), 0},
                p.is_transposed(p.a), p.is_transposed(p.b));
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
