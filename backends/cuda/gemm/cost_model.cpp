// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Chooses a row of a table of gemm tiles, and a number of splits: the pair whose clocks a small
// model of the board expects to be fewest. No measurement at run time; the same answer every time.

#include <xpose/backends/cuda/gemm/config/config.hpp>

#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

// Of an H100 SXM at 1.98 GHz (2026-11-21); other boards have about the same proportions.
constexpr double memory_bytes_a_clock = 1450;  // 2.9 TB/s
constexpr double cache_bytes_a_clock = 4500;   // second level
constexpr double bulk_bytes_a_clock = 6500;    // the same, by the copy engine
constexpr double clocks_of_wave = 1500;        // first loads and last stores
constexpr double clocks_of_block = 500;        // the start of each of a multiprocessor
// Of a sum of a thread: instructions that are not cached yet, fewer where results are stored in
// bulk.
constexpr double clocks_of_sum = 100;
constexpr double clocks_of_bulk_sum = 40;
// Clusters start and end together, and one that begins early waits for two places.
constexpr double clocks_of_cluster = 1500;
// Times a tile's stores, at their share of memory's speed, that a multiprocessor's other blocks do
// not hide; over the square of its blocks. Measured on matrix units of doubles, 64 of 512x512x512,
// 2.2 with one block, 0.8 with two, 0.2 with three (2026-11-22); sums of four bytes do without.
constexpr double bare_stores = 1.5;
// The sum of the splits: a launch, the adding of each split in turn, and every element's addresses.
constexpr double clocks_of_second_launch = 6000;
constexpr double clocks_of_split = 48;
constexpr double clocks_of_element = 0.03;
// Operands that are copied first: read and written, and a workspace and launches. Lines as they
// lie: 17x19x23 of float16 in 64x32 4.6 us so, 4.3 gathered, 33x35x37 4.6 and 5.5 (H100,
// 2026-11-22).
constexpr double clocks_of_line_copy = 4000;
constexpr double clocks_of_turning_copy = 14000;
// Of the time of a product of doubles by matrix units, what reading them one by one adds.
constexpr double share_of_lone_doubles = 0.2;

index quotient_up(index a, index b) {
  return (a + b - 1) / b;
}

bool is_of_warpgroups(gemm_row const& row) {
  return row.arithmetic == gemm_arithmetic::warpgroups ||
         row.arithmetic == gemm_arithmetic::split_warpgroups;
}

operand_copies copied_for(gemm_row const& row, gemm_shape const& s) {
  constexpr operand_copies nothing{0, false};
  if (!row.is_async) return nothing;
  if (!s.is_aligned) return {-1, false};
  if (is_of_warpgroups(row)) return s.copied_for_maps;
  return row.arithmetic == gemm_arithmetic::short_units ? s.copied : nothing;
}

double clocks_of(operand_copies const& copies) {
  if (copies.bytes <= 0) return 0;
  return (copies.turns ? clocks_of_turning_copy : clocks_of_line_copy) +
         2 * static_cast<double>(copies.bytes) / memory_bytes_a_clock;
}

