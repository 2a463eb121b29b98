// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Matrix products of the fourth document: one element of C a thread, from device memory (naive) or
// from square tiles in shared memory, which brings each element of A and B in Tile times less
// often.
#pragma once

#include "ladder/launch.cuh"

namespace xpose::bench::ladder {

__global__ void gemm_naive(float const* a, float const* b, float* c, index m, index n, index k,
                           tile_grid grid) {
  auto const at = in_row_order(grid, blockIdx.x);
  index const i = at.down * blockDim.y + threadIdx.y;
  index const j = at.across * blockDim.x + threadIdx.x;
  if (i >= m || j >= n) return;
  float sum = 0;
  for (index p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
  c[i * n + j] = sum;
}

/// Tiles at the edge are filled with zeros. One barrier before a tile is used, one before it is
/// overwritten.
template <int Tile>
__global__ void gemm_tiled(float const* a, float const* b, float* c, index m, index n, index k,
                           tile_grid grid) {
  __shared__ float a_tile[Tile][Tile];
  __shared__ float b_tile[Tile][Tile];
  auto const at = in_row_order(grid, blockIdx.x);
  index const i = at.down * Tile + threadIdx.y;
  index const j = at.across * Tile + threadIdx.x;
  float sum = 0;
  for (index first = 0; first < k; first += Tile) {
    index const a_col = first + threadIdx.x;
    index const b_row = first + threadIdx.y;
    a_tile[threadIdx.y][threadIdx.x] = i < m && a_col < k ? a[i * k + a_col] : 0.0f;
    b_tile[threadIdx.y][threadIdx.x] = b_row < k && j < n ? b[b_row * n + j] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int p = 0; p < Tile; ++p) sum += a_tile[threadIdx.y][p] * b_tile[p][threadIdx.x];
    __syncthreads();
  }
  if (i < m && j < n) c[i * n + j] = sum;
}

}  // namespace xpose::bench::ladder
