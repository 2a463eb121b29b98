// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Which tile of a matrix a block works on, and which elements a thread takes that has several.
// Plain arithmetic on both sides: the tests count on the host that nothing is missed or done twice.
#pragma once

#include "core/case.hpp"

#include <xpose/config.hpp>

namespace xpose::bench::ladder {

struct matrix_extents {
  index rows;
  index cols;
};

/// Tiles of tile_rows x tile_cols that cover a matrix. They are numbered along grid.x alone: y and
/// z stop at 65535. The host counts them, so that no thread divides by the block's size.
struct tile_grid {
  index tiles_down;
  index tiles_across;

  XPOSE_HOST_DEVICE constexpr tile_grid(matrix_extents size, index tile_rows, index tile_cols)
      : tiles_down((size.rows + tile_rows - 1) / tile_rows),
        tiles_across((size.cols + tile_cols - 1) / tile_cols) {}

  XPOSE_HOST_DEVICE constexpr index count() const { return tiles_down * tiles_across; }
};

struct tile_position {
  index down;
  index across;
};

/// Of a grid that has at most 2^31 - 1 tiles, so that 32 bits do: a 64-bit division costs a thread
/// more instructions than the element it moves.
XPOSE_HOST_DEVICE constexpr tile_position in_row_order(tile_grid grid, std::uint32_t block) {
  auto const across = static_cast<std::uint32_t>(grid.tiles_across);
  return {block / across, block % across};
}

/// Along diagonals: neighbouring blocks are in different rows and different columns of tiles. Each
/// tile has one block for any grid: for a fixed row, the column runs through all of them.
XPOSE_HOST_DEVICE constexpr tile_position in_diagonal_order(tile_grid grid, std::uint32_t block) {
  auto const rows_of_tiles = static_cast<std::uint32_t>(grid.tiles_down);
  std::uint32_t const down = block % rows_of_tiles;
  return {down, (block / rows_of_tiles + down) % static_cast<std::uint32_t>(grid.tiles_across)};
}

constexpr int elements_in_thread = 4;

/// Element e of a thread with several, in tile number `tile` along that side: a block's width
/// apart, so that neighbouring threads touch neighbouring elements each time.
XPOSE_HOST_DEVICE constexpr index in_block_widths(index tile, int e, index block_width,
                                                  index thread) {
  return (tile * elements_in_thread + e) * block_width + thread;
}

}  // namespace xpose::bench::ladder
