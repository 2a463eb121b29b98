// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The list of layouts of a matrix that the cases go through.
#pragma once

#include "processes.hpp"

#include <vector>

/// 1 x P, P x 1, and 2 x 2, 2 x 3 and a grid that leaves processes out, as far as there are
/// processes.
inline std::vector<xp::process_grid> grids() {
  int const processes = context().size();
  std::vector<xp::process_grid> grids{{1, processes}, {processes, 1}};
  if (processes >= 4) grids.push_back({2, 2, xp::col_major});
  if (processes >= 6) grids.push_back({2, 3, xp::row_major});
  if (processes >= 2) grids.push_back({processes - 1, 1, xp::col_major});
  return grids;
}

/// Slabs, and block-cyclic layouts with blocks of one element, of uneven ones, and of ones larger
/// than the matrix, beginning on the first or the last process.
inline std::vector<xp::dist_layout> layouts_of(xp::index rows, xp::index cols) {
  int const processes = context().size();
  std::vector<xp::dist_layout> layouts{xp::dist_layout::row_slabs(rows, cols, processes),
                                       xp::dist_layout::col_slabs(rows, cols, processes)};
  struct extents {
    xp::index rows, cols;
  };
  constexpr extents blocks[] = {{1, 1}, {4, 3}, {8, 8}, {64, 2}};
  std::size_t number = 0;
  for (xp::process_grid const& grid : grids()) {
    extents const block = blocks[number++ % 4];
    layouts.push_back({rows, cols, block.rows, block.cols, grid, grid.rows - 1, 0});
  }
  return layouts;
}

/// Empty, one element, around a block of 8, primes, long and thin.
struct global_extents {
  xp::index rows, cols;
};
inline constexpr global_extents all_extents[] = {
    {0, 5}, {5, 0}, {1, 1}, {7, 9}, {8, 8}, {9, 7}, {13, 17}, {31, 2}, {1, 97}, {211, 3}, {48, 64}};
