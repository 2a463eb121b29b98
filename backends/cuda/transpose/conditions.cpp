// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The conditions of the table of configs (kernel_table.cuh): which copies a kernel is for, and the
// measurements that say so.

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/cuda/memory/access_bytes.hpp>
#include <xpose/backends/cuda/transpose/select.hpp>
#include <xpose/backends/cuda/transpose/skinny.hpp>
#include <xpose/backends/cuda/transpose/tensor_tile.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

// An element of so many bytes fills sectors by itself, in whatever order elements are taken. A run
// of so many is worth a division of its own where runs are in the same order on both sides.
constexpr index min_long_element_bytes = 32;
constexpr index min_long_run_bytes = 64;
// Matrices of fewer elements leave most of a tile's block idle, more so if they are narrow.
constexpr index min_tile_elements = 1024;
constexpr index min_narrow_tile_elements = 2048;
constexpr index narrow_side = 16;
// A block a matrix: fewer leave multiprocessors idle. Of bytes, tiles for any address take more
// than twice the instructions: 100 of 201x203 bytes have 0.44 of a copy by tiles, 0.57 by whole
// blocks, 40 of these 0.61, 0.56; 1000 of 150x150 0.39, 0.74; 300 of 255x254 0.54, 0.61 (H200,
// 2026-11-28).
constexpr index min_whole_matrices = 256;
constexpr index min_whole_matrices_of_bytes = 64;
// All resident at once, they load together and store together: 320 of 318x96 of 2 bytes have 0.47
// of a copy (H100).
constexpr index min_whole_matrices_that_fill_tiles = 1024;
// Runs of a vec16 and more: it then holds parts of two at most. Long ones have few ends.
constexpr index max_packed_run_bytes = 512;
// Numbers of rows and columns have 31 bits.
constexpr index max_merged = index{1} << 30;

index element_bytes(bit_copy const& c) { return c.words_in_run * c.word_bytes; }

/// Sides up to which the kernels for skinny matrices beat tiles that are filled exactly. Elements
/// of several words: tiles of narrow words are at least 64 wide (3 bytes, 4194304x32: tiles 0.34 of
/// a copy, 31 columns as skinny ones 0.91; H100, 2026-11-21), those of wide ones 32. Words of 16
/// bytes: 12x1000001 as skinny rows 0.97 of a copy, by tile_strided 0.94, but 12x86684 0.88, 0.94;
/// 16x600000 0.91, 0.98 (H200), 0.95, 0.98 (H100, 2026-11-28).
index max_skinny_side(bit_copy const& c) {
  if (c.words_in_run > 1) return c.word_bytes <= 2 ? 33 : 31;
  return c.word_bytes <= 2 ? 33 : c.word_bytes == 4 ? 24 : c.word_bytes == 8 ? 17 : 11;
}

/// One-word elements: also sides that fill less than tiles of 64.
bool is_skinny(bit_copy const& c, index side) {
  if (c.words_in_run > 1 && element_bytes(c) >= min_long_element_bytes) return false;
  if (side <= max_skinny_side(c)) return true;
  bool const fills_tiles = c.is_aligned && side % 16 == 0;
  return c.words_in_run == 1 && c.word_bytes < 16 && side < 64 && !fills_tiles;
}

/// A block for one matrix leaves all other multiprocessors idle, and yet takes less time than the
/// two launches of a matrix in place.
constexpr index max_bytes_of_lone_block = 32 << 10;

bool is_packed_batch_of(bit_copy const& c, index max_matrix_bytes) {
  bool const is_lone_block =
      c.is_in_place && c.word_count * c.word_bytes <= max_bytes_of_lone_block;
  return c.is_transposed && (c.is_batch || is_lone_block) && !c.has_gaps &&
         (c.words_in_run == 1 || element_bytes(c) < min_long_element_bytes) &&
         c.rows * c.cols * element_bytes(c) <= max_matrix_bytes;
}

