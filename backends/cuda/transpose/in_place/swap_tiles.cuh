// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Square matrices transposed in place. A block loads two tiles that mirror each other in the
// diagonal, and stores the transpose of each over the other. swap_aligned: rows of W-byte words at
// multiples of 16 bytes, vec16 accesses on both sides. swap_strided: elements of any type and any
// strides, one element an access. Rows at other addresses: swap_tiles_unaligned.cuh.
#pragma once

#include <xpose/backends/cuda/transpose/kernels/tile_aligned.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_strided.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A batch of square matrices. Steps in bytes, of either sign.
struct square_problem {
  char* data;
  index row_step;
  index col_step;
  int extent;
  int tiles;  // along a side
  int bands;  // of rows of tiles
  fast_divisor band;
  fast_divisor tiles_in_band_pair;
  fast_divisor pairs;  // in a matrix, as numbered below
  index matrix_count;
  outer_dimensions outer;  // in and out strides are the same

  void cut(int side, index rows_in_band) {
    index const across = ceil_div(extent, index{side});
    index const in_matrix = ceil_div(across, rows_in_band);
    tiles = static_cast<int>(across);
    bands = static_cast<int>(in_matrix);
    band = fast_divisor(rows_in_band);
    tiles_in_band_pair = fast_divisor((in_matrix + 1) * rows_in_band * rows_in_band);
    pairs = fast_divisor((in_matrix + 1) / 2 * (in_matrix + 1) * rows_in_band * rows_in_band);
  }
};

/// The matrix of a block, and its tile on or right of the diagonal. Blocks take tiles in bands of
/// tile rows, column by column, so that tiles which share sectors run close together on both sides
/// of the diagonal. Band k and band k from below form a band pair, of bands + 1 squares of tiles;
/// the middle band of an odd number pairs with itself, and the second half of that pair is idle.
struct tile_pair {
  char* matrix;
  int row_tile;
  int col_tile;
  bool is_idle;
};

// A function, not a constructor: nvcc 13.0 drops the loop over the outer dimensions when it fills a
// member of a const object.
__device__ inline tile_pair tile_pair_of_block(square_problem const& p) {
  unsigned const batch_index = p.pairs.quotient(blockIdx.x);
  int const task = static_cast<int>(blockIdx.x - batch_index * p.pairs.value);
  char* matrix = p.data;
  char const* same = p.data;
  if (p.outer.count != 0) p.outer.advance_to(batch_index, same, matrix);

  int const band_pair = p.tiles_in_band_pair.quotient(task),
            in_band_pair = task - p.tiles_in_band_pair * band_pair;
  int const column = p.band.quotient(in_band_pair), row = in_band_pair - p.band * column;
  int const columns_of_first = p.band * (p.bands - band_pair);
  bool const is_first = column < columns_of_first;
  int const band = is_first ? band_pair : p.bands - 1 - band_pair;
  int const row_tile = p.band * band + row;
  int const col_tile = p.band * band + (is_first ? column : column - columns_of_first);
  return {
      matrix, row_tile, col_tile,
      row_tile > col_tile || col_tile >= p.tiles || (!is_first && 2 * band_pair + 1 == p.bands)};
}

template <int W, int Side, int Threads, int MinBlocks>
__global__ void __launch_bounds__(Threads, MinBlocks)
    swap_aligned(square_problem const __grid_constant__ p) {
  using tile = aligned_tile<W, Side, Side, Threads>;
  extern __shared__ uint4 smem[];
  uint4* const smem_of_lower = smem + tile::shared_bytes / vec16_bytes;
  tile_pair const at = tile_pair_of_block(p);
  if (at.is_idle) return;
  int const row = at.row_tile * Side, col = at.col_tile * Side;
  int const rows = min(Side, p.extent - row), cols = min(Side, p.extent - col);
  char* const upper = at.matrix + row * p.row_step + index{col} * W;
  char* const lower = at.matrix + col * p.row_step + index{row} * W;
  bool const has_lower = row != col;

  aligned_loads<tile, W> of_upper, of_lower;
  of_upper.load(upper, p.row_step, rows, cols);
  if (has_lower) of_lower.load(lower, p.row_step, cols, rows);
  of_upper.store(upper, p.row_step, rows, cols, smem);
  if (has_lower) of_lower.store(lower, p.row_step, cols, rows, smem_of_lower);
  __syncthreads();

  store_tile<tile, W>(smem, lower, p.row_step, rows, cols);
  if (has_lower) store_tile<tile, W>(smem_of_lower, upper, p.row_step, cols, rows);
}

template <int Side>
struct swap_tile_strided {
  static constexpr int side = Side;
  static constexpr int threads = side * 8;
  static constexpr int steps = side / 8;
};

template <class T, int Side>
__global__ void __launch_bounds__(swap_tile_strided<Side>::threads)
    swap_strided(square_problem const __grid_constant__ p) {
  constexpr int side = Side, steps = swap_tile_strided<Side>::steps;
  __shared__ shared_tile<T, side, side + 1> upper_tile;
  __shared__ shared_tile<T, side, side + 1> lower_tile;
  tile_pair const at = tile_pair_of_block(p);
  if (at.is_idle) return;
  int const lane = static_cast<int>(threadIdx.x) % side, top = static_cast<int>(threadIdx.x) / side;
  int const row = at.row_tile * side, col = at.col_tile * side;
  char* const upper = at.matrix + (row + top) * p.row_step + (col + lane) * p.col_step;
  char* const lower = at.matrix + (col + top) * p.row_step + (row + lane) * p.col_step;
  bool const has_lower = row != col;
  auto const is_in_upper = [&](int k) {
    return row + top + 8 * k < p.extent && col + lane < p.extent;
  };
  auto const is_in_lower = [&](int k) {
    return col + top + 8 * k < p.extent && row + lane < p.extent;
  };

  uninitialized<T> from_upper[steps];
  uninitialized<T> from_lower[steps];
#pragma unroll
  for (int k = 0; k < steps; ++k) {
    if (is_in_upper(k)) from_upper[k].load(upper + 8 * k * p.row_step);
    if (has_lower && is_in_lower(k)) from_lower[k].load(lower + 8 * k * p.row_step);
  }
#pragma unroll
  for (int k = 0; k < steps; ++k) {
    if (is_in_upper(k)) upper_tile(top + 8 * k, lane) = from_upper[k].value;
    if (has_lower && is_in_lower(k)) lower_tile(top + 8 * k, lane) = from_lower[k].value;
  }
  __syncthreads();

#pragma unroll
  for (int k = 0; k < steps; ++k) {
    if (is_in_lower(k))
      *reinterpret_cast<T*>(lower + 8 * k * p.row_step) = upper_tile(lane, top + 8 * k);
    if (has_lower && is_in_upper(k))
      *reinterpret_cast<T*>(upper + 8 * k * p.row_step) = lower_tile(lane, top + 8 * k);
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
