// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a row of a table of gemm tiles says, and what of a problem decides between rows. Plain data:
// gemm/cost_model.cpp chooses, gemm/config/table.hpp has the rows.
#pragma once

#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// What multiplies: see the file of the kernel.
enum class gemm_kernel_kind { simt, vector, dmma, complex_dmma, mma_sync, wgmma, wgmma_bf16x3 };

struct gemm_config {
  char const* name;  // as explain() shows it
  gemm_kernel_kind kind;
  int rows;  // of C that a block computes
  int cols;
  int k_extent;    // of A and B that a stage holds
  int inner_rows;  // sums of a thread; of a warp, or a warpgroup, where matrix units multiply
  int inner_cols;
  int lane_rows;  // of the 32 of a warp; the others lie along a row of C
  int k_slices;   // groups of warps which share a tile, each with its part of every stage's depth
  int stages;     // in shared memory
  bool is_async;  // copies elements, or chunks of 16 bytes, as they are; else through registers
  int blocks;     // that registers and shared memory leave room for on a multiprocessor
  int capability;
  float rate;       // multiply-adds a clock and multiprocessor that whole tiles reach
  int latency;      // clocks of a stage when a multiprocessor has a single block
  int cluster = 1;  // blocks below each other that share what they read of B
};

XPOSE_HOST_DEVICE constexpr int least_of(int a, int b) {
  return a < b ? a : b;
}

/// Threads that have sums of their own.
constexpr int threads_of_k_slice(gemm_config const& row) {
  int const parts = row.rows / row.inner_rows * (row.cols / row.inner_cols);
  switch (row.kind) {
    case gemm_kernel_kind::simt:
    case gemm_kernel_kind::vector:
      return parts;
    case gemm_kernel_kind::wgmma:
    case gemm_kernel_kind::wgmma_bf16x3:
      return parts * 128;
    default:
      return parts * 32;
  }
}
constexpr int threads_of(gemm_config const& row) {
  return threads_of_k_slice(row) * row.k_slices;
}

/// An f32 as three parts of two bytes.
inline constexpr int parts_of_f32 = 3;
inline constexpr int bytes_of_parts = 2 * parts_of_f32;

/// Rows and columns of tiles in a matrix of so many rows and columns; clusters are whole.
constexpr index row_tiles_of(gemm_config const& row, index rows) {
  index const of_cluster = index{row.rows} * row.cluster;
  return (rows + of_cluster - 1) / of_cluster * row.cluster;
}
constexpr index col_tiles_of(gemm_config const& row, index cols) {
  return (cols + row.cols - 1) / row.cols;
}

/// Tiles of C that a kernel can number, and blocks of a launch.
inline constexpr index max_tiles = 2147483647;

/// Rows of tiles that are numbered column by column, so that blocks that run together share their
/// operands in the second-level cache. Sixteen of warpgroups were 1 to 2 % faster than eight from
/// 4096 on (float16, H100, 2026-11-21). Times the columns of tiles they must fit 32 bits:
/// warpgroups have few enough, since tensor maps end at 2^31 columns; others can have 2^29 and more
/// in one to three rows, which are a group of their own.
XPOSE_HOST_DEVICE constexpr unsigned raster_group_rows(gemm_kernel_kind kind, unsigned row_tiles) {
  if (kind == gemm_kernel_kind::wgmma) return 16;
  if (kind == gemm_kernel_kind::wgmma_bf16x3) return 8;
  return row_tiles < 8 ? row_tiles : 8;
}

/// Which of C's tiles has a number, of max_tiles at most.
struct raster_tile {
  unsigned row;
  unsigned col;
};
XPOSE_HOST_DEVICE constexpr raster_tile rasterized_tile(unsigned tile, unsigned row_tiles,
                                                        unsigned col_tiles,
                                                        unsigned rows_in_group) {
  unsigned const of_group = rows_in_group * col_tiles;
  unsigned const group = tile / of_group;
  unsigned const in_group = tile - group * of_group;
  unsigned const left = row_tiles - group * rows_in_group;
  unsigned const rows = left < rows_in_group ? left : rows_in_group;
  unsigned const col = in_group / rows;
  return {group * rows_in_group + in_group - col * rows, col};
}

/// Shared memory of a block's stages, in the layout of tiles that takes most.
constexpr index shared_bytes_of(gemm_config const& row, index bytes_of_input,
                                index bytes_of_accumulator) {
  if (row.kind == gemm_kernel_kind::mma_sync || row.kind == gemm_kernel_kind::wgmma)
    return index{row.rows + row.cols} * row.k_extent * row.stages * bytes_of_input;
  if (row.kind == gemm_kernel_kind::wgmma_bf16x3)
    return index{row.rows + row.cols} * row.k_extent * row.stages * bytes_of_parts;
  index const of_across = index{row.k_extent} * (row.rows + row.cols + 8);
  index const of_depth = index{row.rows + row.cols} * (row.k_extent + 4);
  index const most =
      row.kind == gemm_kernel_kind::simt || of_across > of_depth ? of_across : of_depth;
  return most * row.stages * bytes_of_accumulator;
}

/// Operands that are copied before a row can run.
struct operand_copies {
  index bytes;      // of A and B; less than 0: the row cannot run
  bool transposes;  // or gathers; else contiguous lines are copied as they lie, by one launch
};

/// What the choice depends on.
struct gemm_extents {
  index batch;
  index rows;
  index cols;
  index k_extent;
  int bytes_of_a;  // an element
  int bytes_of_b;
  int bytes_of_c;
  int bytes_of_accumulator;
  bool is_aligned;        // elements of A and B to their size, as asynchronous rows need them
  operand_copies copied;  // for rows of short units
  operand_copies copied_for_tma;  // for rows of warpgroups
};

struct gemm_gpu {
  int multiprocessors;
  int capability;
  int shared_bytes;  // that a block may have
};

struct gemm_choice {
  int row;             // less than 0: none of the table can run
  index split_k;       // parts of the depth, whose sums are added in order afterwards
  index k_per_split;   // a multiple of the row's depth
  double cycles = -1;  // expected; less than 0 without a row
};

/// The row, and the number of splits, which the model of gemm/cost_model.cpp expects to end first,
/// of those that the device has the capability and shared memory for, and whose tiles can be
/// numbered.
XPOSE_EXPORT gemm_choice choose_gemm_config(gemm_config const* rows, int count,
                                            gemm_extents const& shape, gemm_gpu const& gpu);

/// Whether copies of doubles to where pairs of them are aligned end before what is lost by reading
/// them one by one.
XPOSE_EXPORT bool pays_to_align(operand_copies const& copies, gemm_choice const& choice);

/// Throws backend_error: C of so many rows and columns has no row.
[[noreturn]] XPOSE_EXPORT void refuse_gemm(index rows, index cols);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