/// The same of equal tiles of up to so many, each of whole vec16s.
double filled_equally(index extent, int most, int vec16) {
  return static_cast<double>(extent) /
         static_cast<double>(ceil_div(extent, index{most}) *
                             vec16s_of_equal_tile(extent, most, vec16) * vec16);
}

/// Whether most of the aligned tiles of one-word elements would be inside the matrix.
bool fills_square_tiles(bit_copy const& c) {
  constexpr index side = 64;
  constexpr double min_filled = 0.8;
  auto const in_tiles = [](index extent) { return ceil_div(extent, side) * side; };
  return c.is_aligned && c.words_in_run == 1 &&
         static_cast<double>(c.rows * c.cols) >=
             min_filled * static_cast<double>(in_tiles(c.rows) * in_tiles(c.cols));
}

}  // namespace

namespace transpose_table {

bool is_long_run(bit_copy const& c, transpose_config const&) {
  return c.rows == 0 && (element_bytes(c) >= min_long_run_bytes || c.words_in_run == c.word_count);
}

bool is_in_order(bit_copy const& c, transpose_config const&) { return c.rows == 0; }

bool is_packed_runs(bit_copy const& c, transpose_config const&) {
  bool const is_for_runs = c.rows == 0 || element_bytes(c) >= min_long_element_bytes;
  index step = element_bytes(c);
  if (!is_for_runs || step < vec16_bytes || step > max_packed_run_bytes) return false;
  for (int d = 1; d < c.plan.count; ++d) {
    if (c.plan.dimensions[d].out_stride != step) return false;
    step *= c.plan.dimensions[d].extent;
  }
  return c.words_in_run < c.word_count;
}

bool is_small_batch(bit_copy const& c, transpose_config const& config) {
  return is_packed_batch_of(c, config.kernel.smem_bytes - vec16_bytes);
}

/// Bytes of which whole matrices fill small blocks badly. Shares of a copy in these and in blocks
/// of 32 KB: 10000 of 100x50 0.80, 0.95; 3441 of 43x96 0.71, 0.90; 49116 of 106x13 0.83, 0.89; 7880
/// of 1681x4 0.89, 0.93; but 30000 of 41x33 0.94, 0.90, and where there are few, 1398 of 3x2304
/// 0.80, 0.62 (H100, 2026-11-28).
bool is_batch_for_larger_blocks(bit_copy const& c, transpose_config const& config) {
  constexpr double max_filled = 0.85;
  index const matrix = c.rows * c.cols, small = small_batched_smem_bytes - vec16_bytes;
  return !c.is_in_place && matrix <= small && is_small_batch(c, config) &&
         static_cast<double>(small / matrix * matrix) < max_filled * static_cast<double>(small);
}

bool is_small_batch_of_vec4s(bit_copy const& c, transpose_config const& config) {
  return c.is_vec16_aligned && c.rows % 4 == 0 && c.cols % 4 == 0 &&
         is_packed_batch_of(c, config.kernel.smem_bytes);
}

/// Whether tiles, or the kernels for skinny matrices, leave little idle of a block. Shares of a
/// copy so and in whole blocks: 6073 of 1344x32 bytes 0.93, 0.16; 342 of 4x2304 f32 0.91, 0.74; but
/// 6073 of 672x16 of 2 bytes 0.85, 0.93 (H100, 2026-11-25). A multiprocessor holds two blocks that
/// take more than 32 KB: 454 of 10x1920 of 3 bytes 0.92, 0.68; f64 985 of 1681x4 0.98, 0.85; 2123
/// of 256x16 0.99, 0.94; 480 of 76x80 0.98, 0.91; 16 bytes 2000 of 40x100 0.99, 0.97 (H200: 0.98,
/// 0.89); f32 800 of 120x118 1.00, 0.94, 1000 of 100x100 0.96, 0.89 (H200, 2026-11-28).
static bool suits_parts(bit_copy const& c) {
  constexpr index max_bytes_of_many_blocks = (32 << 10) - vec16_bytes;
  constexpr double min_filled = 0.6;
  index const bytes = c.rows * c.cols * element_bytes(c);
  bool const has_two_blocks = bytes > max_bytes_of_many_blocks, is_single = c.words_in_run == 1;
  if (!has_two_blocks && (!is_single || bytes <= small_batched_smem_bytes)) return false;
  // By tile_strided, by aligned tiles, or by those for any address.
  int const down = c.word_bytes == 16 ? 8 : c.word_bytes == 4 && c.is_aligned ? 64 : 32;
  int const across = c.word_bytes == 4 ? 64 : down;
  bool const fills_tiles_of_wide = has_two_blocks && is_single && c.word_bytes >= 4 &&
                                   filled(c.rows, down) * filled(c.cols, across) > min_filled;
  return fills_square_tiles(c) || fills_tiles_of_wide || is_skinny_rows(c, {}) ||
         ((has_two_blocks || c.word_bytes == 1) && is_skinny_cols(c, {}));
}

/// Whether tiles for any address are filled well by matrices that take a whole block each. Of words
/// of 2 bytes alone: others were not measured.
static bool fills_unaligned_tiles(bit_copy const& c) {
  constexpr double min_filled = 0.7;
  constexpr index min_bytes = 48 << 10;
  return c.word_bytes == 2 && c.words_in_run == 1 && c.rows * c.cols * c.word_bytes >= min_bytes &&
         std::max(filled(c.rows, 64) * filled(c.cols, 64),
                  filled(c.rows, 128) * filled(c.cols, 32)) > min_filled;
}

static bool are_for_whole_blocks(bit_copy const& c, index min_matrices) {
  return c.is_in_place ||
         (!suits_parts(c) && c.word_count >= min_matrices * c.rows * c.cols * c.words_in_run);
}

bool is_batch_for_whole_blocks(bit_copy const& c, transpose_config const& config) {
  bool const has_bytes = c.word_bytes == 1 && c.words_in_run == 1;
  return is_small_batch(c, config) &&
         are_for_whole_blocks(c, has_bytes                  ? min_whole_matrices_of_bytes
                                 : fills_unaligned_tiles(c) ? min_whole_matrices_that_fill_tiles
                                                            : min_whole_matrices);
}

bool is_batch_of_vec4s_for_whole_blocks(bit_copy const& c, transpose_config const& config) {
  return is_small_batch_of_vec4s(c, config) && are_for_whole_blocks(c, min_whole_matrices_of_bytes);
}

bool is_batch_in_place(bit_copy const& c, transpose_config const& config) {
  return c.is_in_place && is_small_batch(c, config);
}

bool is_small_scattered(bit_copy const& c, transpose_config const&) {
  bool const is_narrow = c.rows < narrow_side || c.cols < narrow_side;
  return c.is_batch && element_bytes(c) < min_long_element_bytes &&
         c.rows * c.cols < (is_narrow ? min_narrow_tile_elements : min_tile_elements);
}

/// Rows that fill tiles badly, but are continued in the output by those of the next matrix. Bytes
/// of 143x2x83x22x87 by 34102 are rows of 143x83: 0.25 of a copy by 83, 0.89 by all (H100,
/// 2026-11-25).
bool is_merged_rows(bit_copy const& c, transpose_config const& config) {
  constexpr double max_filled = 0.8;
  constexpr double min_filled_cols = 0.6;
  if (!c.is_transposed || c.is_in_place || c.plan.in_fastest <= 2) return false;
  copy_plan::dimension const& next = c.plan.dimensions[2];
  return next.out_stride == c.rows * element_bytes(c) && next.extent <= max_merged / c.rows &&
         filled(c.rows, config.kernel.rows) < max_filled &&
         filled(c.cols, config.kernel.cols) > min_filled_cols;
}

/// Not if nothing is merged, or the matrices are so small that transpose_small_scattered takes
/// several to a block, or columns do not fill a vec16: bytes of 16x39x8x9x12x3 by 520143 have 0.26
/// of a copy then (H100, 2026-11-26).
static bool can_fill_tiles(merged_sides const& sides, bit_copy const& c) {
  index const rows = sides.rows.extent(), cols = sides.cols.extent();
  bool const is_merged = rows > c.rows || cols > c.cols;
  return is_merged && rows <= max_merged && cols <= max_merged &&
         rows * cols >= min_narrow_tile_elements && cols * c.word_bytes >= vec16_bytes;
}

/// The share of the tiles that both sides merged fill; 0 if they cannot.
static double filled_when_merged(bit_copy const& c, int tile_rows, int tile_cols) {
  merged_sides const sides = merged_sides_of(c, tile_rows, tile_cols);
  if (!can_fill_tiles(sides, c)) return 0;
  return filled(sides.rows.extent(), tile_rows) *
         filled_equally(sides.cols.extent(), tile_cols, vec16_bytes / c.word_bytes);
}

bool is_merged_tile(bit_copy const& c, transpose_config const& config) {
  constexpr double max_share = 0.7;  // of what both sides merged fill
  if (!c.is_batch || !c.is_transposed || c.is_in_place) return false;
  // tile_unaligned's, which would take it.
  int const rows = 128 / c.word_bytes, cols = std::max(64, rows);
  return filled(c.rows, rows) * filled(c.cols, cols) <
         max_share * filled_when_merged(c, config.kernel.rows, config.kernel.cols);
}

/// Dimensions that are in the runs of both sides, so that neither side can be merged to fill tiles,
/// or that are too short for these. Shares of a copy so and by tiles that are merged: 1, 2 and 4
/// bytes of 58x305x12x38x5x9 by 043152 0.61, 0.73, 0.72, not 0.08, 0.10, 0.25; and by
/// transpose_small_scattered: 33x19x5x84x2x5 by 041253 0.53, 0.66, 0.77, not 0.35, 0.50, 0.72. But
/// where these fill tiles: bytes of 33x32x35x51x6x49 by 035124 0.44, not 0.70 (H100, 2026-11-28).
bool is_tensor_tile(bit_copy const& c, transpose_config const& config) {
  constexpr double max_filled = 0.6, min_efficiency = 0.5;
  constexpr int most_dimensions_of_batch = 4;  // of a plan; batches were not measured
  if (c.plan.count <= most_dimensions_of_batch || !c.is_transposed || c.is_in_place) return false;
  int const side = std::max(64, 128 / c.word_bytes);  // of tile_unaligned's
  double const alone = std::max(filled(c.rows, side) * filled(c.cols, side),
                                filled(c.rows, 64) * filled(c.cols, 2 * side));
  // Of the columns whole tiles count here: 24 bytes of 64 are short runs to read.
  int const merged_side = std::max(64, 256 / c.word_bytes);
  merged_sides const sides = merged_sides_of(c, merged_side, 64);
  double const merged = can_fill_tiles(sides, c) ? filled(sides.rows.extent(), merged_side) *
                                                       filled(sides.cols.extent(), 64)
                                                 : 0;
  if (std::max(alone, merged) > max_filled) return false;
  bool const is_skinny_alone = !is_small_scattered(c, config) && alone >= merged &&
                               (is_skinny_cols(c, config) || is_skinny_rows(c, config));
  if (is_skinny_alone) return false;
  tensor_tile const tile = tensor_tile_of(c);
  return tile.shares_dimension && tile.efficiency > min_efficiency;
}

/// Columns that one tile has all of, with fewer rows loaded twice than tiles of 128x128 have: bytes
/// of 2x52x10x42x8x34 by 532014 have 34, and 416 rows: 0.20 of a copy by tiles of 128x128, 0.30 by
/// 256x64 (H100, 2026-11-26).
bool is_merged_narrow_tile(bit_copy const& c, transpose_config const& config) {
  constexpr double min_share = 0.9;
  int const rows = config.kernel.rows, cols = config.kernel.cols;
  return !is_skinny_cols(c, config) && is_merged_tile(c, config) &&
         merged_sides_of(c, rows, cols).cols.extent() <= cols &&
         filled_when_merged(c, rows, cols) > min_share * filled_when_merged(c, 128, 128);
}

static bool is_output_contiguous(bit_copy const& c) {
  return c.out_pitch == c.rows * element_bytes(c);
}

/// Batches of smaller ones were not measured.
static bool has_large_matrices(bit_copy const& c) {
  constexpr index min_elements_in_batch = index{1} << 18;
  return !c.is_batch || c.rows * c.cols >= min_elements_in_batch;
}

/// Words of 1 or 2 bytes in matrices that tiles read, or write, in parts: these meet in a sector of
/// nearly each row.
static bool is_in_parts(bit_copy const& c) {
  return c.word_bytes <= 2 && c.words_in_run == 1 && !c.is_aligned && has_large_matrices(c);
}

/// Bytes of 8903565x94 0.84 of a copy by tiles, L2 92 % busy (H100, 2026-11-26); 32 of 6342x80 0.66
/// (2026-11-27).
static bool has_cols_of_a_tile_and_a_part(bit_copy const& c) {
  constexpr double min_filled = 0.8;
  return is_in_parts(c) && c.cols > 64 && filled(c.cols, 64) < min_filled;
}

/// With the rows that tiles load twice, these are more than one tile. As skinny rows, and by tiles:
/// 67x2000001 bytes 0.75, 0.35, 101x100003 0.59, 0.44 (H100), 111x294137 0.49, 0.34, 120x100003
/// 0.51, 0.43; of 2 bytes 75x400001 0.72, 0.64, but 88x159994 0.69, 0.78 (H200, 2026-11-28).
static bool has_rows_of_a_tile_and_a_part(bit_copy const& c) {
  bool const is_cut_in_sectors = c.out_pitch % sector_bytes != 0 && is_output_contiguous(c);
  index const most = c.word_bytes == 2 ? 80 : is_cut_in_sectors ? max_skinny_rows : 102;
  return is_in_parts(c) && c.rows > 64 && c.rows <= most;
}

/// Elements of 3 bytes: by tiles 39x147736 has 0.33 of a copy, 32 rows as skinny ones 0.72 (H200,
/// 2026-11-28).
static bool has_few_rows_of_triples(bit_copy const& c) {
  constexpr index most = 64;
  return c.word_bytes == 1 && c.words_in_run == 3 && c.rows <= most && is_output_contiguous(c) &&
         has_large_matrices(c);
}

/// Rows so close together that they are read as one range, of 128 bytes of the output at least. Not
/// 32 aligned bytes, half of a tile: 1000000x32 0.90 of a copy so, 0.95 in tiles; 173792x32 0.76,
/// 0.92 (H100, 2026-11-28).
bool is_skinny_cols(bit_copy const& c, transpose_config const&) {
  bool const fills_half_tiles =
      !c.is_batch && c.is_aligned && c.words_in_run == 1 && c.word_bytes == 1 && c.cols == 32;
  return c.is_transposed && !fills_half_tiles &&
         (is_skinny(c, c.cols) || has_cols_of_a_tile_and_a_part(c)) && c.rows > 4 * c.cols &&
         fits_skinny_cols(c.cols * element_bytes(c), c.in_pitch, c.word_bytes);
}

bool is_skinny_rows(bit_copy const& c, transpose_config const&) {
  return c.is_transposed &&
         (is_skinny(c, c.rows) || has_rows_of_a_tile_and_a_part(c) || has_few_rows_of_triples(c)) &&
         c.cols > 4 * c.rows && fits_skinny_rows(c.rows, element_bytes(c), c.word_bytes);
}

/// So few that most of a tile is idle. In the order of the output instead, 12 bytes: 33554432x3
/// 0.52 of a copy, not 0.19; 3x33554432 0.60, not 0.13; 7 columns 0.31, not 0.44; 15 rows 0.61 and
/// 0.62. 3 bytes: 33554432x3 0.15, not 0.04 (H100, 2026-11-21).
bool is_skinny_multiword(bit_copy const& c, transpose_config const&) {
  constexpr index max_cols = 5;
  constexpr index max_rows = 12;
  return c.is_transposed && c.words_in_run > 1 && element_bytes(c) < min_long_element_bytes &&
         (c.cols <= max_cols || c.rows <= max_rows);
}

/// 300 of 200x203 of 16 bytes 1.00 of a copy in tiles, 0.99 by tile_strided; H200 0.89, 0.99.
bool fills_tiles_badly(bit_copy const& c, transpose_config const&) {
  constexpr double min_filled = 0.9;
  return c.is_transposed && filled(c.rows, 32) * filled(c.cols, 32) < min_filled;
}

bool is_long_element(bit_copy const& c, transpose_config const&) {
  return element_bytes(c) >= min_long_element_bytes;
}

}  // namespace transpose_table

