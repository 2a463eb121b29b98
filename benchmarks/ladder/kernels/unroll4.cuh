// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The naive transposes with four elements a thread, so that four independent loads are in flight.
// Each of the four is checked against the edge: the source's version is not and reads past it.
#pragma once

#include "ladder/launch.cuh"

namespace xpose::bench::ladder {

__global__ void unroll4_row(word const* in, word* out, matrix_extents size, tile_grid grid) {
  auto const at = in_row_order(grid, blockIdx.x);
  index const i = at.down * blockDim.y + threadIdx.y;
  if (i >= size.rows) return;
  word held[elements_in_thread];
#pragma unroll
  for (int e = 0; e < elements_in_thread; ++e) {
    index const j = in_block_widths(at.across, e, blockDim.x, threadIdx.x);
    if (j < size.cols) held[e] = in[i * size.cols + j];
  }
#pragma unroll
  for (int e = 0; e < elements_in_thread; ++e) {
    index const j = in_block_widths(at.across, e, blockDim.x, threadIdx.x);
    if (j < size.cols) out[j * size.rows + i] = held[e];
  }
}

__global__ void unroll4_col(word const* in, word* out, matrix_extents size, tile_grid grid) {
  auto const at = in_row_order(grid, blockIdx.x);
  index const j = at.across * blockDim.y + threadIdx.y;
  if (j >= size.cols) return;
  word held[elements_in_thread];
#pragma unroll
  for (int e = 0; e < elements_in_thread; ++e) {
    index const i = in_block_widths(at.down, e, blockDim.x, threadIdx.x);
    if (i < size.rows) held[e] = in[i * size.cols + j];
  }
#pragma unroll
  for (int e = 0; e < elements_in_thread; ++e) {
    index const i = in_block_widths(at.down, e, blockDim.x, threadIdx.x);
    if (i < size.rows) out[j * size.rows + i] = held[e];
  }
}

}  // namespace xpose::bench::ladder
