// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What gemm on cuda decides before a kernel runs, on any machine: how tiles of C are numbered.

#include <xpose/backends/cuda/gemm/config/config.hpp>

#include <doctest/doctest.h>

#include <vector>

TEST_SUITE_BEGIN("gemm.tile_order");

namespace {

using namespace xpose::detail;
using xpose::index;

constexpr gemm_kernel_kind kinds[] = {gemm_kernel_kind::simt,
                                      gemm_kernel_kind::gemv,
                                      gemm_kernel_kind::dmma,
                                      gemm_kernel_kind::mma_sync,
                                      gemm_kernel_kind::mma_sync_unaligned,
                                      gemm_kernel_kind::wgmma,
                                      gemm_kernel_kind::wgmma_bf16x3};

raster_tile tile_of(gemm_kernel_kind kind, unsigned tile, unsigned row_tiles, unsigned col_tiles) {
  return rasterized_tile(tile, row_tiles, col_tiles, raster_group_rows(kind, row_tiles));
}

TEST_CASE("each tile of C has one number") {
  for (gemm_kernel_kind const kind : kinds)
    for (unsigned const row_tiles : {1u, 2u, 7u, 8u, 9u, 16u, 17u, 31u, 40u})
      for (unsigned const col_tiles : {1u, 2u, 5u, 33u}) {
        CAPTURE(row_tiles);
        CAPTURE(col_tiles);
        std::vector<int> times(row_tiles * col_tiles);
        for (unsigned tile = 0; tile < row_tiles * col_tiles; ++tile) {
          raster_tile const at = tile_of(kind, tile, row_tiles, col_tiles);
          REQUIRE(at.row < row_tiles);
          REQUIRE(at.col < col_tiles);
          ++times[at.row * col_tiles + at.col];
        }
        CHECK(times == std::vector<int>(times.size(), 1));
      }
}

TEST_CASE("tiles of a C of up to 2^31 - 1 columns of tiles are numbered column by column") {
  constexpr unsigned most = max_tiles;
  struct extents {
    unsigned rows, cols;
  };
  for (extents const e : {extents{1, (1u << 29) - 1}, extents{1, 1u << 29}, extents{1, most},
                          extents{2, 1u << 29}, extents{3, 1u << 29}, extents{3, most / 3},
                          extents{7, most / 7}, extents{8, most / 8}, extents{9, most / 9}})
    for (unsigned const col : {0u, 1u, e.cols / 3, e.cols / 2, e.cols - 2, e.cols - 1})
      for (unsigned row = 0; row < e.rows; ++row) {
        CAPTURE(e.rows);
        CAPTURE(e.cols);
        CAPTURE(row);
        CAPTURE(col);
        // Of nine rows of tiles the last is a group of its own.
        unsigned const in_group = e.rows < 8 ? e.rows : 8;
        unsigned const tile = row < in_group ? col * in_group + row : in_group * e.cols + col;
        raster_tile const at = tile_of(gemm_kernel_kind::simt, tile, e.rows, e.cols);
        CHECK(at.row == row);
        CHECK(at.col == col);
      }
}

}  // namespace

TEST_SUITE_END();
