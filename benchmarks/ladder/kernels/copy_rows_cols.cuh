// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The bounds of the first study: a copy by rows (coalesced) and a copy by columns (strided). One
// element a thread, so the "upper bound" is none: kernels with more loads in flight pass it.
#pragma once

#include "ladder/launch.cuh"

namespace xpose::bench::ladder {

__global__ void copy_row(word const* in, word* out, matrix_extents size, tile_grid grid) {
  auto const at = in_row_order(grid, blockIdx.x);
  index const i = at.down * blockDim.y + threadIdx.y;
  index const j = at.across * blockDim.x + threadIdx.x;
  if (i < size.rows && j < size.cols) out[i * size.cols + j] = in[i * size.cols + j];
}

__global__ void copy_col(word const* in, word* out, matrix_extents size, tile_grid grid) {
  auto const at = in_row_order(grid, blockIdx.x);
  index const i = at.down * blockDim.x + threadIdx.x;
  index const j = at.across * blockDim.y + threadIdx.y;
  if (i < size.rows && j < size.cols) out[i * size.cols + j] = in[i * size.cols + j];
}

}  // namespace xpose::bench::ladder
