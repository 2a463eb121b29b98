// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The conditions of transpose_small_batched and its kernels for bytes, whose blocks take whole
// matrices: which batches without gaps they are for, in blocks of which size, and the measurements
// that say so.

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

// A block a matrix: fewer leave multiprocessors idle. Of bytes, tiles for any address take more
// than twice the instructions: 100 of 201x203 bytes have 0.44 of a copy by tiles, 0.57 by whole
// blocks, 40 of these 0.61, 0.56; 1000 of 150x150 0.39, 0.74; 300 of 255x254 0.54, 0.61 (H200,
// 2026-11-28).
constexpr index min_whole_matrices = 256;
constexpr index min_whole_matrices_of_bytes = 64;
// All resident at once, they load together and store together: 320 of 318x96 of 2 bytes have 0.47
// of a copy (H100).
constexpr index min_whole_matrices_that_fill_tiles = 1024;

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

}  // namespace

namespace transpose_table {

/// Few columns of bytes or 2 bytes, so long that skinny ones, or few_cols, have whole tiles of
/// them. Shares of a copy so and as a small batch: bytes of 4969x209x9x3 by 0312 0.83, 0.68; 2
/// bytes of 1312x54x54x3 1.06, 0.88; 2484x209x9x3 1.02, 0.93; 3 bytes of 1552x28x28x4 0.99, 0.81;
/// but shorter ones, 3 bytes of 3634x21x21x4 0.75, 0.79, 2 bytes of 335x31x31x4 1.13, 1.15 (H200,
/// 2026-11-30).
static bool are_long_few_cols(bit_copy const& c, transpose_config const& config) {
  constexpr index most_cols = 4, min_col_words = 1536;
  return !c.is_in_place && c.word_bytes <= 2 && c.cols <= most_cols &&
         c.rows * c.words_in_run >= min_col_words && is_skinny_cols(c, config) &&
         !is_small_scattered(c, config);
}

bool is_small_batch(bit_copy const& c, transpose_config const& config) {
  return is_packed_batch_of(c, config.kernel.smem_bytes - vec16_bytes) &&
         !are_long_few_cols(c, config);
}

/// Matrices that fit small blocks. Shares of a copy in these and in blocks of 32 KB, which have
/// more in flight, of 1, 2 and 4 bytes: some 10^9 bytes of Nx7x7x3 by 0312 0.73, 0.86; 0.83, 0.97;
/// 0.90, 0.97; of Nx12x22x64 by 0132 0.60, 0.65; 0.78, 0.95; 0.90, 0.97; of Nx4x17x7 by 0231 0.70,
/// 0.67; 0.95, 0.98; 1.00, 0.98; bytes of 83798x17x80x3 0.65, 0.88; 3 bytes of 195071x23x20x3 0.62,
/// 0.84; f64 of Nx8x13x4 0.99, 0.97. Where there are few: bytes of 20854x4x18x13 0.80, 0.73, f32 of
/// 5213x4x18x13 1.12, 1.08 (H200, 2026-11-29).
bool is_batch_for_larger_blocks(bit_copy const& c, transpose_config const& config) {
  constexpr index small = small_batched_smem_bytes - vec16_bytes;
  return !c.is_in_place && c.rows * c.cols * c.element_bytes() <= small &&
         is_small_batch(c, config);
}

/// Bytes of which whole matrices fill small blocks badly.
static bool fill_small_blocks_badly(bit_copy const& c) {
  constexpr double max_filled = 0.85;
  constexpr index small = small_batched_smem_bytes - vec16_bytes;
  index const matrix = c.rows * c.cols;
  return static_cast<double>(small / matrix * matrix) < max_filled * static_cast<double>(small);
}

static bool is_batch_of_vec4s(bit_copy const& c, transpose_config const& config) {
  return c.is_vec16_aligned && c.rows % 4 == 0 && c.cols % 4 == 0 &&
         is_packed_batch_of(c, config.kernel.smem_bytes);
}

/// Not one matrix a block if aligned tiles are filled: 420 of 64x256 0.58 of a copy, in tiles 0.94
/// (H200, 2026-11-29).
bool is_small_batch_of_vec4s(bit_copy const& c, transpose_config const& config) {
  bool const fills_tiles =
      !c.is_in_place && 2 * c.rows * c.cols > config.kernel.smem_bytes && fills_square_tiles(c);
  return !fills_tiles && is_batch_of_vec4s(c, config);
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

/// Not in place, where it was not measured.
bool are_quads_for_small_blocks(bit_copy const& c, transpose_config const& config) {
  return !c.is_in_place && is_small_batch_of_quads(c, config);
}

bool are_quads_for_larger_blocks(bit_copy const& c, transpose_config const& config) {
  return is_small_batch_of_quads(c, config) && is_batch_for_larger_blocks(c, config) &&
         fill_small_blocks_badly(c);
}

/// Few rows of bytes or 2 bytes whose columns are no whole words, many of them. Shares of a copy as
/// skinny rows and in whole blocks, of 32 KB: bytes of 1880 of 27x337 0.61, 0.81; 475 of 20x717
/// 0.80, 0.86; 7840 of 15x1061 0.54, 0.64; of 2 bytes 0.85, 0.95; 1.01, 0.98; 0.88, 0.97; but bytes
/// of 226 of 23x618 0.87, 0.85, 1159 of 12x1890 0.78, 0.69 (H200, 2026-12-01).
static bool are_batch_of_cut_rows(bit_copy const& c) {
  constexpr index most_elements = (16 << 10) - vec16_bytes;
  constexpr index min_words = index{5} << 20, min_rows = 8;
  return c.word_bytes <= 2 && c.words_in_run == 1 && c.word_count >= min_words &&
         c.rows >= min_rows && c.rows * c.cols <= most_elements &&
         c.rows % (c.word_bytes == 1 ? 8 : 2) != 0;
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
  int const down = c.word_bytes == 16 ? 8 : 32, across = c.word_bytes == 4 ? 64 : down;
  double const in_tiles = std::max(filled(c.rows, down) * filled(c.cols, across),
                                   filled(c.rows, across) * filled(c.cols, down));
  // Of bytes, whose rows are not cut if the output begins at a sector: 300 of 64x1001 0.95 of a
  // copy, by whole blocks 0.74 (H100).
  bool const fills_tiles_of_bytes = is_single && c.word_bytes == 1 && c.rows == 64 &&
                                    c.out_pitch % sector_bytes == 0 && filled(c.cols, 128) > 0.8;
  bool const fills_tiles_of_wide =
      has_two_blocks && is_single && c.word_bytes >= 4 && in_tiles > min_filled;
  return fills_square_tiles(c) || fills_tiles_of_bytes || fills_tiles_of_wide ||
         (is_skinny_rows(c, {}) && !are_batch_of_cut_rows(c)) ||
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

/// Not bytes one by one in blocks of 64 KB: 13x12x813x80 by 0132 0.54, by tiles of 64x128 0.75;
/// 76x256x15x15 by 0231 0.84, by tiles of 64x128 1.08; 3 bytes of 295x8x9x256 0.60, 0.72 (H200,
/// 2026-11-30).
bool is_batch_for_whole_blocks(bit_copy const& c, transpose_config const& config) {
  constexpr int most_smem_of_bytes = 48 << 10;
  if (c.word_bytes == 1 && !c.is_in_place && config.kernel.smem_bytes > most_smem_of_bytes)
    return false;
  bool const has_bytes = c.word_bytes == 1 && c.words_in_run == 1;
  return is_small_batch(c, config) &&
         are_for_whole_blocks(c, has_bytes                  ? min_whole_matrices_of_bytes
                                 : fills_unaligned_tiles(c) ? min_whole_matrices_that_fill_tiles
                                                            : min_whole_matrices);
}

bool are_quads_for_whole_blocks(bit_copy const& c, transpose_config const& config) {
  return is_small_batch_of_quads(c, config) && is_batch_for_whole_blocks(c, config);
}

/// Few columns too, which whole blocks of up to 32 KB load as fast: 27425 of 6084x4 as skinny ones
/// 0.65 of a copy, so 0.97 (H200, 2026-11-29).
/// Not columns a multiple of 128 bytes apart, which meet in the same banks: 3196x12x12x256 by 0312
/// 0.44, in quads 0.82; 885x8x9x256 0.59, 1.05; 410x40x376x128 by 0132 0.64, 0.78 (2026-11-30).
bool is_batch_of_vec4s_for_whole_blocks(bit_copy const& c, transpose_config const& config) {
  constexpr index most_cols = 8, small_block = 32 << 10, banks_bytes = 128;
  bool const has_few_cols = c.cols <= most_cols && config.kernel.smem_bytes <= small_block &&
                            c.word_count >= min_whole_matrices * c.rows * c.cols;
  return is_batch_of_vec4s(c, config) && c.cols % banks_bytes != 0 &&
         (has_few_cols || are_for_whole_blocks(c, min_whole_matrices_of_bytes));
}

bool is_batch_in_place(bit_copy const& c, transpose_config const& config) {
  return c.is_in_place && is_small_batch(c, config);
}

}  // namespace transpose_table
}  // namespace detail
}  // namespace v0
}  // namespace xpose
