// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The conditions of the table of configs (kernel_table.cuh), but for those of merged dimensions
// (merged_tile.cpp): which copies a kernel is for, and the measurements that say so.

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/cuda/memory/access_bytes.hpp>
#include <xpose/backends/cuda/transpose/select.hpp>
#include <xpose/backends/cuda/transpose/skinny.hpp>

#include <algorithm>
#include <cstdint>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

// An element of so many bytes fills sectors by itself, in whatever order elements are taken. A run
// of so many is worth a division of its own where runs are in the same order on both sides.
constexpr index min_long_element_bytes = 32;
constexpr index min_long_run_bytes = 64;
// Matrices of fewer elements leave most of a tile's block idle.
constexpr index min_tile_elements = 1024;
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
  if (c.words_in_run > 1 && c.element_bytes() >= min_long_element_bytes) return false;
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
         (c.words_in_run == 1 || c.element_bytes() < min_long_element_bytes) &&
         c.rows * c.cols * c.element_bytes() <= max_matrix_bytes;
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

bool is_output_contiguous(bit_copy const& c) { return c.out_pitch == c.rows * c.element_bytes(); }

}  // namespace

namespace transpose_table {

bool is_long_run(bit_copy const& c, transpose_config const&) {
  return c.rows == 0 && (c.element_bytes() >= min_long_run_bytes || c.words_in_run == c.word_count);
}

bool is_in_order(bit_copy const& c, transpose_config const&) { return c.rows == 0; }

/// Through no shared memory, as a launch costs more than the bytes. Shares of a copy in output
/// order and by the kernel that would be next: f32 of 12x28x28x4 by 0312 0.82, 0.71 (tile_strided);
/// 2x3x17x2x9x24 by 132540 0.70, 0.63 (small_scattered), bytes 0.55, 0.48; 1001 of 5x7 bytes 0.84,
/// 0.44 (small_batched); 2 bytes of 55x91x10 by 210 0.67, 0.67; matrices of 2x19, 243x2x9x3x19 by
/// 40321, 1, 2, 4 and 8 bytes 0.54, 0.56, 0.53, 0.60 and 0.32, 0.35, 0.47, 0.56; f64 of
/// 500x2x9x3x19 0.51, 0.49; but f32 of 17x5x9x7x11x4 by 543210, matrices of 17x4, 0.49, 0.55, of
/// 110x182x10 by 210 0.56, 0.60 (H200, 2026-11-28).
bool is_small_permute(bit_copy const& c, transpose_config const&) {
  constexpr index most = index{1} << 16, tiny_matrix = 64;
  index const most_of_tiny = index{1} << (c.word_bytes == 8 ? 19 : 18);
  if (!c.is_batch || !c.is_transposed || c.is_in_place || c.words_in_run > 1) return false;
  bool const is_tiny = c.has_gaps && c.rows * c.cols < tiny_matrix;
  return (std::min(c.rows, c.cols) < narrow_side && c.word_count <= most) ||
         (is_tiny && c.word_count <= most_of_tiny);
}

/// Words of 8 bytes alone. Shares of a copy in output order and as skinny rows: 90x65x7x2x556 by
/// 01432 0.78, 0.61; 64x40x3x5x900 0.74, 0.38; 100x31x11x4x300 0.78, 0.59; f32 0.40, 0.64; 0.38,
/// 0.44; 0.40, 0.47 (H200, 2026-11-28).
bool has_rows_in_pieces(bit_copy const& c, transpose_config const& config) {
  constexpr index most_rows = 12;
  index const row_bytes = c.rows * c.element_bytes();
  auto const* const dimensions = c.plan.dimensions;
  return c.is_batch && !c.is_in_place && c.words_in_run == 1 && c.rows <= most_rows &&
         is_skinny_rows(c, config) &&
         std::any_of(dimensions + 2, dimensions + c.plan.count,
                     [&](auto const& d) { return d.out_stride == row_bytes; }) &&
         !is_output_contiguous(c);
}

bool is_packed_runs(bit_copy const& c, transpose_config const&) {
  bool const is_for_runs = c.rows == 0 || c.element_bytes() >= min_long_element_bytes;
  index step = c.element_bytes();
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

/// Bytes that are transposed in blocks of 4x4. Not few rows that are not whole words: their columns
/// meet the same banks as they are stored byte by byte. Shares of a copy so and byte by byte: 3000
/// of 63x65 0.62, 0.53; 8000 of 32x31 0.83, 0.76; 2000 of 300x25 0.75, 0.68; but 5000 of 33x31
/// 0.53, 0.59; 9440 of 31x64 0.65, 0.69; 20000 of 17x17 0.56, 0.59 (H200, rows padded,
/// 2026-11-28).
bool is_small_batch_of_quads(bit_copy const& c, transpose_config const& config) {
  constexpr index side = 4, min_rows = 48, min_rows_of_words = 32;
  constexpr double min_filled = 0.85;
  bool const stores_words =
      c.rows % side == 0 && reinterpret_cast<std::uintptr_t>(c.out) % side == 0;
  return c.rows >= (stores_words ? min_rows_of_words : min_rows) && c.cols >= side &&
         filled(c.rows, side) * filled(c.cols, side) > min_filled && is_small_batch(c, config);
}

bool are_quads_for_larger_blocks(bit_copy const& c, transpose_config const& config) {
  return is_small_batch_of_quads(c, config) && is_batch_for_larger_blocks(c, config);
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
  index const bytes = c.rows * c.cols * c.element_bytes();
  bool const has_two_blocks = bytes > max_bytes_of_many_blocks, is_single = c.words_in_run == 1;
  if (!has_two_blocks && (!is_single || bytes <= small_batched_smem_bytes)) return false;
  // By tile_strided, by aligned tiles, or by those for any address.
  int const down = c.word_bytes == 16 ? 8 : c.word_bytes == 4 && c.is_aligned ? 64 : 32;
  int const across = c.word_bytes == 4 ? 64 : down;
  // Of bytes, whose rows are not cut if the output begins at a sector: 300 of 64x1001 0.95 of a
  // copy, by whole blocks 0.74 (H100).
  bool const fills_tiles_of_bytes = is_single && c.word_bytes == 1 && c.rows == 64 &&
                                    c.out_pitch % sector_bytes == 0 && filled(c.cols, 128) > 0.8;
  bool const fills_tiles_of_wide = has_two_blocks && is_single && c.word_bytes >= 4 &&
                                   filled(c.rows, down) * filled(c.cols, across) > min_filled;
  return fills_square_tiles(c) || fills_tiles_of_bytes || fills_tiles_of_wide ||
         is_skinny_rows(c, {}) || ((has_two_blocks || c.word_bytes == 1) && is_skinny_cols(c, {}));
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

bool are_quads_for_whole_blocks(bit_copy const& c, transpose_config const& config) {
  return is_small_batch_of_quads(c, config) && is_batch_for_whole_blocks(c, config);
}

bool is_batch_of_vec4s_for_whole_blocks(bit_copy const& c, transpose_config const& config) {
  return is_small_batch_of_vec4s(c, config) && are_for_whole_blocks(c, min_whole_matrices_of_bytes);
}

bool is_batch_in_place(bit_copy const& c, transpose_config const& config) {
  return c.is_in_place && is_small_batch(c, config);
}

bool is_small_scattered(bit_copy const& c, transpose_config const&) {
  bool const is_narrow = c.rows < narrow_side || c.cols < narrow_side;
  return c.is_batch && c.element_bytes() < min_long_element_bytes &&
         c.rows * c.cols < (is_narrow ? min_narrow_tile_elements : min_tile_elements);
}

/// Batches of small matrices, and skinny ones, of few tiles: a launch costs more than the bytes,
/// and the kernel of the shortest path wins where its blocks are about a wave. 27x3 of 14x14 of 8
/// bytes 0.81, 1.01 of a copy; bytes of 48 of 62x96 0.81, 0.98; 204 of 126x6 0.88, 0.93; but 880 of
/// 9x19 f32 1.02, 0.95 (H200). f64 20x16432 0.82, 0.93, 5x40000 0.79, 0.94 (H100, 2026-11-28).
bool has_few_strided_tiles(bit_copy const& c, transpose_config const& config) {
  constexpr index side = 32, most_tiles = 1320, most_tiles_of_batch = 820, most_in_matrix = 8192;
  if (!c.is_transposed || c.is_in_place || c.words_in_run > 1) return false;
  index const matrices = c.word_count / (c.rows * c.cols);
  index const tiles = matrices * ceil_div(c.rows, side) * ceil_div(c.cols, side);
  if (c.is_batch) return tiles <= most_tiles_of_batch && c.rows * c.cols <= most_in_matrix;
  return tiles <= most_tiles && (is_skinny_rows(c, config) || is_skinny_cols(c, config));
}

/// Few rows with gaps between them in the output, so that skinny ones have no advantage: 7*329 of
/// 31x158, f32 0.76 of a copy as skinny rows, 0.83; f64 0.89, 0.92 (H200, 2026-11-28).
bool has_rows_of_a_strided_tile(bit_copy const& c, transpose_config const& config) {
  constexpr index side = 32;
  constexpr double min_filled = 0.9;
  return !c.is_in_place && c.rows < side && is_skinny_rows(c, config) && !is_output_contiguous(c) &&
         filled(c.rows, side) * filled(c.cols, side) > min_filled;
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

/// Half of the tiles of bytes: 2000001x64 0.80 of a copy, as skinny columns 0.95, 40 of 32319x64
/// 0.81, 0.97 (H100; H200 0.64, 0.80; 2026-11-28).
static bool has_cols_of_half_a_tile(bit_copy const& c) {
  return is_in_parts(c) && c.word_bytes == 1 && c.cols == 64;
}

/// With the rows that tiles load twice, these are more than one tile. 2 bytes, as skinny rows and
/// by tiles: 75x400001 0.72, 0.64, but 88x159994 0.69, 0.78 (H200, 2026-11-28). Of bytes up to 102
/// rows: from 2^21 on, those whose output has no gaps are transpose_skinny_bytes'.
static bool has_rows_of_a_tile_and_a_part(bit_copy const& c) {
  return is_in_parts(c) && c.rows > 64 && c.rows <= (c.word_bytes == 2 ? 80 : 102);
}

/// Elements of 3 bytes: by tiles 39x147736 has 0.33 of a copy, 32 rows as skinny ones 0.72; but 64
/// fill tiles that are not cut: 64x2000000 0.96, 0.79, 64x20000 0.78, 0.70 (H200, 2026-11-28).
static bool has_few_rows_of_triples(bit_copy const& c) {
  constexpr index tile_rows = 64;
  return c.word_bytes == 1 && c.words_in_run == 3 && c.rows < tile_rows &&
         is_output_contiguous(c) && has_large_matrices(c);
}

/// Rows so close together that they are read as one range, of 128 bytes of the output at least. Not
/// 32 aligned bytes, half of a tile: 1000000x32 0.90 of a copy so, 0.95 in tiles; 173792x32 0.76,
/// 0.92 (H100, 2026-11-28).
bool is_skinny_cols(bit_copy const& c, transpose_config const&) {
  bool const fills_half_tiles =
      !c.is_batch && c.is_aligned && c.words_in_run == 1 && c.word_bytes == 1 && c.cols == 32;
  return c.is_transposed && !fills_half_tiles &&
         (is_skinny(c, c.cols) || has_cols_of_a_tile_and_a_part(c) || has_cols_of_half_a_tile(c)) &&
         c.rows > 4 * c.cols &&
         fits_skinny_cols(c.cols * c.element_bytes(), c.in_pitch, c.word_bytes);
}

bool is_skinny_rows(bit_copy const& c, transpose_config const&) {
  return c.is_transposed &&
         (is_skinny(c, c.rows) || has_rows_of_a_tile_and_a_part(c) || has_few_rows_of_triples(c)) &&
         c.cols > 4 * c.rows && fits_skinny_rows(c.rows, c.element_bytes(), c.word_bytes);
}

/// Shares of a copy in blocks of 4x4 and as skinny rows: 33x900001 0.62, 0.47; 39x1027662 0.65,
/// 0.58; 40x600000 0.66, 0.64; 56x300003 0.62, 0.60; 65x914914 0.64, 0.50; 80x200001 0.66, 0.60;
/// 101x100003 0.60, 0.49; and by tiles: 130x100000 0.58, 0.43; 149x97848 0.57, 0.43; but 200x100003
/// 0.54, 0.62; 64x300001 0.74, 0.89; and 32x257120 0.70, 0.72, 20x300003 0.57, 0.65 (H200,
/// 2026-11-28).
bool is_skinny_bytes(bit_copy const& c, transpose_config const&) {
  constexpr index tile_rows = 64;
  return c.is_transposed && !c.is_aligned && c.word_bytes == 1 && c.words_in_run == 1 &&
         c.rows >= min_rows_of_skinny_bytes && c.rows % tile_rows != 0 &&
         c.rows <= max_rows_of_skinny_bytes && is_output_contiguous(c) && has_large_matrices(c);
}

/// So few that most of a tile is idle. In the order of the output instead, 12 bytes: 33554432x3
/// 0.52 of a copy, not 0.19; 3x33554432 0.60, not 0.13; 7 columns 0.31, not 0.44; 15 rows 0.61 and
/// 0.62. 3 bytes: 33554432x3 0.15, not 0.04 (H100, 2026-11-21).
bool is_skinny_multiword(bit_copy const& c, transpose_config const&) {
  constexpr index max_cols = 5;
  constexpr index max_rows = 12;
  return c.is_transposed && c.words_in_run > 1 && c.element_bytes() < min_long_element_bytes &&
         (c.cols <= max_cols || c.rows <= max_rows);
}

/// 300 of 200x203 of 16 bytes 1.00 of a copy in tiles, 0.99 by tile_strided; H200 0.89, 0.99. 8
/// bytes of 21x24x15x152x70 by 12430 0.61, 0.82, of 19x15x137x64x9 by 24301 0.36, 0.60 (H200,
/// 2026-11-28).
bool fills_tiles_badly(bit_copy const& c, transpose_config const&) {
  double const min_filled = c.word_bytes == 16 ? 0.9 : 0.6;
  return c.is_transposed && filled(c.rows, 32) * filled(c.cols, 32) < min_filled;
}

bool has_few_aligned_cols(bit_copy const& c, transpose_config const& config) {
  constexpr index most = 64;
  return is_aligned(c, config) && c.cols <= most;
}

/// 3 bytes of 500 of 150x150, which fill 0.46: 0.49 of a copy, by 64x32 0.62; 64x1000003 and
/// 1547 of 64x4900 0.95, 0.93 and 0.96, 0.83 (H100 and H200, 2026-11-28).
bool fills_wide_tiles(bit_copy const& c, transpose_config const&) {
  constexpr double min_filled = 0.7;
  return c.is_transposed && filled(c.rows, 64) * filled(c.cols, 128) > min_filled;
}

bool is_long_element(bit_copy const& c, transpose_config const&) {
  return c.element_bytes() >= min_long_element_bytes;
}

}  // namespace transpose_table
}  // namespace detail
}  // namespace v0
}  // namespace xpose
