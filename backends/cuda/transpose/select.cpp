// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// From operands to a bit copy, the conditions of the table, and the choice of a config.

#include <xpose/backends/cuda/transpose/select.hpp>

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/cuda/memory/access_bytes.hpp>
#include <xpose/backends/cuda/transpose/skinny.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>

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
// A block a matrix: fewer leave multiprocessors idle.
constexpr index min_whole_matrices = 256;
constexpr index min_whole_matrices_of_vec4s = 64;
// All resident at once, they load together and store together: 256 of 335x128 bytes have 0.25 of a
// copy, 320 of 318x96 of 2 bytes 0.47 (H100).
constexpr index min_whole_matrices_that_fill_tiles = 1024;
// Runs of a vec16 and more: it then holds parts of two at most. Long ones have few ends.
constexpr index max_packed_run_bytes = 512;
// Numbers of rows and columns have 31 bits.
constexpr index max_merged = index{1} << 30;

/// The bits of a side's address and strides, but for the dimension `along`, in which elements are
/// contiguous.
std::uint64_t address_bits(copy_plan const& plan, void const* first,
                           index copy_plan::dimension::*stride, int along) {
  std::uint64_t bits = reinterpret_cast<std::uintptr_t>(first);
  for (int d = 1; d < plan.count; ++d)
    if (d != along) bits |= static_cast<std::uint64_t>(plan.dimensions[d].*stride);
  return bits;
}

int widest_word(std::uint64_t bits) {
  int word = vec16_bytes;
  while (bits % static_cast<std::uint64_t>(word) != 0) word /= 2;
  return word;
}

char const* end_of_input(copy_plan const& plan, char const* in) {
  char const* end = in + plan.dimensions[0].extent;
  for (int d = 1; d < plan.count; ++d)
    end += std::max<index>(0, (plan.dimensions[d].extent - 1) * plan.dimensions[d].in_stride);
  return end;
}

/// Whether the matrices have one outer dimension and lie in it without gaps on both sides.
bool is_packed_batch(bit_copy const& c) {
  copy_plan const& plan = c.plan;
  index const run = plan.dimensions[0].extent;
  if (plan.count > 4 || c.in_pitch != c.cols * run || c.out_pitch != c.rows * run) return false;
  if (plan.count == 3) return true;  // one matrix
  auto const& batch = plan.dimensions[plan.in_fastest == 2 ? 3 : 2];
  index const bytes = c.rows * c.cols * run;
  return batch.in_stride == bytes && batch.out_stride == bytes;
}

bool has_aligned_rows(bit_copy const& c) {
  // Neighbouring tiles of a small matrix run together, so that sectors they share meet in L2.
  constexpr index small_matrix_bytes = index{1} << 18;
  copy_plan const& plan = c.plan;
  std::uint64_t const out_alignment =
      c.rows * c.cols * plan.dimensions[0].extent <= small_matrix_bytes ? vec16_bytes
                                                                        : sector_bytes;
  auto const in_bits = address_bits(plan, c.in, &copy_plan::dimension::in_stride, plan.in_fastest);
  return in_bits % vec16_bytes == 0 &&
         address_bits(plan, c.out, &copy_plan::dimension::out_stride, 1) % out_alignment == 0;
}

bit_copy bit_copy_of(copy_plan const& plan, char const* in, char* out) {
  index const run = plan.dimensions[0].extent;
  bit_copy c{plan, in, out};
  c.readable_end = end_of_input(plan, in);
  c.word_bytes = widest_word(static_cast<std::uint64_t>(run) |
                             address_bits(plan, in, &copy_plan::dimension::in_stride, 0) |
                             address_bits(plan, out, &copy_plan::dimension::out_stride, 0));
  c.words_in_run = run / c.word_bytes;
  c.word_count = plan.units / c.word_bytes;
  bool const is_in_order = plan.in_fastest <= 1;
  if (is_in_order) return c;
  auto const& rows = plan.dimensions[1];
  auto const& cols = plan.dimensions[plan.in_fastest];
  c.rows = rows.extent;
  c.cols = cols.extent;
  c.in_pitch = rows.in_stride;
  c.out_pitch = cols.out_stride;
  c.is_transposed = rows.out_stride == run && cols.in_stride == run;
  c.is_aligned = has_aligned_rows(c);
  c.is_vec16_aligned =
      (reinterpret_cast<std::uintptr_t>(in) | reinterpret_cast<std::uintptr_t>(out)) %
          vec16_bytes ==
      0;
  c.is_batch = plan.count > 3;
  c.has_gaps = !is_packed_batch(c);
  c.is_in_place = in == out;
  return c;
}

index element_bytes(bit_copy const& c) { return c.words_in_run * c.word_bytes; }

/// Sides up to which the kernels for skinny matrices beat tiles that are filled exactly. Elements
/// of several words: tiles of narrow words are at least 64 wide (3 bytes, 4194304x32: tiles 0.34 of
/// a copy, 31 columns as skinny ones 0.91; H100, 2026-11-21), those of wide ones 32.
index max_skinny_side(bit_copy const& c) {
  if (c.words_in_run > 1) return c.word_bytes <= 2 ? 33 : 31;
  return c.word_bytes <= 2 ? 33 : c.word_bytes == 4 ? 24 : c.word_bytes == 8 ? 17 : 16;
}

