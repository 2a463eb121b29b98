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
constexpr double memory_bytes_per_cycle = 1450;  // 2.9 TB/s
constexpr double l2_bytes_per_cycle = 4500;      // second level
constexpr double tma_l2_bytes_per_cycle = 6500;  // the same, by the copy engine
constexpr double cycles_of_wave = 1500;          // first loads and last stores
constexpr double cycles_of_block = 500;          // the start of each of a multiprocessor
// Of a sum of a thread: instructions that are not cached yet, fewer where results are stored in
// bulk.
constexpr double cycles_of_accumulator = 100;
constexpr double cycles_of_tma_stored_accumulator = 40;
// Clusters start and end together, and one that begins early waits for two places.
constexpr double cycles_of_cluster = 1500;
// Times a tile's stores, at their share of memory's speed, that a multiprocessor's other blocks do
// not hide; over the square of its blocks. Measured on matrix units of doubles, 64 of 512x512x512,
// 2.2 with one block, 0.8 with two, 0.2 with three (2026-11-22); sums of four bytes do without.
constexpr double exposed_stores = 1.5;
// The sum of the splits: a launch, the adding of each split in turn, and every element's addresses.
constexpr double cycles_of_reduce_launch = 6000;
constexpr double cycles_of_split = 48;
constexpr double cycles_of_element = 0.03;
// Operands that are copied first: read and written, and a workspace and launches. Lines as they
// lie: 17x19x23 of float16 in 64x32 4.6 us so, 4.3 gathered, 33x35x37 4.6 and 5.5 (H100,
// 2026-11-22).
constexpr double cycles_of_padding_copy = 4000;
constexpr double cycles_of_transposing_copy = 14000;
// Of the time of a product of doubles by matrix units, what reading them one by one adds.
constexpr double share_of_scalar_f64_loads = 0.2;

index ceil_div(index a, index b) {
  return (a + b - 1) / b;
}

bool is_wgmma(gemm_config const& row) {
  return row.kind == gemm_kernel_kind::wgmma || row.kind == gemm_kernel_kind::wgmma_bf16x3;
}

operand_copies copies_for(gemm_config const& row, gemm_extents const& s) {
  constexpr operand_copies nothing{0, false};
  if (!row.is_async) return nothing;
  if (!s.is_aligned) return {-1, false};
  if (is_wgmma(row)) return s.copied_for_tma;
  return row.kind == gemm_kernel_kind::mma_sync ? s.copied : nothing;
}

double cycles_of(operand_copies const& copies) {
  if (copies.bytes <= 0) return 0;
  return (copies.transposes ? cycles_of_transposing_copy : cycles_of_padding_copy) +
         2 * static_cast<double>(copies.bytes) / memory_bytes_per_cycle;
}

