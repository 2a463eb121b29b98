// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Chooses a config from a table, and a split-K: the pair for which a small model of the GPU expects
// the fewest cycles. No measurement at run time; the same answer every time.

#include <xpose/backends/cuda/gemm/config/config.hpp>

#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>

#include <algorithm>

namespace xpose::detail {
namespace {

// Of an H100 SXM at 1.98 GHz (2026-11-21); other GPUs have about the same proportions.
constexpr double memory_bytes_per_cycle = 1450;  // 2.9 TB/s
constexpr double l2_bytes_per_cycle = 4500;
constexpr double tma_l2_bytes_per_cycle = 6500;
constexpr double cycles_of_wave = 1500;  // first loads and last stores
constexpr double cycles_of_block = 500;  // the start of each block of a multiprocessor
// Of each accumulator of a thread in the epilogue: instructions that are not cached yet; fewer
// where TMA stores C.
constexpr double cycles_of_accumulator = 100;
constexpr double cycles_of_tma_stored_accumulator = 40;
// Blocks of a cluster start and end together, and a cluster waits for two free multiprocessors.
constexpr double cycles_of_cluster = 1500;
// Times the cycles that a tile's stores take at their share of memory's speed: what other resident
// blocks do not hide, over the square of their number. Measured for doubles on tensor cores, 64 of
// 512x512x512: 2.2 with one block, 0.8 with two, 0.2 with three (2026-11-22). Accumulators of four
// bytes do without.
constexpr double exposed_stores = 1.5;
// More than other kernels' start: barriers, descriptors, the first loads by TMA. float16 of 64, 128
// and 256 cubed takes 4.2, 4.4 and 4.8 us in 64x32, 3.3, 3.5 and 3.9 by mma.sync in 16x64 (H100,
// 2026-11-25).
constexpr double cycles_of_wgmma_start = 1800;
// The split-K reduction: a launch, the adding of each split in turn, every element's addresses.
constexpr double cycles_of_reduce_launch = 6000;
constexpr double cycles_of_split = 48;
constexpr double cycles_of_element = 0.03;
// Splits in a cluster: two barriers of it, and a tile through distributed shared memory.
constexpr double cycles_of_cluster_reduction = 1500;
constexpr double cluster_bytes_per_cycle = 48;
// Operands that are copied first: read and written, and a workspace and launches. A padding copy
// keeps rows: 17x19x23 of float16 in 64x32 takes 4.6 us with it, 4.3 gathered, 33x35x37 4.6 and 5.5
// (H100, 2026-11-22).
constexpr double cycles_of_padding_copy = 4000;
constexpr double cycles_of_transposing_copy = 14000;
// Of the time of a product of doubles on tensor cores, what loading them one by one adds.
constexpr double share_of_scalar_f64_loads = 0.2;

double real(index count) { return static_cast<double>(count); }

operand_copies copies_for(gemm_config const& config, gemm_extents const& e) {
  constexpr operand_copies nothing{0, false};
  if (!config.uses_cp_async) return nothing;
  if (!e.is_aligned) return {-1, false};
  if (is_wgmma(config)) return e.copied_for_tma;
  return config.kind == gemm_kernel_kind::mma_sync ? e.copied : nothing;
}

double cycles_of(operand_copies const& copies) {
  if (copies.bytes <= 0) return 0;
  return (copies.transposes ? cycles_of_transposing_copy : cycles_of_padding_copy) +
         2 * real(copies.bytes) / memory_bytes_per_cycle;
}

/// Of memory and L2, for all of a product: what is read and written at least once, and what blocks
/// read again and again.
double cycles_of_traffic(gemm_config const& config, gemm_extents const& e,
                         multicast_cluster const& cluster) {
  double const batch = real(e.batch);
  double const m = real(e.rows);
  double const n = real(e.cols);
  double const k = real(e.k_extent);
  double const row_tiles = real(row_tiles_of(config, e.rows, cluster) / cluster.rows);
  double const col_tiles = real(col_tiles_of(config, e.cols, cluster) / cluster.cols);
  // TMA boxes of less than a cache line of 128 bytes: 1x4096x4096 of float16 takes 20 us with them,
  // 15 transposed.
  double const narrow = is_wgmma(config) && config.block_cols * e.bytes_of_b < 128 ? 1.3 : 1;
  double const read = batch * k * (m * e.bytes_of_a + narrow * n * e.bytes_of_b);
  double const written = batch * m * n * e.bytes_of_c;
  double const read_by_blocks =
      batch * k * (col_tiles * m * e.bytes_of_a + row_tiles * n * e.bytes_of_b);
  double const l2 = is_wgmma(config) ? tma_l2_bytes_per_cycle : l2_bytes_per_cycle;
  return std::max((read + written) / memory_bytes_per_cycle, (read_by_blocks + written) / l2);
}

/// Of the epilogues of a multiprocessor's blocks, `blocks` of them, one after the other.
double cycles_of_epilogues(gemm_config const& config, double blocks) {
  double const accumulators = real(config.block_rows) * config.block_cols / threads_of(config);
  // mma.sync's blocks pass through the epilogue's instructions again and again: 1280x1280x1024 of
  // int8 in 128x128 takes 23 us, 64 of 512x512x512 90 (H100, 2026-11-22).
  bool const repeats = config.kind == gemm_kernel_kind::mma_sync && config.uses_cp_async;
  return (repeats ? blocks + 1 : 1) * accumulators *
         (is_wgmma(config) ? cycles_of_tma_stored_accumulator : cycles_of_accumulator);
}

/// Multiprocessors that clusters of so many blocks can fill: a cluster's are of one GPC, of 16.
index usable_multiprocessors(gemm_gpu const& gpu, gemm_config const& config, index cluster) {
  int const size = cluster == 1 ? 0 : cluster == 2 ? 1 : cluster == 4 ? 2 : cluster == 8 ? 3 : -1;
  if (size >= 0 && gpu.clusters[size] > 0) return gpu.clusters[size] * cluster;
  index const of_gpc = index{16} * config.resident_blocks;
  return gpu.multiprocessors * (of_gpc / cluster * cluster) / of_gpc;
}

/// `traffic` is cycles_of_traffic(), the same for all splits of k.
double cycles_of(gemm_config const& config, gemm_choice const& choice, gemm_extents const& e,
                 gemm_gpu const& gpu, double traffic) {
  index const split_k = choice.split_k;
  index const blocks = row_tiles_of(config, e.rows, choice.cluster) *
                       col_tiles_of(config, e.cols, choice.cluster) * e.batch * split_k;
  index const multiprocessors = usable_multiprocessors(
      gpu, config, choice.in_cluster ? split_k : index{choice.cluster.blocks()});
  double const stages = real(ceil_div(ceil_div(e.k_extent, split_k), config.block_k));
  double const of_gpu = real(ceil_div(blocks, multiprocessors));
  double const waves = real(ceil_div(blocks, multiprocessors * config.resident_blocks));
  double const stage_work =
      real(config.block_rows) * config.block_cols * config.block_k / config.rate;
  double const multiplying = of_gpu * stages * stage_work;
  double const waiting = waves * stages * config.latency;
  double cycles = std::max({multiplying, waiting, traffic}) + waves * cycles_of_wave +
                  of_gpu * cycles_of_block + (choice.cluster.blocks() > 1 ? cycles_of_cluster : 0) +
                  (is_wgmma(config) ? cycles_of_wgmma_start : 0) +
                  cycles_of_epilogues(config, of_gpu);
  if (e.bytes_of_accumulator >= 8)
    cycles += of_gpu * exposed_stores / (config.resident_blocks * config.resident_blocks) *
              config.block_rows * config.block_cols * e.bytes_of_c * gpu.multiprocessors /
              memory_bytes_per_cycle;
  cycles += cycles_of(copies_for(config, e));
  if (choice.in_cluster)
    cycles += waves *
              (cycles_of_cluster_reduction + real(config.block_rows) * config.block_cols *
                                                 e.bytes_of_accumulator / cluster_bytes_per_cycle);
  else if (split_k > 1)
    cycles +=
        cycles_of_reduce_launch + cycles_of_split * real(split_k) +
        real(e.batch) * real(e.rows) * real(e.cols) *
            (cycles_of_element + 2 * real(split_k) * e.bytes_of_accumulator / l2_bytes_per_cycle);
  return cycles;
}

}  // namespace

int gemm_choices_of(gemm_config const& config, int number, gemm_extents const& extents,
                    gemm_gpu const& gpu, gemm_choice (&choices)[most_gemm_choices]) {
  if (config.capability > gpu.capability || copies_for(config, extents).bytes < 0 ||
      shared_bytes_of(config, extents.bytes_of_a, extents.bytes_of_accumulator) > gpu.shared_bytes)
    return 0;
  if (row_tiles_of(config, extents.rows) * col_tiles_of(config, extents.cols) > max_tiles) return 0;
  index const resident = index{gpu.multiprocessors} * config.resident_blocks;
  index const stages = std::max<index>(1, ceil_div(extents.k_extent, config.block_k));
  int count = 0;
  auto const consider = [&](multicast_cluster const& cluster, double traffic, index split_k,
                            bool in_cluster) {
    index const least_stages = in_cluster ? 2 : 4;
    if (split_k < 1 || split_k > std::max<index>(1, stages / least_stages)) return;
    index const stages_per_split = ceil_div(stages, split_k);
    index const used = ceil_div(stages, stages_per_split);
    if (in_cluster && used == 1) return;
    gemm_choice choice{
        number, used,       used == 1 ? extents.k_extent : stages_per_split * config.block_k,
        0,      in_cluster, cluster};
    for (int c = 0; c < count; ++c)
      if (choices[c].split_k == used && choices[c].in_cluster == in_cluster &&
          choices[c].cluster == cluster)
        return;
    choice.cycles = cycles_of(config, choice, extents, gpu, traffic);
    choices[count++] = choice;
  };
  for (multicast_cluster const& cluster : multicast_clusters) {
    index const row_tiles = row_tiles_of(config, extents.rows, cluster);
    index const col_tiles = col_tiles_of(config, extents.cols, cluster);
    bool const is_alone = cluster.blocks() == 1;
    if (!is_alone && (!is_wgmma(config) || row_tiles * col_tiles > max_tiles ||
                      ceil_div(extents.rows, config.block_rows) < cluster.rows ||
                      ceil_div(extents.cols, config.block_cols) < cluster.cols))
      continue;
    double const traffic = cycles_of_traffic(config, extents, cluster);
    index const blocks = row_tiles * col_tiles * extents.batch;
    consider(cluster, traffic, 1, false);
    // As many as fill the GPU once, or twice, or leave room on every multiprocessor.
    if (blocks < 2 * resident)
      for (index const fill : {resident, 2 * resident, resident / 2, index{gpu.multiprocessors},
                               index{2 * gpu.multiprocessors}})
        consider(cluster, traffic, fill / blocks, false);
    if (is_alone && extents.adds_in_cluster && can_split_in_cluster(config) && blocks < resident)
      for (index split_k = 2; split_k <= most_splits_in_cluster; ++split_k)
        consider(cluster, traffic, split_k, true);
  }
  return count;
}

gemm_choice choose_gemm_config(gemm_config const* configs, int count, gemm_extents const& extents,
                               gemm_gpu const& gpu) {
  gemm_choice best{-1, 1, extents.k_extent};
  for (int number = 0; number < count; ++number) {
    gemm_choice choices[most_gemm_choices];
    int const found = gemm_choices_of(configs[number], number, extents, gpu, choices);
    for (int c = 0; c < found; ++c)
      if (best.cycles < 0 || choices[c].cycles < best.cycles) best = choices[c];
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

}  // namespace xpose::detail
