// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The naive transposes with blocks in diagonal order, once the remedy for partition camping (blocks
// that run together all hitting one memory partition). GPUs that hash addresses no longer need it.
#pragma once

#include "ladder/launch.cuh"

namespace xpose::bench::ladder {

__global__ void diagonal_row(word const* in, word* out, matrix_extents size, tile_grid grid) {
  auto const at = in_diagonal_order(grid, blockIdx.x);
  index const i = at.down * blockDim.y + threadIdx.y;
  index const j = at.across * blockDim.x + threadIdx.x;
  if (i < size.rows && j < size.cols) out[j * size.rows + i] = in[i * size.cols + j];
}

__global__ void diagonal_col(word const* in, word* out, matrix_extents size, tile_grid grid) {
  auto const at = in_diagonal_order(grid, blockIdx.x);
  index const i = at.down * blockDim.x + threadIdx.x;
  index const j = at.across * blockDim.y + threadIdx.y;
  if (i < size.rows && j < size.cols) out[j * size.rows + i] = in[i * size.cols + j];
}

}  // namespace xpose::bench::ladder
