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
enum class gemm_arithmetic {
  fma,
  vector,
  f64_units,
  c128_units,
  short_units,
  warpgroups,
  split_warpgroups
};

struct gemm_row {
  char const* name;  // as explain() shows it
  gemm_arithmetic arithmetic;
  int rows;  // of C that a block computes
  int cols;
  int depth;           // of A and B that a stage holds
  int rows_in_thread;  // sums of a thread; of a warp, or a warpgroup, where matrix units multiply
  int cols_in_thread;
  int lanes_down;  // of the 32 of a warp; the others lie along a row of C
  int slices;      // groups of warps which share a tile, each with its part of every stage's depth
  int stages;      // in shared memory
  bool is_async;   // copies elements, or chunks of 16 bytes, as they are; else through registers
  int blocks;      // that registers and shared memory leave room for on a multiprocessor
  int capability;
  float rate;       // multiply-adds a clock and multiprocessor that whole tiles reach
  int latency;      // clocks of a stage when a multiprocessor has a single block
  int cluster = 1;  // blocks below each other that share what they read of B
};

XPOSE_HOST_DEVICE constexpr int least_of(int a, int b) {
  return a < b ? a : b;
}

/// Threads that have sums of their own.
constexpr int threads_of_tile(gemm_row const& row) {
  int const parts = row.rows / row.rows_in_thread * (row.cols / row.cols_in_thread);
  switch (row.arithmetic) {
    case gemm_arithmetic::fma:
    case gemm_arithmetic::vector:
      return parts;
    case gemm_arithmetic::warpgroups:
    case gemm_arithmetic::split_warpgroups:
      return parts * 128;
    default:
      return parts * 32;
  }
}
constexpr int threads_of(gemm_row const& row) {
  return threads_of_tile(row) * row.slices;
}

/// An f32 as three parts of two bytes.
inline constexpr int parts_of_f32 = 3;
inline constexpr int bytes_of_parts = 2 * parts_of_f32;

/// Rows and columns of tiles in a matrix of so many rows and columns; clusters are whole.
constexpr index row_tiles_of(gemm_row const& row, index rows) {
  index const of_cluster = index{row.rows} * row.cluster;
  return (rows + of_cluster - 1) / of_cluster * row.cluster;
}
constexpr index col_tiles_of(gemm_row const& row, index cols) {
  return (cols + row.cols - 1) / row.cols;
}

/// Tiles of C that a kernel can number, and blocks of a launch.
inline constexpr index most_tiles = 2147483647;

/// Rows of tiles that are numbered column by column, so that blocks that run together share their
/// operands in the second-level cache. Sixteen of warpgroups were 1 to 2 % faster than eight from
/// 4096 on (float16, H100, 2026-11-21). Times the columns of tiles they must fit 32 bits:
/// warpgroups have few enough, since tensor maps end at 2^31 columns; others can have 2^29 and more
/// in one to three rows, which are a group of their own.
XPOSE_HOST_DEVICE constexpr unsigned rows_of_group(gemm_arithmetic arithmetic, unsigned row_tiles) {
  if (arithmetic == gemm_arithmetic::warpgroups) return 16;
  if (arithmetic == gemm_arithmetic::split_warpgroups) return 8;
  return row_tiles < 8 ? row_tiles : 8;
}

/// Which of C's tiles has a number, of most_tiles at most.
struct tile_number {
  unsigned row;
  unsigned col;
};
XPOSE_HOST_DEVICE constexpr tile_number tile_in_groups(unsigned tile, unsigned row_tiles,
                                                       unsigned col_tiles, unsigned rows_in_group) {
  unsigned const of_group = rows_in_group * col_tiles;
  unsigned const group = tile / of_group;
  unsigned const in_group = tile - group * of_group;
  unsigned const left = row_tiles - group * rows_in_group;
  unsigned const rows = left < rows_in_group ? left : rows_in_group;
  unsigned const col = in_group / rows;
  return {group * rows_in_group + in_group - col * rows, col};
}

/// Shared memory of a block's stages, in the layout of tiles that takes most.
constexpr index shared_bytes_of(gemm_row const& row, index bytes_of_input, index bytes_of_sum) {
  if (row.arithmetic == gemm_arithmetic::short_units ||
      row.arithmetic == gemm_arithmetic::warpgroups)
    return index{row.rows + row.cols} * row.depth * row.stages * bytes_of_input;
  if (row.arithmetic == gemm_arithmetic::split_warpgroups)
    return index{row.rows + row.cols} * row.depth * row.stages * bytes_of_parts;
  index const of_across = index{row.depth} * (row.rows + row.cols + 8);
  index const of_depth = index{row.rows + row.cols} * (row.depth + 4);
  index const most =
      row.arithmetic == gemm_arithmetic::fma || of_across > of_depth ? of_across : of_depth;
  return most * row.stages * bytes_of_sum;
}

/// Operands that are copied before a row can run.
struct operand_copies {
  index bytes;  // of A and B; less than 0: the row cannot run
  bool turns;   // or gathers; else contiguous lines are copied as they lie, by one launch
};

/// What the choice depends on.
struct gemm_shape {
  index batch;
  index rows;
  index cols;
  index depth;
  int bytes_of_a;  // an element
  int bytes_of_b;
  int bytes_of_c;
  int bytes_of_sum;
  bool is_aligned;        // elements of A and B to their size, as asynchronous rows need them
  operand_copies copied;  // for rows of short units
  operand_copies copied_for_maps;  // for rows of warpgroups
};

struct gemm_board {
  int multiprocessors;
  int capability;
  int shared_bytes;  // that a block may have
};

struct gemm_choice {
  int row;               // less than 0: none of the table can run
  index splits;          // parts of the depth, whose sums are added in order afterwards
  index depth_of_split;  // a multiple of the row's depth
  double clocks = -1;    // expected; less than 0 without a row
};

/// The row, and the number of splits, which the model of gemm/cost_model.cpp expects to end first, of
/// those that the device has the capability and shared memory for, and whose tiles can be numbered.
XPOSE_EXPORT gemm_choice choose_gemm_row(gemm_row const* rows, int count, gemm_shape const& shape,
                                         gemm_board const& board);

/// Whether copies of doubles to where pairs of them are aligned end before what is lost by reading
/// them one by one.
XPOSE_EXPORT bool pays_to_align(operand_copies const& copies, gemm_choice const& choice);

/// Throws backend_error: C of so many rows and columns has no row.
[[noreturn]] XPOSE_EXPORT void refuse_gemm(index rows, index cols);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
