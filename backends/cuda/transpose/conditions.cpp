// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The conditions of the table of configs (kernel_table.cuh), but for those of merged dimensions
// (merged_tile.cpp) and of batches of whole matrices (small_batch.cpp): which copies a kernel is
// for, and the measurements that say so.

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/cuda/memory/access_bytes.hpp>
#include <xpose/backends/cuda/transpose/few_sides.hpp>
#include <xpose/backends/cuda/transpose/select.hpp>
#include <xpose/backends/cuda/transpose/skinny.hpp>

#include <algorithm>
#include <cstdint>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

// A run of so many bytes is worth a division of its own where runs are in the same order on both
// sides.
constexpr index min_long_run_bytes = 64;
// Matrices of fewer elements leave most of a tile's block idle.
constexpr index min_tile_elements = 1024;
constexpr index narrow_side = 16;
// Aligned runs are cut nowhere, and those of neighbours in the input pay as long as they are short.
// Shares of a copy so and by copy_contiguous_runs: 24x1280x3x64x96 bytes by 20314 0.98, 0.93;
// 410x847x16x80 by 0213 0.98, 0.96; f32 of 25x159x3x64x80, runs of 320 bytes, 0.98, 0.97; f64 of
// 20x1421x40x128, of 1024 bytes, 0.98, 0.99 (H200, 2026-11-29).
constexpr index max_aligned_packed_run_bytes = 512;

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

bool is_output_contiguous(bit_copy const& c) { return c.out_pitch == c.rows * c.element_bytes(); }

}  // namespace

bool are_output_rows_apart(bit_copy const& c) {
  return c.out_pitch >= 2 * c.rows * c.element_bytes();
}

bool has_packed_planes(bit_copy const& c) {
  constexpr index min_plane_bytes = 1024;
  copy_plan const& plan = c.plan;
  return plan.in_fastest > 1 && plan.dimensions[plan.in_fastest].out_stride >= min_plane_bytes;
}

