// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The naive transpose, one element a thread: one side is coalesced, the other strided. Reading
// columns wins, because the L1 cache keeps the cache lines of strided reads.
#pragma once

#include "ladder/launch.cuh"

namespace xpose::bench::ladder {

__global__ void naive_row(word const* in, word* out, matrix_extents size, tile_grid grid) {
  auto const at = in_row_order(grid, blockIdx.x);
  index const i = at.down * blockDim.y + threadIdx.y;
  index const j = at.across * blockDim.x + threadIdx.x;
  if (i < size.rows && j < size.cols) out[j * size.rows + i] = in[i * size.cols + j];
}

__global__ void naive_col(word const* in, word* out, matrix_extents size, tile_grid grid) {
  auto const at = in_row_order(grid, blockIdx.x);
  index const i = at.down * blockDim.x + threadIdx.x;
  index const j = at.across * blockDim.y + threadIdx.y;
  if (i < size.rows && j < size.cols) out[j * size.rows + i] = in[i * size.cols + j];
}

}  // namespace xpose::bench::ladder
