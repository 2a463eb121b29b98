// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Matrices of tensors whose dimensions are shorter than a tile: which dimensions are merged to rows
// and columns, and which copies take tiles of these, or those of a tensor instead.

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/cuda/memory/access_bytes.hpp>
#include <xpose/backends/cuda/transpose/select.hpp>
#include <xpose/backends/cuda/transpose/skinny.hpp>
#include <xpose/backends/cuda/transpose/tensor_tile.hpp>

#include <algorithm>
#include <cstdint>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

// Numbers of rows and columns have 31 bits.
constexpr index max_merged = index{1} << 30;

/// Rows of up to so many dimensions, and what these leave to the columns.
merged_sides merged_with_rows_of(int most, bit_copy const& c, int tile_rows, int tile_cols) {
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
      index const step = side.extent() * c.element_bytes();
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

/// As filled(), of equal tiles of up to so many, each of whole vec16s.
double filled_equally(index extent, int most, int vec16) {
  return static_cast<double>(extent) /
         static_cast<double>(ceil_div(extent, index{most}) *
                             vec16s_of_equal_tile(extent, most, vec16) * vec16);
}

/// Not if nothing is merged, or the matrices are so small that transpose_small_scattered takes
/// several to a block, or columns do not fill a vec16: bytes of 16x39x8x9x12x3 by 520143 have 0.26
/// of a copy then (H100, 2026-11-26).
bool can_fill_tiles(merged_sides const& sides, bit_copy const& c) {
  index const rows = sides.rows.extent(), cols = sides.cols.extent();
  bool const is_merged = rows > c.rows || cols > c.cols;
  return is_merged && rows <= max_merged && cols <= max_merged &&
         rows * cols >= min_narrow_tile_elements && cols * c.word_bytes >= vec16_bytes;
}

/// Whether a dimension lies behind the columns in the input and behind the rows in the output.
bool have_dimension_of_both_sides(bit_copy const& c) {
  index const in_step = c.cols * c.element_bytes(), out_step = c.rows * c.element_bytes();
  auto const* const dimensions = c.plan.dimensions;
  for (int d = 2; d < c.plan.count; ++d)
    if (dimensions[d].in_stride == in_step && dimensions[d].out_stride == out_step) return true;
  return false;
}

/// As filled(), of tiles that reach beyond the rows.
double filled_beyond(index rows, index extra_rows, int tile_rows) {
  return static_cast<double>(rows) /
         static_cast<double>(ceil_div(rows + extra_rows, index{tile_rows}) * tile_rows);
}

/// The share of the tiles that both sides merged fill; 0 if they cannot.
double filled_when_merged(bit_copy const& c, int tile_rows, int tile_cols) {
  merged_sides const sides = merged_sides_of(c, tile_rows, tile_cols);
  if (!can_fill_tiles(sides, c)) return 0;
  return filled_beyond(sides.rows.extent(), extra_rows_of(sides, c), tile_rows) *
         filled_equally(sides.cols.extent(), tile_cols, vec16_bytes / c.word_bytes);
}

}  // namespace

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

index extra_rows_of(merged_sides const& sides, bit_copy const& copy) {
  index bits = static_cast<index>(reinterpret_cast<std::uintptr_t>(copy.out));
  for (auto const& d : sides.cols.dimensions) bits |= d.out_stride;
  for (int d = 0; d < sides.others_count; ++d) bits |= sides.others[d].out_stride;
  return bits % sector_bytes == 0 ? 0 : sector_bytes / copy.word_bytes;
}

namespace {

/// By how many rows tiles reach beyond a matrix of which nothing is merged.
index extra_rows_unmerged(bit_copy const& c) {
  return extra_rows_of(merged_with_rows_of(1, c, 1, 1), c);  // 1x1 is filled by itself
}

}  // namespace

