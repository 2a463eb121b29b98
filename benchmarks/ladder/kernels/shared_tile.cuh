// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A transpose through a 32 x 32 tile in shared memory: both global accesses are coalesced.
//   in: rows of 32, coalesced -> tile[32][32 + Pad] -> out: rows of 32, coalesced
// Pad = 0: a column of the tile is 32 words of one bank; Pad = 1: no bank conflict. Blocks are
// 32 x BlockRows threads. Bounds are checked on the load and, with exchanged indices, on the store.
#pragma once

#include "ladder/launch.cuh"

namespace xpose::bench::ladder {

constexpr int tile_side = 32;

/// The tile is filled by rows and read by columns: loads from shared memory have bank conflicts
/// without padding.
template <int Pad, int BlockRows>
__global__ void transpose_shared(word const* in, word* out, matrix_extents size, tile_grid grid) {
  __shared__ word tile[tile_side][tile_side + Pad];
  auto const at = in_row_order(grid, blockIdx.x);
  index const first_row = at.down * tile_side;
  index const first_col = at.across * tile_side;

  for (unsigned r = threadIdx.y; r < tile_side; r += BlockRows)
    if (first_row + r < size.rows && first_col + threadIdx.x < size.cols)
      tile[r][threadIdx.x] = in[(first_row + r) * size.cols + first_col + threadIdx.x];
  __syncthreads();

  for (unsigned r = threadIdx.y; r < tile_side; r += BlockRows)
    if (first_col + r < size.cols && first_row + threadIdx.x < size.rows)
      out[(first_col + r) * size.rows + first_row + threadIdx.x] = tile[threadIdx.x][r];
}

/// The first document's order: the tile is filled by columns, so that stores to shared memory have
/// 32-way bank conflicts without padding.
template <int Pad, int BlockRows>
__global__ void transpose_filled_by_columns(word const* in, word* out, matrix_extents size,
                                            tile_grid grid) {
  __shared__ word tile[tile_side][tile_side + Pad];
  auto const at = in_row_order(grid, blockIdx.x);
  index const first_row = at.down * tile_side;
  index const first_col = at.across * tile_side;

  for (unsigned r = threadIdx.y; r < tile_side; r += BlockRows)
    if (first_row + r < size.rows && first_col + threadIdx.x < size.cols)
      tile[threadIdx.x][r] = in[(first_row + r) * size.cols + first_col + threadIdx.x];
  __syncthreads();

  for (unsigned r = threadIdx.y; r < tile_side; r += BlockRows)
    if (first_col + r < size.cols && first_row + threadIdx.x < size.rows)
      out[(first_col + r) * size.rows + first_row + threadIdx.x] = tile[r][threadIdx.x];
}

/// A plain copy through the tile: what shared memory costs.
template <int BlockRows>
__global__ void copy_shared(word const* in, word* out, matrix_extents size, tile_grid grid) {
  __shared__ word tile[tile_side][tile_side];
  auto const at = in_row_order(grid, blockIdx.x);
  index const first_row = at.down * tile_side;
  index const j = at.across * tile_side + threadIdx.x;

  for (unsigned r = threadIdx.y; r < tile_side; r += BlockRows)
    if (first_row + r < size.rows && j < size.cols)
      tile[r][threadIdx.x] = in[(first_row + r) * size.cols + j];
  __syncthreads();

  for (unsigned r = threadIdx.y; r < tile_side; r += BlockRows)
    if (first_row + r < size.rows && j < size.cols)
      out[(first_row + r) * size.cols + j] = tile[r][threadIdx.x];
}

}  // namespace xpose::bench::ladder
