// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Which copies take tiles of a tensor: words of 8 bytes, elements of 16 and of several words, and
// large tiles. Those of smaller words, whose dimensions may be merged, are in merged_tile.cpp.

#include <xpose/backends/cuda/memory/access_bytes.hpp>
#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/backends/cuda/transpose/select.hpp>
#include <xpose/backends/cuda/transpose/skinny.hpp>
#include <xpose/backends/cuda/transpose/tensor_tile.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace transpose_table {

/// The share of the sectors' bytes that are wanted where a block takes whole matrices, whose rows
/// and columns are read and written by themselves: see efficiency_of_runs().
static double efficiency_of_matrices(bit_copy const& c) {
  auto const fills_sectors = [](index bytes, index pitch) {
    return pitch == bytes || (bytes | pitch) % sector_bytes == 0;
  };
  index const in_bytes = c.cols * c.element_bytes(), out_bytes = c.rows * c.element_bytes();
  return efficiency_of_runs(fills_sectors(in_bytes, c.in_pitch) ? no_limit : in_bytes,
                            fills_sectors(out_bytes, c.out_pitch) ? no_limit : out_bytes);
}

/// Shares of a copy so, and by other kernels: 34x36x150x104x3 by 24301 0.73, word by word 0.45.
/// Runs without a common dimension, 15x2x33x26x89x23 by 140532 0.72, 0.87. Few rows that others
/// continue in the output, within sectors: 8x2x15x34x30x89 by 045132 0.85, as skinny ones 0.60;
/// 21x7x9x2x98x253 by 350142 0.67, 0.47; rows of whole sectors have 0.91 as skinny ones
/// (50x6x40x12x8x33 by 124503). Matrices that fill tiles of 32x32 to 0.44 to 0.56 have more so, one
/// word an access: 146x243x41x37 by 3120 0.63, 0.81; 40x74x236x110 0.69, 0.84; 13x12x34x80 by
/// 0132 1.01, 1.23. Small matrices with gaps, whose estimate as such is below 0.6: 17x20x33x3x7x32
/// by 145203 0.87, as such 0.34; 59x287x5x174 by 1302 0.79, 0.42; 45x17x9x35x16x3 by 435120 0.72,
/// 0.53; but 15x22x371x7x5 by 13042, 0.62, 0.86, 0.82, 11x84x11x26x27 by 30142, 0.9, 0.84, 0.96,
/// and 9 MB, 9x4x22x15x14x7 by 041532, 0.57, 0.96, 1.04. Of 3 to 16 MB, below 0.56: twelve 1.15
/// times as fast so on average (two 0.92), 47 others 0.94 (H200, 2026-11-30).
bool is_tensor_tile_of_wide_words(bit_copy const& c, transpose_config const& config) {
  constexpr double max_filled = 0.42, max_filled_of_cut_rows = 0.8, min_efficiency = 0.7;
  constexpr index many_words = index{1} << 21;
  double const most_efficiency_where_scattered = c.word_count >= many_words ? 0.6 : 0.56;
  index const row_bytes = c.rows * c.element_bytes();
  bool const are_rows_sectors = c.out_pitch == row_bytes || row_bytes % sector_bytes == 0;
  bool const has_skinny_rows = is_skinny_rows(c, config);
  bool const is_filled =
      filled(c.rows, 32) * filled(c.cols, 32) >=
      (has_skinny_rows && !are_rows_sectors ? max_filled_of_cut_rows : max_filled);
  if (!c.is_batch || !c.is_transposed || c.is_in_place || c.words_in_run > 1 || is_filled ||
      is_skinny_cols(c, config) || has_rows_in_pieces(c, config))
    return false;
  if (is_small_scattered(c, config))
    return efficiency_of_matrices(c) < most_efficiency_where_scattered &&
           tensor_tile_of(c).efficiency > min_efficiency;
  if (are_rows_sectors && has_skinny_rows) return false;
  return tensor_tile_of(c).efficiency > min_efficiency;
}

/// The estimate of a large tile, which has twice the bytes of others; 0 where there are fewer than
/// eight for a multiprocessor: these lost up to 10 %.
static double efficiency_of_large_tile(bit_copy const& c) {
  constexpr index least_tiles_each = 8;
  tensor_tile const tile = tensor_tile_of(c, tensor_tile::max_large_vec16s);
  bool const are_enough = tile.tiles >= least_tiles_each * properties_of_device().multiprocessors;
  return are_enough ? tile.efficiency : 0;
}

/// Words of 8 bytes. Shares of a copy by other kernels and so: small matrices whose rows and
/// columns are parts of sectors, 3x53x51x49x7x2 by 540132 0.29, 0.73; 15x13x52x2x24x7 by 245103
/// 0.45, 0.90; 2x2x169058x29 by 3210 0.38, 0.86; but 3x125441x11x2 by 1302, an estimate of 0.69 as
/// matrices and of 0.63 so, 1.0, 0.6. Few rows in few pieces, 47x7x3x39609 by 3021 0.46, 0.80;
/// 100x31x11x4x300 by 01432 0.86, 0.92 (H200, 2026-11-30).
static bool is_large_tensor_tile_of_wide_words(bit_copy const& c, transpose_config const& config) {
  if (!c.is_batch || !c.is_transposed || c.is_in_place || c.words_in_run > 1) return false;
  bool const has_small_matrices = is_small_scattered(c, config);
  if (!has_small_matrices && !has_rows_in_pieces(c, config)) return false;
  double const of_matrices = efficiency_of_matrices(c), efficiency = efficiency_of_large_tile(c);
  return has_small_matrices ? (of_matrices < 0.65 && efficiency >= 0.65) ||
                                  (of_matrices < 0.76 && efficiency >= 0.8)
                            : of_matrices < 0.7 && efficiency >= 0.78;
}