/// Rows of up to so many dimensions, and what these leave to the columns.
static merged_sides merged_with_rows_of(int most, bit_copy const& c, int tile_rows, int tile_cols) {
  copy_plan const& plan = c.plan;
  constexpr copy_plan::dimension none{1, 0, 0};
  merged_sides sides{
      {{plan.dimensions[1], none, none}}, {{plan.dimensions[plan.in_fastest], none, none}}, 0, {}};
  for (int d = 2; d < plan.count; ++d)
    if (d != plan.in_fastest) sides.others[sides.others_count++] = plan.dimensions[d];
  auto const merge = [&](merged_dimensions& side, int most_dimensions, int of_tile,
                         index copy_plan::dimension::*stride) {
    // No more than that: rows of 149x58 need not take the 18 behind them from columns of 32x18.
    constexpr double is_full = 0.8;
    for (int m = 1; m < most_dimensions && filled(side.extent(), of_tile) < is_full; ++m) {
      index const step = side.extent() * element_bytes(c);
      auto* const end = sides.others + sides.others_count;
      auto* const next =
          std::find_if(sides.others, end, [&](auto const& d) { return d.*stride == step; });
      if (next == end) return;
      side.dimensions[m] = *next;
      std::copy(next + 1, end, next);
      --sides.others_count;
    }
  };
  merge(sides.rows, most, tile_rows, &copy_plan::dimension::out_stride);
  merge(sides.cols, merged_dimensions::most, tile_cols, &copy_plan::dimension::in_stride);
  return sides;
}

// 2 bytes of 66x9x17x113x14 by 40321: rows of 9x17 and columns of 14x113 fill 0.6 of the tiles,
// rows that take the 113 too leave 14 columns of 64: 0.32 of a copy, and 58 % of the issue slots
// (H200, ncu, 2026-11-28).
merged_sides merged_sides_of(bit_copy const& c, int tile_rows, int tile_cols) {
  auto const filled_by = [&](merged_sides const& sides) {
    return filled(sides.rows.extent(), tile_rows) * filled(sides.cols.extent(), tile_cols);
  };
  merged_sides best = merged_with_rows_of(merged_dimensions::most, c, tile_rows, tile_cols);
  for (int most = merged_dimensions::most - 1; most > 0; --most) {
    merged_sides const sides = merged_with_rows_of(most, c, tile_rows, tile_cols);
    if (filled_by(sides) > filled_by(best)) best = sides;
  }
  return best;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