double cycles_of(gemm_config const& row, index split_k, gemm_extents const& s,
                 gemm_gpu const& gpu) {
  index const row_tiles = row_tiles_of(row, s.rows);
  index const col_tiles = col_tiles_of(row, s.cols);
  index const blocks = row_tiles * col_tiles * s.batch * split_k;
  index const stages = ceil_div(ceil_div(s.k_extent, split_k), row.k_extent);
  double const of_board = static_cast<double>(ceil_div(blocks, gpu.multiprocessors));
  double const waves =
      static_cast<double>(ceil_div(blocks, index{gpu.multiprocessors} * row.blocks));
  double const stage_work = static_cast<double>(row.rows) * row.cols * row.k_extent / row.rate;
  double const multiplying = of_board * static_cast<double>(stages) * stage_work;
  double const waiting = waves * static_cast<double>(stages) * row.latency;

  double const batch = static_cast<double>(s.batch);
  double const m = static_cast<double>(s.rows);
  double const n = static_cast<double>(s.cols);
  double const k = static_cast<double>(s.k_extent);
  // Boxes of less than a line of 128 bytes: 1x4096x4096 of float16 takes 20 us so, 15 turned.
  double const b_lines = is_wgmma(row) && row.cols * s.bytes_of_b < 128 ? 1.3 : 1;
  double const read = batch * k * (m * s.bytes_of_a + b_lines * n * s.bytes_of_b);
  double const written = batch * m * n * s.bytes_of_c;
  double const read_by_blocks = batch * k *
                                (static_cast<double>(col_tiles) * m * s.bytes_of_a +
                                 static_cast<double>(row_tiles / row.cluster) * n * s.bytes_of_b);
  double const cache = is_wgmma(row) ? tma_l2_bytes_per_cycle : l2_bytes_per_cycle;
  double const moving =
      std::max((read + written) / memory_bytes_per_cycle, (read_by_blocks + written) / cache);
  double const accumulators = static_cast<double>(row.rows) * row.cols / threads_of(row);
  // Tiles of short units pass through the instructions again and again: 1280x1280x1024 of int8 in
  // 128x128 takes 23 us, 64 of 512x512x512 90 (H100, 2026-11-22).
  double const passes = row.kind == gemm_kernel_kind::mma_sync && row.is_async ? of_board + 1 : 1;
  double cycles = std::max({multiplying, waiting, moving}) + waves * cycles_of_wave +
                  of_board * cycles_of_block + (row.cluster > 1 ? cycles_of_cluster : 0) +
                  passes * accumulators *
                      (is_wgmma(row) ? cycles_of_tma_stored_accumulator : cycles_of_accumulator);
  if (s.bytes_of_accumulator >= 8)
    cycles += of_board * exposed_stores / (row.blocks * row.blocks) * row.rows * row.cols *
              s.bytes_of_c * gpu.multiprocessors / memory_bytes_per_cycle;
  cycles += cycles_of(copies_for(row, s));
  if (split_k > 1)
    cycles += cycles_of_reduce_launch + cycles_of_split * static_cast<double>(split_k) +
              batch * m * n *
                  (cycles_of_element +
                   2 * static_cast<double>(split_k) * s.bytes_of_accumulator / l2_bytes_per_cycle);
  return cycles;
}

}  // namespace

gemm_choice choose_gemm_config(gemm_config const* rows, int count, gemm_extents const& shape,
                               gemm_gpu const& gpu) {
  gemm_choice best{-1, 1, shape.k_extent};
  for (int r = 0; r < count; ++r) {
    gemm_config const& row = rows[r];
    if (row.capability > gpu.capability || copies_for(row, shape).bytes < 0 ||
        shared_bytes_of(row, shape.bytes_of_a, shape.bytes_of_accumulator) > gpu.shared_bytes)
      continue;
    index const tiles = row_tiles_of(row, shape.rows) * col_tiles_of(row, shape.cols);
    if (tiles > max_tiles) continue;
    index const blocks = tiles * shape.batch;
    index const resident_blocks = index{gpu.multiprocessors} * row.blocks;
    index const stages = std::max<index>(1, ceil_div(shape.k_extent, row.k_extent));
    auto const consider = [&](index split_k) {
      if (split_k < 1 || split_k > std::max<index>(1, stages / 4)) return;
      index const stages_of_split = ceil_div(stages, split_k);
      index const used = ceil_div(stages, stages_of_split);
      double const cycles = cycles_of(row, used, shape, gpu);
      if (best.cycles >= 0 && cycles >= best.cycles) return;
      best = {r, used, used == 1 ? shape.k_extent : stages_of_split * row.k_extent, cycles};
    };
    consider(1);
    // As many as fill the board once, or twice, or leave room on every multiprocessor.
    if (blocks < 2 * resident_blocks)
      for (index const fill : {resident_blocks, 2 * resident_blocks, resident_blocks / 2,
                               index{gpu.multiprocessors}, index{2 * gpu.multiprocessors}})
        consider(fill / blocks);
  }
  return best;
}

void refuse_gemm(index rows, index cols) {
  throw backend_error(
      message("gemm: C is ", rows, 'x', cols,
              ", and no kernel for its types on this device has the shared memory, or "
              "numbers, for its tiles (",
              max_tiles, " at most)")
          .c_str());
}

bool pays_to_align(operand_copies const& copies, gemm_choice const& choice) {
  return copies.bytes > 0 && !copies.transposes &&
         cycles_of(copies) < share_of_scalar_f64_loads * choice.cycles;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