double clocks_of(gemm_row const& row, index splits, gemm_shape const& s, gemm_board const& board) {
  index const row_tiles = row_tiles_of(row, s.rows);
  index const col_tiles = col_tiles_of(row, s.cols);
  index const blocks = row_tiles * col_tiles * s.batch * splits;
  index const stages = quotient_up(quotient_up(s.depth, splits), row.depth);
  double const of_board = static_cast<double>(quotient_up(blocks, board.multiprocessors));
  double const waves =
      static_cast<double>(quotient_up(blocks, index{board.multiprocessors} * row.blocks));
  double const stage_work = static_cast<double>(row.rows) * row.cols * row.depth / row.rate;
  double const multiplying = of_board * static_cast<double>(stages) * stage_work;
  double const waiting = waves * static_cast<double>(stages) * row.latency;

  double const batch = static_cast<double>(s.batch);
  double const m = static_cast<double>(s.rows);
  double const n = static_cast<double>(s.cols);
  double const k = static_cast<double>(s.depth);
  // Boxes of less than a line of 128 bytes: 1x4096x4096 of float16 takes 20 us so, 15 turned.
  double const b_lines = is_of_warpgroups(row) && row.cols * s.bytes_of_b < 128 ? 1.3 : 1;
  double const read = batch * k * (m * s.bytes_of_a + b_lines * n * s.bytes_of_b);
  double const written = batch * m * n * s.bytes_of_c;
  double const read_by_blocks = batch * k *
                                (static_cast<double>(col_tiles) * m * s.bytes_of_a +
                                 static_cast<double>(row_tiles / row.cluster) * n * s.bytes_of_b);
  double const cache = is_of_warpgroups(row) ? bulk_bytes_a_clock : cache_bytes_a_clock;
  double const moving =
      std::max((read + written) / memory_bytes_a_clock, (read_by_blocks + written) / cache);
  double const sums = static_cast<double>(row.rows) * row.cols / threads_of(row);
  // Tiles of short units pass through the instructions again and again: 1280x1280x1024 of int8 in
  // 128x128 takes 23 us, 64 of 512x512x512 90 (H100, 2026-11-22).
  double const passes =
      row.arithmetic == gemm_arithmetic::short_units && row.is_async ? of_board + 1 : 1;
  double clocks = std::max({multiplying, waiting, moving}) + waves * clocks_of_wave +
                  of_board * clocks_of_block + (row.cluster > 1 ? clocks_of_cluster : 0) +
                  passes * sums * (is_of_warpgroups(row) ? clocks_of_bulk_sum : clocks_of_sum);
  if (s.bytes_of_sum >= 8)
    clocks += of_board * bare_stores / (row.blocks * row.blocks) * row.rows * row.cols *
              s.bytes_of_c * board.multiprocessors / memory_bytes_a_clock;
  clocks += clocks_of(copied_for(row, s));
  if (splits > 1)
    clocks += clocks_of_second_launch + clocks_of_split * static_cast<double>(splits) +
              batch * m * n *
                  (clocks_of_element +
                   2 * static_cast<double>(splits) * s.bytes_of_sum / cache_bytes_a_clock);
  return clocks;
}

}  // namespace

gemm_choice choose_gemm_row(gemm_row const* rows, int count, gemm_shape const& shape,
                            gemm_board const& board) {
  gemm_choice best{-1, 1, shape.depth};
  for (int r = 0; r < count; ++r) {
    gemm_row const& row = rows[r];
    if (row.capability > board.capability || copied_for(row, shape).bytes < 0 ||
        shared_bytes_of(row, shape.bytes_of_a, shape.bytes_of_sum) > board.shared_bytes)
      continue;
    index const tiles = row_tiles_of(row, shape.rows) * col_tiles_of(row, shape.cols);
    if (tiles > most_tiles) continue;
    index const blocks = tiles * shape.batch;
    index const places = index{board.multiprocessors} * row.blocks;
    index const stages = std::max<index>(1, quotient_up(shape.depth, row.depth));
    auto const consider = [&](index splits) {
      if (splits < 1 || splits > std::max<index>(1, stages / 4)) return;
      index const stages_of_split = quotient_up(stages, splits);
      index const used = quotient_up(stages, stages_of_split);
      double const clocks = clocks_of(row, used, shape, board);
      if (best.clocks >= 0 && clocks >= best.clocks) return;
      best = {r, used, used == 1 ? shape.depth : stages_of_split * row.depth, clocks};
    };
    consider(1);
    // As many as fill the board once, or twice, or leave room on every multiprocessor.
    if (blocks < 2 * places)
      for (index const fill : {places, 2 * places, places / 2, index{board.multiprocessors},
                               index{2 * board.multiprocessors}})
        consider(fill / blocks);
  }
  return best;
}

void refuse_gemm(index rows, index cols) {
  throw backend_error(
      message("gemm: C is ", rows, 'x', cols,
              ", and no kernel for its types on this device has the shared memory, or "
              "numbers, for its tiles (",
              most_tiles, " at most)")
          .c_str());
}

bool pays_to_align(operand_copies const& copies, gemm_choice const& choice) {
  return copies.bytes > 0 && !copies.turns &&
         clocks_of(copies) < share_of_lone_doubles * choice.clocks;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