/// One-word elements: also sides that fill less than tiles of 64.
bool is_skinny(bit_copy const& c, index side) {
  if (c.words_in_run > 1 && element_bytes(c) >= min_long_element_bytes) return false;
  if (side <= max_skinny_side(c)) return true;
  bool const fills_tiles = c.is_aligned && side % 16 == 0;
  return c.words_in_run == 1 && side < 64 && !fills_tiles;
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

/// 80 columns fill 62 % of tiles of 64, 83 % of tiles of 32.
bool is_filled_better_than_rival(transpose_config const& config, bit_copy const& c) {
  constexpr double min_gain = 1.1;
  return config.rival_rows == 0 ||
         filled(c.rows, config.kernel.rows) * filled(c.cols, config.kernel.cols) >
             min_gain * filled(c.rows, config.rival_rows) * filled(c.cols, config.rival_cols);
}

bool fits(transpose_config const& config, bit_copy const& c, int capability) {
  return config.word_bytes == c.word_bytes &&
         (config.words_in_run == 0 || config.words_in_run == c.words_in_run) &&
         c.word_count >= config.min_words && c.word_count < config.words_below &&
         c.rows >= config.min_side && c.cols >= config.min_side &&
         capability >= config.capability && config.suits(c, config) &&
         is_filled_better_than_rival(config, c);
}

transpose_table::config_range configs_of(int word_bytes) {
  using namespace transpose_table;
  return word_bytes == 1   ? configs<1>()
         : word_bytes == 2 ? configs<2>()
         : word_bytes == 4 ? configs<4>()
         : word_bytes == 8 ? configs<8>()
                           : configs<16>();
}

/// Whether a config is for any transpose of elements of one word, or any that is aligned.
bool is_of_tiles(transpose_config const& config) {
  return config.words_in_run == 1 && (config.suits == transpose_table::is_aligned ||
                                      config.suits == transpose_table::is_transposed);
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

bool is_small_batch_of_vec4s(bit_copy const& c, transpose_config const& config) {
  return c.is_vec16_aligned && c.rows % 4 == 0 && c.cols % 4 == 0 &&
         is_packed_batch_of(c, config.kernel.smem_bytes);
}

/// Whether tiles, or the kernels for skinny matrices, leave little idle of a block. Shares of a
/// copy so and in whole blocks: 6073 of 1344x32 bytes 0.93, 0.16; 342 of 4x2304 f32 0.91, 0.74; but
/// 6073 of 672x16 of 2 bytes 0.85, 0.93 (H100, 2026-11-25).
static bool suits_parts(bit_copy const& c) {
  if (c.words_in_run != 1 || c.rows * c.cols * c.word_bytes <= small_batched_smem_bytes)
    return false;
  return fills_square_tiles(c) || is_skinny_rows(c, {}) ||
         (c.word_bytes == 1 && is_skinny_cols(c, {}));
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
  bool const suits_tiles = has_bytes || fills_unaligned_tiles(c);
  return is_small_batch(c, config) &&
         are_for_whole_blocks(
             c, suits_tiles ? min_whole_matrices_that_fill_tiles : min_whole_matrices);
}

bool is_batch_of_vec4s_for_whole_blocks(bit_copy const& c, transpose_config const& config) {
  return is_small_batch_of_vec4s(c, config) && are_for_whole_blocks(c, min_whole_matrices_of_vec4s);
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

/// The share of the tiles that both sides merged fill. 0: nothing is merged, or the matrices are so
/// small that transpose_small_scattered takes several to a block, or columns do not fill a vec16:
/// bytes of 16x39x8x9x12x3 by 520143 have 0.26 of a copy then (H100, 2026-11-26).
static double filled_when_merged(bit_copy const& c, int tile_rows, int tile_cols) {
  merged_sides const sides = merged_sides_of(c, tile_rows, tile_cols);
  index const rows = sides.rows.extent(), cols = sides.cols.extent();
  bool const is_merged = rows > c.rows || cols > c.cols;
  if (!is_merged || rows > max_merged || cols > max_merged ||
      rows * cols < min_narrow_tile_elements || cols * c.word_bytes < vec16_bytes)
    return 0;
  return filled(rows, tile_rows) * filled_equally(cols, tile_cols, vec16_bytes / c.word_bytes);
}

bool is_merged_tile(bit_copy const& c, transpose_config const& config) {
  constexpr double max_share = 0.7;  // of what both sides merged fill
  if (!c.is_batch || !c.is_transposed || c.is_in_place) return false;
  // tile_unaligned's, which would take it.
  int const rows = 128 / c.word_bytes, cols = std::max(64, rows);
  return filled(c.rows, rows) * filled(c.cols, cols) <
         max_share * filled_when_merged(c, config.kernel.rows, config.kernel.cols);
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

/// Few words of 1 or 2 bytes that tiles read in parts: these meet in a sector of nearly each row.
/// Bytes of 8903565x94 0.84 of a copy so, L2 92 % busy (H100, 2026-11-26); 32 of 6342x80 0.66
/// (2026-11-27).
static bool has_rows_of_a_tile_and_a_part(bit_copy const& c) {
  constexpr double min_filled = 0.8;
  constexpr index min_elements_in_batch = index{1} << 18;
  return c.word_bytes <= 2 && c.words_in_run == 1 && !c.is_aligned &&
         (!c.is_batch || c.rows * c.cols >= min_elements_in_batch) && c.cols > 64 &&
         filled(c.cols, 64) < min_filled;
}

/// Rows so close together that they are read as one range, of 128 bytes of the output at least.
bool is_skinny_cols(bit_copy const& c, transpose_config const&) {
  return c.is_transposed && (is_skinny(c, c.cols) || has_rows_of_a_tile_and_a_part(c)) &&
         c.rows > 4 * c.cols &&
         fits_skinny_cols(c.cols * element_bytes(c), c.in_pitch, c.word_bytes);
}

bool is_skinny_rows(bit_copy const& c, transpose_config const&) {
  return c.is_transposed && is_skinny(c, c.rows) && c.cols > 4 * c.rows &&
         fits_skinny_rows(c.rows, element_bytes(c), c.word_bytes);
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

bool is_long_element(bit_copy const& c, transpose_config const&) {
  return element_bytes(c) >= min_long_element_bytes;
}

}  // namespace transpose_table

bit_copy plan_bit_copy(tensor_operand const& in, tensor_operand const& out) {
  copy_plan const plan = plan_runs(in, out);
  return bit_copy_of(plan, first_unit<char const>(in, plan.in_offset),
                     first_unit<char>(out, plan.out_offset));
}

merged_sides merged_sides_of(bit_copy const& c, int tile_rows, int tile_cols) {
  copy_plan const& plan = c.plan;
  constexpr copy_plan::dimension none{1, 0, 0};
  merged_sides sides{
      {{plan.dimensions[1], none, none}}, {{plan.dimensions[plan.in_fastest], none, none}}, 0, {}};
  for (int d = 2; d < plan.count; ++d)
    if (d != plan.in_fastest) sides.others[sides.others_count++] = plan.dimensions[d];
  auto const merge = [&](merged_dimensions& side, int of_tile,
                         index copy_plan::dimension::*stride) {
    // No more than that: rows of 149x58 need not take the 18 behind them from columns of 32x18.
    constexpr double is_full = 0.8;
    for (int m = 1; m < merged_dimensions::most && filled(side.extent(), of_tile) < is_full; ++m) {
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
  merge(sides.rows, tile_rows, &copy_plan::dimension::out_stride);
  merge(sides.cols, tile_cols, &copy_plan::dimension::in_stride);
  return sides;
}

bit_copy piece_of(bit_copy const& whole, copy_plan const& part) {
  return bit_copy_of(part, whole.in + (part.in_offset - whole.plan.in_offset),
                     whole.out + (part.out_offset - whole.plan.out_offset));
}

tuned_move_class class_of(bit_copy const& c) {
  auto const word = std::find(std::begin(tuned_words), std::end(tuned_words), c.word_bytes);
  auto const size = std::find_if(std::begin(tuned_bytes_below), std::end(tuned_bytes_below),
                                 [&](index below) { return c.word_count * c.word_bytes < below; });
  return {static_cast<std::size_t>(word - std::begin(tuned_words)), c.is_aligned,
          static_cast<std::size_t>(size - std::begin(tuned_bytes_below))};
}

std::vector<transpose_config const*> tile_configs(int word_bytes, int capability) {
  std::vector<transpose_config const*> found;
  transpose_table::config_range const table = configs_of(word_bytes);
  for (auto const* config = table.first; config != table.last; ++config) {
    bool const is_known = std::any_of(found.begin(), found.end(), [&](auto const* other) {
      return other->launch == config->launch && other->suits == config->suits;
    });
    if (is_of_tiles(*config) && config->word_bytes == word_bytes &&
        capability >= config->capability && !is_known)
      found.push_back(config);
  }
  return found;
}

transpose_config const& select_transpose_kernel(bit_copy const& c, move_gpu const& gpu) {
  transpose_table::config_range const table = configs_of(c.word_bytes);
  transpose_config const& first =
      *std::find_if(table.first, table.last, [&](transpose_config const& config) {
        return fits(config, c, gpu.capability);  // each table has a config for anything
      });
  if (gpu.tuned == nullptr || !is_of_tiles(first) || c.is_in_place ||
      std::min(c.rows, c.cols) < min_tuned_side)
    return first;
  tuned_move_class const of = class_of(c);
  transpose_config const* const tuned = gpu.tuned->configs[of.word][of.is_aligned ? 1 : 0][of.size];
  return tuned != nullptr && tuned->suits(c, *tuned) ? *tuned : first;
}

piece_limits limits_of(transpose_config const& config, transpose_limits const& most) {
  return {(config.numbers_tiles ? most.words_in_tiles : most.words) * config.word_bytes,
          most.extent, true};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