/// Large tiles, unless their estimate is lower: over 370 random permutes 1.03 times as fast for
/// words of 4 bytes, 1.02 for 8, but 0.95 for 1 and 2 bytes; tiles of three and four times the
/// bytes 0.99 and 0.93, 1.00 and 0.97. Words of 4 bytes also where merged tiles would take them:
/// 141x82x31x33 by 1302, whose matrices of 31x33 a block then holds three of, 0.72, so 0.88;
/// 44x53x2x29x58 by 31402 0.72, 0.95; 1784x62x12x12 by 3021 0.47, 0.86; of ten, two lost 4 and 6 %
/// (H200, 2026-11-30).
bool is_large_tensor_tile(bit_copy const& c, transpose_config const& config) {
  constexpr double min_efficiency_where_merged = 0.8, least_gain = 0.98;
  constexpr int merged_side = 64;
  bool const is_wide = c.word_bytes == 8;
  if (is_wide ? is_tensor_tile_of_wide_words(c, config) : is_tensor_tile(c, config))
    return efficiency_of_large_tile(c) >= least_gain * tensor_tile_of(c).efficiency;
  if (is_wide) return is_large_tensor_tile_of_wide_words(c, config);
  transpose_config merged = config;
  merged.kernel.rows = merged.kernel.cols = merged_side;
  return is_merged_tile(c, merged) && efficiency_of_large_tile(c) >= min_efficiency_where_merged;
}

/// Shares of a copy by other kernels and so: few rows whose pieces others continue, 47x7x3x39609 by
/// 3021 0.56, 0.81, 64x40x3x5x900 by 01432 0.51, 0.87; small matrices of three rows, or of three
/// columns and less, 31x42x3x25x20 by 34102 0.61, 0.91, 8x18x199x171x9x2 by 342051 0.74, 0.87; but
/// of 5 to 59 rows and columns 0.94 to 1.03 of the time, and two rows, 2x56952x39 by 210, 0.92,
/// 0.83 (H200, 2026-11-30).
bool is_tensor_tile_of_pairs(bit_copy const& c, transpose_config const& config) {
  constexpr double min_efficiency = 0.78, most_efficiency_of_rows = 0.75;
  constexpr index few = 3;
  if (!c.is_batch || !c.is_transposed || c.is_in_place || c.words_in_run > 1) return false;
  bool const has_narrow_matrices =
      is_small_scattered(c, config) && c.rows >= few && std::min(c.rows, c.cols) <= few;
  bool const has_cut_rows =
      is_skinny_rows(c, config) && efficiency_of_matrices(c) < most_efficiency_of_rows;
  return (has_narrow_matrices || has_cut_rows) && efficiency_of_large_tile(c) >= min_efficiency;
}

/// Elements of several words that no tile is compiled for, or that fill tiles badly. Shares of a
/// copy so and word by word: runs of 9 bytes, 98x7348x9 by 102 0.65, 0.34; of 18 bytes, 77x4676x9
/// 0.82, 0.34; 67x1568x382x5 of 3 bytes by 2013 0.48, 0.04; as scattered ones: 3x82x9x200x65x30
/// bytes by 140325 0.53, 0.10; by tiles: 14 bytes of 11x14x33x11x9x7 by 304125 0.71, 0.40; 3 bytes
/// of 101x133x927x7 by 3201 0.41, 0.20 (H200, 2026-11-29). Few rows with gaps in the output: 3
/// bytes of 2x7x7316x1215 by 3120 0.35, as skinny ones 0.14; 20x24x39x3x9x39 by 145203 0.40, as
/// scattered ones 0.09 (2026-11-30).
bool is_tensor_of_long_elements(bit_copy const& c, transpose_config const& config) {
  constexpr double min_efficiency = 0.3, min_filled = 0.5;
  constexpr int most_words_of_tiles = 7;
  bool const has_tiles = c.words_in_run <= most_words_of_tiles && c.words_in_run != 4 &&
                         !(c.word_bytes == 4 && c.words_in_run == 6);
  bool const fills_tiles = has_tiles && filled(c.rows, 64) * filled(c.cols, 32) > min_filled;
  return c.is_transposed && !c.is_in_place && c.words_in_run > 1 &&
         c.element_bytes() < min_long_element_bytes && !fills_tiles && !is_skinny_cols(c, config) &&
         !(is_skinny_rows(c, config) && !are_output_rows_apart(c)) &&
         tensor_tile_of(c).efficiency > min_efficiency;
}

}  // namespace transpose_table
}  // namespace detail
}  // namespace v0
}  // namespace xpose