namespace transpose_table {

bool is_long_run(bit_copy const& c, transpose_config const&) {
  return c.rows == 0 && (c.element_bytes() >= min_long_run_bytes || c.words_in_run == c.word_count);
}

bool is_in_order(bit_copy const& c, transpose_config const&) { return c.rows == 0; }

/// Through no shared memory, in output order, as a launch costs more than the bytes. Time of other
/// kernels over that of copy_direct, by the number of words (2^N: up to twice as many), the mean of
/// 4 to 20 random transposes and permutes (H200, 2026-11-29):
///   matrices by     1 byte 2^13 1.03, 2^14 0.97; 2 bytes 2^14 1.01, 2^15 0.96;
///   tile_strided    4 bytes 2^13 1.06, 2^15 0.90; 8 bytes 2^12 1.09, 2^16 0.94, 2^17 0.93;
///                   16 bytes 2^12 1.19, 2^16 1.00, 2^17 0.94
///   permutes by it  1 byte 2^16 0.94; 2 bytes 2^16 1.17, 2^17 0.90; 4 bytes 2^16 1.02,
///                   2^17 0.96; 8 bytes 2^16 1.05, 2^17 0.96; 16 bytes 2^15 1.02, 2^16 0.99
///   runs of 32      1 byte 2^17 0.94; 4 bytes 2^15 1.23, 2^17 1.06, 2^18 0.89;
///   bytes and more  8 bytes 2^17 1.02
///   one run         1 byte 2^13 1.05, 2^15 1.12; 2 bytes 2^14 1.11; 4 bytes 2^14 1.10;
///                   8 bytes 2^15 1.07; 16 bytes 2^12 0.93
/// 8 bytes from 2^16 on: 15 matrices of seeds 2302 and 2313, again on 2026-11-30. Batches whose
/// sides are 32 and more are as one matrix; shares of a copy by tile_strided and so: 2 bytes of
/// 2x29x30x64 by 0312 0.77, 0.59; 56x15x94 by 210 0.79, 0.63; f32 of 2x15x10x256 0.81, 0.74;
/// 44x15x60 by 210 0.79, 0.71.
static index most_words_of_direct(bit_copy const& c) {
  auto const by_word = [&](index w1, index w2, index w4, index w8, index w16) {
    return c.word_bytes == 1   ? w1
           : c.word_bytes == 2 ? w2
           : c.word_bytes == 4 ? w4
           : c.word_bytes == 8 ? w8
                               : w16;
  };
  constexpr index one = 1;
  if (c.rows == 0) return by_word(one << 16, one << 15, one << 15, one << 16, 0);
  if (c.element_bytes() >= min_long_element_bytes)
    return by_word(0, 0, one << 18, one << 18, one << 17);
  // Elements of 3 bytes from 2^N on: 2^14 1.31, by tile_strided 1.29; 2^15 1.32, 1.34; 2^16 1.21,
  // 1.28. Of 12 bytes 2x814 1.41. Of 11 and of 22 bytes, 164x106 1.24 and 130x67 1.5.
  if (c.words_in_run > 1)
    return c.element_bytes() >= 16  ? one << 18
           : c.word_bytes == 4      ? one << 13
           : c.element_bytes() >= 8 ? one << 18
                                    : one << 15;
  constexpr index narrow = 32;
  // Tiles of 16x16 are faster earlier than those above of 32x32: of a copy so and by them, 92x92
  // bytes 0.87, 0.82, 2 bytes 0.88, 0.86, f64 0.85, 0.90, 16 bytes 0.84, 0.87; 119x119 bytes 0.95,
  // 0.99, f32 0.87, 0.90 (H200, 2026-12-01).
  if (std::min(c.rows, c.cols) >= narrow) return c.word_bytes < 8 ? 10000 : one << 12;
  return c.is_batch ? by_word(one << 15, one << 17, one << 17, one << 17, one << 17)
                    : by_word(one << 14, one << 15, one << 14, one << 16, one << 17);
}

bool is_small(bit_copy const& c, transpose_config const&) {
  return !c.is_in_place && c.word_count < most_words_of_direct(c);
}

/// More words, but after tile_strided, which takes batches and skinny matrices of few tiles. Time
/// over that of copy_direct, as above: as small_batched 1 byte 2^17 1.6, 2^18 1.2; 2 bytes
/// 2^17 1.14, 2^18 1.04; 4 bytes 2^17 1.19, 2^18 0.94; 3 bytes 2^17 1.25, 2^18 1.00; as
/// small_scattered: 1 byte 2^17 1.12, 2^18 0.88; 8 bytes 2^17 1.06, 2^18 0.97; as skinny ones: 2
/// bytes 2^18 1.02, 2^19 0.87; 4 bytes 2^18 1.08, 0.98; 3 bytes 2^16 1.2, 2^17 1.06, 2^18 0.87.
bool is_small_batch_or_skinny(bit_copy const& c, transpose_config const& config) {
  if (c.is_in_place || !c.is_transposed) return false;
  bool const has_small_matrices =
      c.is_batch && (std::min(c.rows, c.cols) < narrow_side ||
                     c.rows * c.cols * c.element_bytes() <= small_batched_smem_bytes);
  return has_small_matrices || is_skinny_cols(c, config) || is_skinny_rows(c, config);
}

/// Of 4 bytes, up to 2^19 words, where tiles that are merged or of a tensor would take it: shares
/// of a copy are in kernel_table.cuh. Not where rows are apart in the output: 14 of 2^18 to 2^19
/// words 0.89 on average, merged or of a tensor 1.0 (H200, 2026-11-30).
bool is_narrow_batch(bit_copy const& c, transpose_config const&) {
  constexpr index narrow = 32;
  return c.is_batch && c.is_transposed && !c.is_in_place && c.words_in_run == 1 &&
         std::min(c.rows, c.cols) < narrow && !are_output_rows_apart(c);
}

/// In output order: words of 8 bytes from 2^18 on 1.08 of the speed as skinny rows, from 2^19 1.08,
/// from 2^20 1.01; of 16 bytes 2^18 1.18, 2^20 1.06, 2^23 1.18, 2^25 1.01 (H200, 2026-11-29). Not
/// where rows are apart in the output: of 2^18 to 2^20 words the best other kernel has 1.29 of the
/// speed (ten of 8 bytes: 27x44x20x40 by 2310 0.76 of a copy, 1.19; 48x7x47x37 by 3021 0.83, 1.09)
/// and 1.12 (six of 16 bytes); nor where far apart: 16 bytes of 2x185302x15 by 210 0.40, as
/// scattered ones 0.95; 7x3x11x25x29x32 by 145032, 30 KB, 0.73, as skinny ones 0.83; but
/// 15x18x29x3x6x26 by 145203, 21 KB, 0.74, 0.66. Of 8 bytes 25 to 41 rows 0.75 to 1.19, by
/// tile_strided 0.92 to 1.28 (2026-11-30).
bool are_few_rows_of_wide_words(bit_copy const& c, transpose_config const& config) {
  constexpr index least_words_of_rows_apart = index{1} << 20, far_bytes = 24 << 10;
  constexpr index most_rows_of_8_bytes = 20;  // 14 to 24 were not measured
  if (c.is_in_place || c.words_in_run > 1 || !is_skinny_rows(c, config)) return false;
  if (are_output_rows_apart(c))
    return c.word_count >= least_words_of_rows_apart && c.out_pitch < far_bytes;
  return c.word_bytes > 8 || c.rows <= most_rows_of_8_bytes;
}

/// Words of 8 bytes alone, and few pieces to a row of the output, as these are read from so many
/// others. Shares of a copy in output order and as skinny rows: 90x65x7x2x556 by 01432 0.78, 0.61;
/// 64x40x3x5x900 0.74, 0.38; 100x31x11x4x300 0.78, 0.59; f32 0.40, 0.64; 0.38, 0.44; 0.40, 0.47
/// (H200, 2026-11-28); but 8x13x27x5x51x8 by 245310, 13 pieces, 0.62, 0.98, and 50x6x40x12x8x33 by
/// 124503, 50 of them, 0.53, 0.91 (2026-11-30; 6 to 12 were not measured).
bool has_rows_in_pieces(bit_copy const& c, transpose_config const& config) {
  constexpr index most_rows = 12, most_pieces = 6;
  index const row_bytes = c.rows * c.element_bytes();
  auto const* const dimensions = c.plan.dimensions;
  return c.is_batch && !c.is_in_place && c.words_in_run == 1 && c.rows <= most_rows &&
         is_skinny_rows(c, config) &&
         std::any_of(
             dimensions + 2, dimensions + c.plan.count,
             [&](auto const& d) { return d.out_stride == row_bytes && d.extent <= most_pieces; }) &&
         !is_output_contiguous(c);
}

/// Runs of some 200 bytes and more at any address in planes below 4 KB: by copy_contiguous_runs
/// bytes of 84x3x1079x359 by 0213 0.78, so 0.59; 3 bytes of 64x3x714x237 0.88, 0.70, of
/// 2985x9x9x130 0.88, 0.81; but shorter ones, bytes of 6808x9x9x171 0.42, 0.71, and 166x1126 of 363
/// by 102, whose planes are 60 KB, 0.78, 0.85 (H200, 2026-11-30).
static bool has_long_runs_in_small_planes(bit_copy const& c) {
  constexpr index min_run_bytes = 192, max_plane_bytes = 4096;
  return c.word_bytes <= 2 && c.element_bytes() >= min_run_bytes && c.plan.in_fastest > 1 &&
         c.plan.dimensions[c.plan.in_fastest].out_stride < max_plane_bytes;
}

/// Runs of a vec16 and more: it then holds parts of two at most.
bool is_packed_runs(bit_copy const& c, transpose_config const&) {
  bool const is_for_runs = c.rows == 0 || c.element_bytes() >= min_long_element_bytes;
  index step = c.element_bytes();
  if (!is_for_runs || step < vec16_bytes || has_long_runs_in_small_planes(c)) return false;
  // Elements of two and three vec16s have tiles.
  constexpr index most_vec16s_of_tiles = 3;
  if (c.word_bytes == vec16_bytes && (c.words_in_run <= most_vec16s_of_tiles ||
                                      step > max_aligned_packed_run_bytes || !has_packed_planes(c)))
    return false;
  for (int d = 1; d < c.plan.count; ++d) {
    if (c.plan.dimensions[d].out_stride != step) return false;
    step *= c.plan.dimensions[d].extent;
  }
  return c.words_in_run < c.word_count;
}

/// Larger matrices of 8 bytes, of which tiles of 32x32 would be half idle, in batches of 8 MB and
/// more: 10x5x36x20x12x52 by 403152 0.94 of a copy, by tile_strided 0.80, as tensors 0.83, by
/// aligned tiles 0.66; 46x143x41x37 by 3120 0.89, 0.81, 0.76; but 3 MB, 22x30x11x67 by 3210, 1.69,
/// 1.83 (H200, 2026-11-30).
static bool has_scattered_matrices_of_two_tiles(bit_copy const& c, transpose_config const& config) {
  constexpr index most_elements = 2048, min_words = index{1} << 20;
  constexpr double max_filled = 0.7;
  return c.word_bytes == 8 && c.words_in_run == 1 && c.rows * c.cols <= most_elements &&
         c.word_count >= min_words && filled(c.rows, 32) * filled(c.cols, 32) < max_filled &&
         !c.is_in_place && !is_skinny_rows(c, config) && !is_skinny_cols(c, config);
}

bool is_small_scattered(bit_copy const& c, transpose_config const& config) {
  bool const is_narrow = c.rows < narrow_side || c.cols < narrow_side;
  return c.is_batch && c.element_bytes() < min_long_element_bytes &&
         (c.rows * c.cols < (is_narrow ? min_narrow_tile_elements : min_tile_elements) ||
          has_scattered_matrices_of_two_tiles(c, config));
}

/// Elements of many words: 2 bytes of 9x9x7x7x8x11 by 421035, 11 words, 0.67 of a copy as
/// contiguous runs, 0.43 as scattered ones; 6x4x7x19x8x11 by 430125 0.64, 0.45 (H200, 2026-11-30).
bool is_small_scattered_of_runs(bit_copy const& c, transpose_config const& config) {
  return c.words_in_run > 1 && c.element_bytes() >= vec16_bytes && !c.is_in_place &&
         is_small_scattered(c, config);
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

/// Of these, sides of at most half a tile: 8x6552 f32 0.96 of a copy by copy_direct, 0.81; 13435x5
/// 0.91, 0.77; 2 bytes of 19000x8 0.83, 0.71, of 16x5776 0.83, 0.77, bytes of 26871x11 0.75, 0.64,
/// f64 of 817*13x13 1.49, 1.24; but 13832x16 f64 1.16, 1.42, 32x8000 bytes 0.65, 0.78 (H200,
/// 2026-11-30).
bool are_few_narrow_tiles(bit_copy const& c, transpose_config const& config) {
  index const most_side = c.word_bytes == 8 ? 13 : 16;
  return has_few_strided_tiles(c, config) && std::min(c.rows, c.cols) <= most_side &&
         is_output_contiguous(c);
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
static bool is_cut_by_tiles(bit_copy const& c) {
  return c.word_bytes <= 2 && c.words_in_run == 1 && !c.is_aligned;
}
static bool is_large_and_cut(bit_copy const& c) {
  return is_cut_by_tiles(c) && has_large_matrices(c);
}

/// Bytes of 8903565x94 0.84 of a copy by tiles, L2 92 % busy (H100, 2026-11-26); 32 of 6342x80 0.66
/// (2026-11-27). Of smaller matrices too: as skinny columns, by tiles of 128x128 and merged ones of
/// 128x64: 2688 of 1117x80 0.78, 0.64, 0.65; 320 of 1001x72 0.89, 0.62, 0.63; 400 of 3001x88 0.94,
/// 0.72, 0.71; 1344 of 900x96 0.74, 0.66, 0.63; in merged tiles of 128x96 0.72, 0.69, 0.79, 0.70,
/// of 128x80 0.75, 0.71, 0.60, 0.55 (H200, 2026-11-30).
static bool has_cols_of_a_tile_and_a_part(bit_copy const& c) {
  constexpr double min_filled = 0.8;
  constexpr index min_bytes = index{1} << 21;  // 16 of 394x96 0.60, by tile_strided 0.75 (H200)
  constexpr index min_matrix = 48 << 10;       // smaller ones are whole blocks'
  bool const is_batch_of_bytes =
      c.word_bytes == 1 && c.word_count >= min_bytes && c.rows * c.cols >= min_matrix;
  return is_cut_by_tiles(c) && (has_large_matrices(c) || is_batch_of_bytes) && c.cols > 64 &&
         filled(c.cols, 64) < min_filled;
}

/// Half of the tiles of bytes: 2000001x64 0.80 of a copy, as skinny columns 0.95, 40 of 32319x64
/// 0.81, 0.97 (H100; H200 0.64, 0.80; 2026-11-28).
static bool has_cols_of_half_a_tile(bit_copy const& c) {
  return is_large_and_cut(c) && c.word_bytes == 1 && c.cols == 64;
}

/// With the rows that tiles load twice, these are more than one tile. 2 bytes, as skinny rows and
/// by tiles: 75x400001 0.72, 0.64, but 88x159994 0.69, 0.78 (H200, 2026-11-28). Of bytes up to 102
/// rows: from 2^21 on, those whose output has no gaps are transpose_skinny_bytes'.
static bool has_rows_of_a_tile_and_a_part(bit_copy const& c) {
  return is_large_and_cut(c) && c.rows > 64 && c.rows <= (c.word_bytes == 2 ? 80 : 102);
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

/// Whether units are aligned: by themselves where they are a pitch apart, as vectors where those of
/// all columns, or rows, are neighbours.
static bool are_units_aligned(bit_copy const& c, index sides, index longer, bool are_cols) {
  auto const unit = static_cast<std::uint64_t>(bytes_of_few_sides_unit(c.word_bytes));
  auto const access = static_cast<std::uint64_t>(access_of_few_sides(c.word_bytes, sides));
  int const col = c.plan.in_fastest;
  constexpr int row = 1;
  auto const in_bits =
      address_bits(c.plan, c.in, &copy_plan::dimension::in_stride, col, are_cols ? row : col);
  auto const out_bits =
      address_bits(c.plan, c.out, &copy_plan::dimension::out_stride, row, are_cols ? row : col);
  return static_cast<std::uint64_t>(longer * c.word_bytes) % unit == 0 &&
         in_bits % (are_cols ? access : unit) == 0 && out_bits % (are_cols ? unit : access) == 0;
}

/// Words from which another kernel is faster. Shares of a copy so, and by the best of the others
/// (H200, 2026-11-30):
///   columns  bytes of 223x222x222x4 by 0312 1.02, 0.79; 1x432x432x3 1.47, 1.19; 2 bytes of
///            3x446x227x4 1.43, 1.17; 3998x68x68x4 1.04, 1.00; 2x432x432x3 1.46, 1.25; 214x31309x2
///            by 201 1.01, 1.05; f32 of 2x446x227x4 1.42, 1.21; 5x217x826x4, 14 MB, 1.14, 1.18;
///            249798x11x11x4 0.88, 0.99; f64 of 1x446x227x4 1.44, 1.32; 124899x11x11x4 0.92, 1.00
///   rows     bytes of 106x3x406x140 by 0231 1.10, 0.79; 2 bytes of 70x3x31x126 1.52, 1.15;
///            46x3x610x610 0.92, 0.97; 460x4x106x370 1.01, 1.00; f32 of 35x3x31x126 1.50, 1.25;
///            27x3x406x140 0.89, 1.09; 2204x4x29x29 1.10, 1.06; f64 of 3x3x531x42 1.56, 1.46;
///            86x4x25x215 0.96, 1.14
/// Two columns of bytes were measured up to 27 million words; 3 of 2 bytes: 676x17x158x3, 5.4
/// million, 1.18, 0.90, 1312x54x54x3, 11.5, 1.06, 0.88, 179834x30x30x3, 486, 0.93, 0.95. Few words
/// of 8 bytes are as fast by copy_direct, and f64 rows slower: 3 of 4x92 0.81, 0.87.
static index most_words_of_few_cols(bit_copy const& c) {
  return c.word_bytes == 8                  ? 3 << 19
         : c.word_bytes == 4                ? 3 << 20
         : c.word_bytes == 2 && c.cols != 4 ? 1 << 24
                                            : no_limit;
}
static index most_words_of_few_rows(bit_copy const& c) {
  if (c.word_bytes == 8) return 1 << 19;
  if (c.rows != 3 || c.word_bytes == 1) return no_limit;
  return c.word_bytes == 4 ? 1 << 20 : 1 << 24;
}

/// Many matrices of fewer elements, whose units are neighbours of other columns', were not measured
/// but for f32 of 249798x11x11x4, above.
static bool is_few_or_long(bit_copy const& c, index longer) {
  constexpr index few_words = index{1} << 21, min_elements = 512;
  return !c.is_batch || c.word_count < few_words || longer >= min_elements;
}

bool can_be_few_cols(bit_copy const& c) {
  return c.is_transposed && !c.is_in_place && c.words_in_run == 1 && c.cols >= min_few_sides &&
         c.cols <= max_few_sides && c.in_pitch == c.cols * c.word_bytes && c.rows > max_few_sides &&
         are_units_aligned(c, c.cols, c.rows, true);
}

bool can_be_few_rows(bit_copy const& c) {
  return c.is_transposed && !c.is_in_place && c.words_in_run == 1 && c.rows >= min_few_sides &&
         c.rows <= max_few_sides && is_output_contiguous(c) && c.cols > max_few_sides &&
         are_units_aligned(c, c.rows, c.cols, false);
}

bool are_few_cols(bit_copy const& c, transpose_config const&) {
  return can_be_few_cols(c) && c.word_count < most_words_of_few_cols(c) &&
         is_few_or_long(c, c.rows);
}

bool are_few_rows(bit_copy const& c, transpose_config const&) {
  constexpr index min_words_of_8_bytes = index{1} << 15;
  return can_be_few_rows(c) && c.word_count < most_words_of_few_rows(c) &&
         is_few_or_long(c, c.cols) && (c.word_bytes < 8 || c.word_count >= min_words_of_8_bytes);
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

bool are_cols_of_narrow_tiles(bit_copy const& c, transpose_config const& config) {
  return !c.is_batch && is_aligned(c, config) && (c.cols == 16 || c.cols == 32);
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

bool has_long_rows(bit_copy const& c, transpose_config const&) {
  constexpr index min_rows = 1024;
  return c.is_transposed && c.rows >= min_rows;
}

bool is_long_element(bit_copy const& c, transpose_config const&) {
  return c.element_bytes() >= min_long_element_bytes;
}

}  // namespace transpose_table
}  // namespace detail
}  // namespace v0
}  // namespace xpose
