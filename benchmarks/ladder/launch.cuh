// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Where a block of the ladder works, and the one door to the device.
#pragma once

#include "../case.hpp"
#include "../cuda/check.hpp"
#include "ladder.hpp"

namespace xpose::bench::ladder {

using word = std::uint32_t;

struct matrix_extents {
  index rows;
  index cols;
};

/// Tiles of tile_rows x tile_cols that cover a matrix. They are numbered along grid.x alone: y and
/// z stop at 65535.
struct tile_grid {
  index tiles_down;
  index tiles_across;

  __host__ __device__ tile_grid(matrix_extents size, index tile_rows, index tile_cols)
      : tiles_down((size.rows + tile_rows - 1) / tile_rows),
        tiles_across((size.cols + tile_cols - 1) / tile_cols) {}

  __host__ __device__ index count() const { return tiles_down * tiles_across; }
};

struct tile_position {
  index down;
  index across;
};

/// Row by row.
__host__ __device__ inline tile_position in_row_order(tile_grid grid, index block) {
  return {block / grid.tiles_across, block % grid.tiles_across};
}

/// Along diagonals: neighbouring blocks are in different rows and different columns of tiles. Each
/// tile has one block for any grid: for a fixed row, the column runs through all of them.
__host__ __device__ inline tile_position in_diagonal_order(tile_grid grid, index block) {
  index const down = block % grid.tiles_down;
  return {down, (block / grid.tiles_down + down) % grid.tiles_across};
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), index blocks, dim3 threads, std::size_t shared_bytes,
            void* stream, Arguments... arguments) {
  if (blocks == 0) return;
  kernel<<<static_cast<unsigned>(blocks), threads, shared_bytes,
           static_cast<cudaStream_t>(stream)>>>(arguments...);
  check(cudaGetLastError(), "launch of a ladder kernel");
}

template <class Kernel>
occupancy occupancy_of(Kernel kernel, dim3 threads, std::size_t dynamic_shared_bytes) {
  cudaFuncAttributes attributes{};
  auto const* const symbol = reinterpret_cast<void const*>(kernel);
  check(cudaFuncGetAttributes(&attributes, symbol), "cudaFuncGetAttributes");
  occupancy o;
  o.threads_in_block = static_cast<int>(threads.x * threads.y);
  o.registers = attributes.numRegs;
  o.shared_bytes = static_cast<int>(attributes.sharedSizeBytes + dynamic_shared_bytes);
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&o.blocks_on_multiprocessor, symbol,
                                                      o.threads_in_block, dynamic_shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return o;
}

}  // namespace xpose::bench::ladder