namespace transpose_table {

/// Not those of bytes that fill a fourth of a block's shared memory at most. Shares of a copy as
/// such, merged and as a tensor: bytes of 26x12x13x99x23 by 14203 0.42, 0.67, 0.58; 21x11x12x199x20
/// 0.50, 0.64, 0.42; 9x21x21x117x18 by 24103 0.48, 0.32, 0.61; 49x5x10x10x310x7 by 253104 0.34,
/// 0.16, 0.53; but of 4056, 11x10x11x338x12 by 24013, 0.68, 0.57, 0.53, of two columns,
/// 24x9614x169x11x2 by 41023, 0.55, 0.46 as a tensor, and 1 MB, 5x9x9x569x5, 1.11, 0.90. 2 bytes of
/// 2 to 4 KB 0.66 to 0.72, 0.35 to 0.68, 0.65 to 0.68 (H200, 2026-12-01).
static bool are_best_as_skinny_cols(bit_copy const& c, transpose_config const& config) {
  constexpr index most_bytes = 4000, min_bytes_in_all = index{1} << 21, min_cols = 5;
  bool const are_many_small_matrices = c.word_bytes == 1 && c.words_in_run == 1 &&
                                       c.cols >= min_cols && c.rows * c.cols <= most_bytes &&
                                       c.word_count >= min_bytes_in_all;
  return is_skinny_cols(c, config) && !are_many_small_matrices;
}

/// Few rows of 4 bytes, as skinny ones and merged: 474*7 of 36x189 0.82, 0.73, where merged ones
/// fill 0.78 of the tiles; 669*7 of 43x224 0.77, 0.79, where 0.82; but 3100*4 of 11x300, pieces of
/// 44 bytes of the output, 0.47, 0.62, where 0.69 (H200, 2026-11-28). Skinny columns were faster as
/// such in 40 random permutes, but for three, of 64 bytes (0.79, merged 0.84; 2026-11-30). Few rows
/// with gaps in the output: 2x9x5x423x1021 by 04312, 45 rows, 0.63, merged 0.85, of 2 bytes 0.46,
/// 0.82.
bool is_merged_tile(bit_copy const& c, transpose_config const& config) {
  constexpr double max_share = 0.7;  // of what both sides merged fill
  constexpr double min_filled_of_few_rows = 0.8;
  constexpr index min_rows_as_skinny = 16;  // 12 to 35 were not measured
  if (!c.is_batch || !c.is_transposed || c.is_in_place) return false;
  if (are_best_as_skinny_cols(c, config) && !is_small_scattered(c, config)) return false;
  double const merged = filled_when_merged(c, config.kernel.rows, config.kernel.cols);
  if (c.word_bytes == 4 && c.rows >= min_rows_as_skinny && merged < min_filled_of_few_rows &&
      is_skinny_rows(c, config))
    return false;
  if (is_skinny_rows(c, config) && are_output_rows_apart(c) && merged > min_filled_of_few_rows)
    return true;
  // tile_unaligned's, which would take it.
  int const rows = 128 / c.word_bytes, cols = std::max(64, rows);
  index const extra_rows = extra_rows_unmerged(c);
  return filled_beyond(c.rows, extra_rows, rows) * filled(c.cols, cols) < max_share * merged;
}

/// Merged tiles that are filled so badly that tiles of a tensor, if only with runs of a hundred
/// bytes, are faster, whether or not runs share a dimension. Shares of a copy merged and so: 4
/// bytes, below 0.78 filled, eleven, 1.2 times as fast: 28x3x61x35x14 by 40132 0.66, 0.89;
/// 10x43x62x7x15 by 41302 0.63, 0.83; 38x60x24x5x35 by 12430 0.59, 0.83; 31x48x5x83x5 by 40231
/// 0.91, 0.85; of 0.78 to 0.85 filled half lost. 2 bytes, below 0.6, seven of seven:
/// 53x60x74x25 by 3210 0.49, 0.65; 38x8x9x31x13 by 24130 0.76, 0.90; but 150x11x119x79x17 by 41302,
/// 0.66 filled, 0.49, 0.34. Bytes, below 0.5, four of 4 MB and more, 1.12, 2x23x64x55x29 by
/// 24103 0.51, 0.62; of fewer, below 0.4, three, 1.05; 5x11x26870 by 210, 0.43 filled, 0.92, 0.84
/// (H200, 2026-12-01).
static bool fills_merged_tiles_badly(bit_copy const& c, transpose_config const& config) {
  constexpr double min_efficiency = 0.55;
  constexpr index many_bytes = index{1} << 22;
  double const max_filled_of_bytes = c.word_count >= many_bytes ? 0.5 : 0.4;
  double const max_filled = c.word_bytes == 1   ? max_filled_of_bytes
                            : c.word_bytes == 2 ? 0.6
                                                : 0.78;
  transpose_config merged = config;
  merged.kernel.rows = c.word_bytes == 1 ? 128 : 64;
  merged.kernel.cols = 64;
  return c.word_bytes <= 4 && is_merged_tile(c, merged) &&
         filled_when_merged(c, merged.kernel.rows, merged.kernel.cols) < max_filled &&
         tensor_tile_of(c).efficiency > min_efficiency;
}

/// Dimensions that are in the runs of both sides, so that neither side can be merged to fill tiles,
/// or that are too short for these. Shares of a copy so and by tiles that are merged: 1, 2 and 4
/// bytes of 58x305x12x38x5x9 by 043152 0.61, 0.73, 0.72, not 0.08, 0.10, 0.25; and by
/// transpose_small_scattered: 33x19x5x84x2x5 by 041253 0.53, 0.66, 0.77, not 0.35, 0.50, 0.72. But
/// where these fill tiles: bytes of 33x32x35x51x6x49 by 035124 0.44, not 0.70, and where 70 columns
/// are two of 35: 1 and 2 bytes of 21x24x15x152x70 by 12430 0.49, 0.43, not 0.63, 0.67 (H100,
/// 2026-11-28). Of three dimensions, a long one between two short ones: by tiles that are merged,
/// 1, 2 and 4 bytes of 9xNx2 by 210 had 0.06, 0.13 and 0.16 (H200, 2026-11-29).
/// Where merged tiles are filled more, but the runs of the input are short and the estimate is
/// high: 2 bytes of 14x18x2x37x30x80 by 014253, 0.57 filled, 0.65 so, 0.49 merged; of 30x9x42x68x16
/// by 14032, 0.66, 0.69, 0.54; f32 of 26x9x35x57x13 0.53, 0.76, 0.60; but bytes of 441x14x31x15x39
/// by 42013, runs of 585 bytes, 0.61, 0.43, 0.65, and of 15x48x12x30x31 by 24031, 0.45 filled,
/// 0.55, 0.76; 9x95x73x74 by 3102, 0.49, 0.59, 0.84; 53x30x88x28 by 2130, 0.41, 0.73, 0.50. Long
/// columns that are skinny: bytes of 20x35321x2x9 by 2031 0.51 so, as skinny ones 0.86, of 2, 3 and
/// 4 bytes 0.69, 0.94; 0.50, 0.83; 0.84, 0.98. Bytes that fill merged tiles to 0.28 and more:
/// 119x69x26x27 by 1302, 0.41 filled, 0.67, merged 0.88; 20x45x28x21 by 3102, 0.29, 0.52, 0.65; of
/// ten, three had up to 12 % less merged (H200, 2026-11-30).
bool is_tensor_tile(bit_copy const& c, transpose_config const& config) {
  constexpr double min_efficiency = 0.5;
  double const min_efficiency_where_merged = c.word_bytes == 4 ? 0.68 : 0.72;
  double const most_filled_when_merged = c.word_bytes > 1 ? 0.68 : c.words_in_run > 1 ? 0.44 : 0.28;
  constexpr index most_run_bytes_where_merged = 512;
  constexpr int most_dimensions_of_batch = 4;  // of a plan; batches were not measured
  bool const is_small_plan = c.plan.count <= most_dimensions_of_batch;
  double const max_filled = is_small_plan ? 0.25 : 0.5;
  double const max_filled_merged = is_small_plan ? max_filled : most_filled_when_merged;
  bool const fills_tiles_of_elements =
      c.words_in_run > 1 && filled(c.rows, 64) * filled(c.cols, 32) > 0.5;
  if (!c.is_transposed || c.is_in_place || c.element_bytes() >= min_long_element_bytes ||
      fills_tiles_of_elements)
    return false;
  if (fills_merged_tiles_badly(c, config)) return true;
  if (is_small_plan && !have_dimension_of_both_sides(c)) return false;
  int const side = std::max(64, 128 / c.word_bytes);  // of tile_unaligned's
  double const alone = std::max(filled(c.rows, side) * filled(c.cols, side),
                                filled(c.rows, 64) * filled(c.cols, 2 * side));
  // Of the columns whole tiles count here: 24 bytes of 64 are short runs to read.
  int const merged_side = c.word_bytes == 1 ? 128 : 64;
  merged_sides const sides = merged_sides_of(c, merged_side, 64);
  double const merged = can_fill_tiles(sides, c) ? filled(sides.rows.extent(), merged_side) *
                                                       filled(sides.cols.extent(), 64)
                                                 : 0;
  if (alone > max_filled || merged > max_filled_merged) return false;
  bool const is_skinny_alone =
      are_best_as_skinny_cols(c, config) || (alone >= merged && is_skinny_rows(c, config));
  if (!is_small_scattered(c, config) && is_skinny_alone) return false;
  tensor_tile const tile = tensor_tile_of(c);
  if (!tile.shares_dimension || tile.efficiency <= min_efficiency) return false;
  return merged <= max_filled || (tile.efficiency > min_efficiency_where_merged &&
                                  tile.in_run * c.word_bytes < most_run_bytes_where_merged);
}

/// The share of the tiles for bytes or 2 bytes at any address that the matrices fill, by
/// themselves.
static double filled_at_any_address(bit_copy const& c) {
  int const side = c.word_bytes == 1 ? 128 : 64;
  index const extra_rows = extra_rows_unmerged(c);
  double const rows = filled_beyond(c.rows, extra_rows, side);
  return std::max({rows * filled(c.cols, side),
                   filled_beyond(c.rows, extra_rows, 64) * filled(c.cols, 128),
                   rows * filled_equally(c.cols, 64, vec16_bytes / c.word_bytes)});
}

/// Bytes of the longest contiguous run of the output that begins with a row.
static index contiguous_output_bytes(bit_copy const& c) {
  copy_plan const& plan = c.plan;
  index bytes = plan.dimensions[0].extent;
  for (int d = 1; d < plan.count;) {
    if (plan.dimensions[d].out_stride != bytes) {
      ++d;
      continue;
    }
    bytes *= plan.dimensions[d].extent;
    d = 1;
  }
  return bytes;
}

/// Matrices without gaps that are small_batched's: bytes in blocks of 4x4, but for quads of 8 to
/// 16 KB, and 2 bytes: 480 of 65x64 0.85 of a copy, so 0.66; 3480 of 115x128 0.93, 0.77 (H200,
/// 2026-11-30).
static bool is_small_batch_with_units(bit_copy const& c, transpose_config const& config) {
  constexpr index most_bytes_of_quads = 16 << 10;
  if (c.word_bytes == 2) return is_small_batch(c, config.smem(32 << 10));
  return is_batch_of_vec4s_for_whole_blocks(c, config.smem(64 << 10)) ||
         (c.rows * c.cols > most_bytes_of_quads &&
          are_quads_for_whole_blocks(c, config.smem(48 << 10)));
}

/// Rows of bytes whose output has no gaps, in matrices of 2^18 and more, 16 MB in all, where a tile
/// takes all of them. Shares of a copy so, as skinny bytes, and by tiles of 64x128: 56x1071428
/// 0.77, 0.72, 0.42; 96x625000 0.88, 0.80, 0.73; 121x495867 0.74, 0.68, 0.50; 150x400000 0.77,
/// 0.66, 0.68; 79x261868 0.80, 0.74; but 45x1333333 0.68, 0.75, 190x315789 0.64 as tiles, and of 8
/// MB 101x79207 0.74, 0.90 (H200, 2026-11-30).
static bool are_rows_of_interleaved_tile(bit_copy const& c) {
  constexpr index min_rows = 46, max_rows = 180, tile_rows = 64;
  constexpr index min_matrix = index{1} << 18, min_bytes = index{1} << 24;
  return c.word_bytes == 1 && c.words_in_run == 1 && !c.is_aligned && c.out_pitch == c.rows &&
         c.rows >= min_rows && c.rows <= max_rows && c.rows % tile_rows != 0 &&
         c.rows * c.cols >= min_matrix && c.word_count >= min_bytes;
}

/// Of runs that interleaved tiles would make longer, but hardly faster.
static bool has_good_tensor_tile(bit_copy const& c) {
  constexpr double min_efficiency = 0.82;
  constexpr index most_out_run_bytes = 1024;
  tensor_tile const tile = tensor_tile_of(c);
  return tile.efficiency >= min_efficiency && tile.out_run * c.word_bytes < most_out_run_bytes;
}

/// Long runs of the output that have many rows each, where tiles of one column after another are
/// cut at the ends of all. Shares of a copy by other kernels and so (H200, 2026-11-30):
///   tiles, merged or not   bytes of 9x1699x11x213 by 1320 0.29, 0.59; 68x131x544x15 by 2031 0.38,
///                          0.62; 12x64x9x11x15x194 by 043251 0.65, 0.80; 170x1137x311 by 120 0.46,
///                          0.68; 2 bytes of 11x56x9x11x15x121 by 043251 0.42, 0.72;
///                          13x5x48x27x16x67 by 403152, 0.74 filled when merged, 0.61, 0.72; but of
///                          188x11x63896 by 120, 0.73 filled, 0.78, 0.63
///   small batches          bytes of 19616x12x22x64 by 0132 0.63, 0.86; 4075x12x77x128 0.69, 0.84
///   tile_tensor            bytes of 16x21x2x42x34x92 by 014253 0.52, 0.69; 15x49x5319x5x7 by 21430
///                          0.44, 0.54; 2 bytes of 31x52x47x38x37 by 23140 0.55, 0.67; but of 2 MB,
///                          76x58x19x26 by 0321, 0.76, 0.56
/// With ends of runs in few accesses, runs of 276 bytes, 92x11x99x63x43 by 42130 0.48, 0.60, and of
/// 360, 9x16x108x24x15x23 by 215043 as a tensor 0.46, 0.65; 2 bytes of 9x14x85x20x15x20, which fill
/// 0.78 when merged but go by tile_tensor, 0.60, 0.67; those of 63 to 150 had 0.14 to 0.31. 2 bytes
/// whose tensor tile has a high estimate and runs of the output below 1 KB: six of six by
/// tile_tensor, 119x69x26x27 by 1302 0.60, 0.77; 59x27x613x11 by 0321 0.61, 0.73. Of 4 to 8 MB ten
/// of eleven were slower so, or as fast: 2 bytes of 31x48x5x83x5 by 40231 0.79, merged 0.98; bytes
/// of 29x13x33x15x4x9 by 045231 0.54, 0.79; 120x16x29x80 by 0132 0.80, in small batches 1.00; but
/// of 29x52x41x2x64 by 12430 0.68, 0.57 (2026-12-01).
bool is_interleaved_tensor_tile(bit_copy const& c, transpose_config const& config) {
  constexpr index min_out_run_bytes = 250, min_rows = 7;
  constexpr index min_bytes = index{1} << 23;
  constexpr double min_efficiency = 0.65;
  constexpr double min_filled_vec16s = 0.8;  // 33 bytes, which are three of them, were not measured
  double const max_filled = c.word_bytes == 1 ? 0.78 : 0.65;
  double const max_filled_when_merged = c.word_bytes == 1 ? 0.78 : 0.75;
  int const side = c.word_bytes == 1 ? 128 : 64;
  if (!c.is_transposed || c.is_in_place) return false;
  if (are_rows_of_interleaved_tile(c)) return interleaved_tensor_tile_of(c, 4).efficiency > 0;
  if (!c.is_batch || c.words_in_run > 1 || c.word_bytes > 2 || c.rows < min_rows ||
      c.word_count * c.word_bytes < min_bytes || contiguous_output_bytes(c) < min_out_run_bytes)
    return false;
  if (is_skinny_cols(c, config) || is_skinny_rows(c, config) ||
      is_small_batch_with_units(c, config) || filled_at_any_address(c) > max_filled ||
      (filled_when_merged(c, side, 64) > max_filled_when_merged && !is_tensor_tile(c, config)))
    return false;
  if (c.word_bytes == 2 && has_good_tensor_tile(c) && is_tensor_tile(c, config)) return false;
  tensor_tile const tile = interleaved_tensor_tile_of(c, 4 / c.word_bytes);
  bool const are_runs_neighbours = c.in_pitch == tile.in_run * c.word_bytes;
  double const filled_vec16s = filled(tile.in_run * c.word_bytes, vec16_bytes);
  return (tile.efficiency > min_efficiency || are_runs_neighbours) &&
         filled_vec16s >= min_filled_vec16s && tile.out_run * c.word_bytes >= min_out_run_bytes;
}

}  // namespace transpose_table
}  // namespace detail
}  // namespace v0
}  // namespace xpose
