// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Shared memory has 32 banks of 4 bytes; a warp pays for the largest number of its threads that
// want different words of one bank. Copies through a tile show the three ways of access, broadcast
// and multicast. Blocks are 32 x 32 threads.
#pragma once

#include "ladder/launch.cuh"

namespace xpose::bench::ladder {

/// Element (y, x) of the block's 32 x 32 tile, in row order (conflict-free), or in column order
/// (32 ways, unless each row of the tile is one word longer).
enum class bank_order { row, column };

__device__ inline unsigned slot_of(bank_order order, unsigned pitch) {
  return order == bank_order::row ? threadIdx.y * pitch + threadIdx.x
                                  : threadIdx.x * pitch + threadIdx.y;
}

/// volatile, or the compiler would drop the round trip through shared memory.
__device__ inline void copy_through(word volatile* tile, unsigned slot, word const* in, word* out,
                                    matrix_extents size, tile_grid grid) {
  auto const at = in_row_order(grid, blockIdx.x);
  index const i = at.down * blockDim.y + threadIdx.y;
  index const j = at.across * blockDim.x + threadIdx.x;
  if (i >= size.rows || j >= size.cols) return;
  tile[slot] = in[i * size.cols + j];
  out[i * size.cols + j] = tile[slot];
}

template <bank_order Order, int Pad>
__global__ void bank_static(word const* in, word* out, matrix_extents size, tile_grid grid) {
  __shared__ word tile[32 * (32 + Pad)];
  copy_through(tile, slot_of(Order, 32 + Pad), in, out, size, grid);
}

/// The same with shared memory whose size the launch decides.
template <bank_order Order, int Pad>
__global__ void bank_dynamic(word const* in, word* out, matrix_extents size, tile_grid grid) {
  extern __shared__ word dynamic_tile[];
  copy_through(dynamic_tile, slot_of(Order, 32 + Pad), in, out, size, grid);
}

/// Each group of neighbouring threads of a warp reads one word, twice; the two cancel out. One
/// group of 32 is a broadcast, eight of 4 a multicast: either costs one access.
template <int ThreadsOnWord>
__global__ void bank_same_word(word const* in, word* out, matrix_extents size, tile_grid grid) {
  __shared__ word words[32][32 / ThreadsOnWord];
  auto const at = in_row_order(grid, blockIdx.x);
  index const i = at.down * blockDim.y + threadIdx.y;
  index const j = at.across * blockDim.x + threadIdx.x;
  bool const is_inside = i < size.rows && j < size.cols;
  word const own = is_inside ? in[i * size.cols + j] : 0;
  if (threadIdx.x % ThreadsOnWord == 0) words[threadIdx.y][threadIdx.x / ThreadsOnWord] = own;
  __syncthreads();
  word const volatile* const group_word = &words[threadIdx.y][threadIdx.x / ThreadsOnWord];
  word const once = *group_word;
  if (is_inside) out[i * size.cols + j] = own ^ once ^ *group_word;
}

}  // namespace xpose::bench::ladder
