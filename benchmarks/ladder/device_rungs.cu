// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The device's rungs by name: kernel, block, and what a block covers.

#include "ladder/kernels/bank_access.cuh"
#include "ladder/kernels/copy_rows_cols.cuh"
#include "ladder/kernels/diagonal.cuh"
#include "ladder/kernels/gemm_tiles.cuh"
#include "ladder/kernels/naive.cuh"
#include "ladder/kernels/shared_tile.cuh"
#include "ladder/kernels/unroll4.cuh"

namespace xpose::bench::ladder {
namespace {

using move_kernel = void (*)(word const*, word*, matrix_extents, tile_grid);
using multiply_kernel = void (*)(float const*, float const*, float*, index, index, index,
                                 tile_grid);

/// A block of that many threads covers tile_rows x tile_cols elements of in.
rung move_rung(std::string name, std::string idea, rung_work work, move_kernel kernel, dim3 block,
               index tile_rows, index tile_cols, std::size_t dynamic_shared_bytes = 0) {
  auto const move = [=](void const* in, void* out, index rows, index cols, void* stream) {
    matrix_extents const size{rows, cols};
    tile_grid const grid(size, tile_rows, tile_cols);
    launch(kernel, grid.count(), block, dynamic_shared_bytes, stream, static_cast<word const*>(in),
           static_cast<word*>(out), size, grid);
  };
  return {std::move(name), std::move(idea), work, move, nullptr, [=] {
            return occupancy_of(kernel, block, dynamic_shared_bytes);
          }};
}

rung gemm_rung(std::string name, std::string idea, multiply_kernel kernel, unsigned side) {
  dim3 const block(side, side);
  auto const multiply = [=](void const* a, void const* b, void* c, index m, index n, index k,
                            void* stream) {
    tile_grid const grid({m, n}, side, side);
    launch(kernel, grid.count(), block, 0, stream, static_cast<float const*>(a),
           static_cast<float const*>(b), static_cast<float*>(c), m, n, k, grid);
  };
  return {std::move(name), std::move(idea), rung_work::gemm,
          nullptr,         multiply,        [=] { return occupancy_of(kernel, block, 0); }};
}

std::vector<rung> make_move_rungs() {
  constexpr auto copies = rung_work::copy;
  constexpr auto transposes = rung_work::transpose;
  dim3 const square(32, 32);
  dim3 const flat(32, 8);
  return {
      move_rung("copy_row", "coalesced load and store: the upper bound of the study", copies,
                copy_row, square, 32, 32),
      move_rung("copy_col", "strided load and store: its lower bound", copies, copy_col, square, 32,
                32),
      move_rung("naive_row", "reads rows, writes columns", transposes, naive_row, square, 32, 32),
      move_rung("naive_col", "reads columns through the first-level cache, writes rows", transposes,
                naive_col, square, 32, 32),
      move_rung("unroll4_row", "naive_row with four elements a thread", transposes, unroll4_row,
                square, 32, 128),
      move_rung("unroll4_col", "naive_col with four elements a thread", transposes, unroll4_col,
                square, 128, 32),
      move_rung("diagonal_row", "naive_row with blocks in diagonal order", transposes, diagonal_row,
                square, 32, 32),
      move_rung("diagonal_col", "naive_col with blocks in diagonal order", transposes, diagonal_col,
                square, 32, 32),
      move_rung("copy_row_32x8", "copy_row with blocks of 32x8", copies, copy_row, flat, 8, 32),
      move_rung("naive_row_32x8", "naive_row with blocks of 32x8", transposes, naive_row, flat, 8,
                32),
      move_rung("shared_copy", "a copy through a 32x32 tile of shared memory", copies,
                copy_shared<8>, flat, 32, 32),
      move_rung("coalesced", "both sides coalesced through a 32x32 tile; columns of it conflict",
                transposes, transpose_shared<0, 8>, flat, 32, 32),
      move_rung("conflict_free", "the tile padded to 32x33: no bank conflict", transposes,
                transpose_shared<1, 8>, flat, 32, 32),
      move_rung("store_conflicts", "the 32x32 tile filled by columns: its stores conflict",
                transposes, transpose_filled_by_columns<0, 32>, square, 32, 32),
      move_rung("store_padded", "the same tile padded to 32x33: no bank conflict", transposes,
                transpose_filled_by_columns<1, 32>, square, 32, 32),
      move_rung("bounds_checked_tile", "32x32 threads, bounds checked on load and store",
                transposes, transpose_shared<0, 32>, square, 32, 32),
      move_rung("bank_row", "the tile by rows: one access a warp", copies,
                bank_static<bank_order::row, 0>, square, 32, 32),
      move_rung("bank_column", "the tile by columns: 32 accesses a warp", copies,
                bank_static<bank_order::column, 0>, square, 32, 32),
      move_rung("bank_padded", "columns of the padded tile: one access a warp", copies,
                bank_static<bank_order::column, 1>, square, 32, 32),
      move_rung("bank_row_dynamic", "bank_row in dynamic shared memory", copies,
                bank_dynamic<bank_order::row, 0>, square, 32, 32, 32 * 32 * sizeof(word)),
      move_rung("bank_column_dynamic", "bank_column in dynamic shared memory", copies,
                bank_dynamic<bank_order::column, 0>, square, 32, 32, 32 * 32 * sizeof(word)),
      move_rung("bank_padded_dynamic", "bank_padded in dynamic shared memory", copies,
                bank_dynamic<bank_order::column, 1>, square, 32, 32, 32 * 33 * sizeof(word)),
      move_rung("bank_broadcast", "a warp reads one word: a broadcast is one access", copies,
                bank_same_word<32>, square, 32, 32),
      move_rung("bank_multicast", "each 4 threads read one word: a multicast is one access", copies,
                bank_same_word<4>, square, 32, 32),
  };
}

std::vector<rung> make_gemm_rungs() {
  return {
      gemm_rung("gemm_naive", "one element a thread, operands from device memory", gemm_naive, 16),
      gemm_rung("gemm_tiled_8", "8x8 tiles in shared memory: 8 uses of each element loaded",
                gemm_tiled<8>, 8),
      gemm_rung("gemm_tiled_16", "16x16 tiles in shared memory: 16 uses", gemm_tiled<16>, 16),
      gemm_rung("gemm_tiled_32", "32x32 tiles in shared memory: 32 uses", gemm_tiled<32>, 32),
  };
}

/// The first study's sweep of block sizes: x runs down the columns of in.
std::vector<rung> make_block_size_rungs() {
  std::vector<rung> rungs;
  for (auto const& block :
       {dim3(32, 32), dim3(32, 16), dim3(32, 8), dim3(64, 16), dim3(64, 8), dim3(128, 8)}) {
    std::string const text = std::to_string(block.x) + "x" + std::to_string(block.y);
    rungs.push_back(move_rung("naive_col_" + text, "naive_col with blocks of " + text,
                              rung_work::transpose, naive_col, block, block.x, block.y));
  }
  return rungs;
}

std::vector<rung> make_rungs() {
  std::vector<rung> rungs;
  for (auto const& some : {make_move_rungs(), make_gemm_rungs(), make_block_size_rungs()})
    rungs.insert(rungs.end(), some.begin(), some.end());
  return rungs;
}

}  // namespace

std::vector<rung> const& device_rungs() {
  static std::vector<rung> const rungs = make_rungs();
  return rungs;
}

}  // namespace xpose::bench::ladder
