// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The cycles that a small model of the GPU expects of a choice. No measurement at run time; the
// same answer every time.

#include <xpose/backends/cuda/gemm/cost_model.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

// Of the time of a product of doubles on tensor cores, what loading them one by one adds.
constexpr double share_of_scalar_f64_loads = 0.135;

gemm_kernel_costs const& costs_of(gemm_costs const& costs, gemm_kernel_kind kind,
                                  gemm_extents const& e) {
  switch (kind) {
    case gemm_kernel_kind::simt:
    case gemm_kernel_kind::gemv:
      return e.bytes_of_accumulator >= 8 ? costs.wide_simt : costs.simt;
    case gemm_kernel_kind::dmma:
      return costs.dmma;
    case gemm_kernel_kind::complex_dmma:
      return costs.complex_dmma;
    case gemm_kernel_kind::wgmma:
    case gemm_kernel_kind::wgmma_bf16x3:
      return costs.wgmma;
    default:
      return costs.mma_sync;
  }
}

/// The time of parts that overlap, but for what the others hold up: their norm of the third power.
/// (Free, a fit took 2.8 for it.)
double overlapped(std::initializer_list<double> parts) {
  double cubes = 0;
  for (double const part : parts) cubes += part * part * part;
  return std::cbrt(cubes);
}

double real(index count) { return static_cast<double>(count); }

/// What a stage of SIMT, or of doubles on tensor cores, loads by elements, beyond as many loads of
/// 16 bytes.
double scalar_loads_of(gemm_config const& config, gemm_extents const& e) {
  if (is_wgmma(config) || !config.uses_cp_async || is_mma_sync(config)) return 0;
  auto const of = [&](int mn, int bytes, bool is_wide) {
    return is_wide ? 0 : real(mn) * config.block_k * (1 - bytes / 16.);
  };
  return of(config.block_rows, e.bytes_of_a, e.a_loads_wide) +
         of(config.block_cols, e.bytes_of_b, e.b_loads_wide);
}

/// Of a stage, as config/table.hpp has them for the most columns, and kernels of fixed columns:
/// while other blocks or warpgroups multiply too, and of a lone block.
struct stage_cycles {
  double busy, alone;
};
stage_cycles stage_cycles_of(gemm_costs const& costs, gemm_config const& config, int block_cols,
                             gemm_extents const& e) {
  double const busy = real(config.block_rows) * config.block_cols * config.block_k / config.rate;
  double const share = real(block_cols) / config.block_cols;
  double const loads = scalar_loads_of(config, e);
  double const from_registers = is_wgmma(config) && e.a_from_registers
                                    ? costs.of_rows_from_registers * config.block_rows / 64
                                    : 0;
  return {costs.of_stage + (busy - costs.of_stage) * share + from_registers +
              loads * costs_of(costs, config.kind, e).of_scalar_loads,
          costs.of_lone_stage + (config.latency - costs.of_lone_stage) * share + from_registers +
              loads / threads_of(config) * costs_of(costs, config.kind, e).of_lone_scalar_load};
}

/// Stages that the products of so many k take; the last one, if its products end with them, in
/// part.
double stages_of(gemm_config const& config, index k_extent) {
  index const whole = k_extent / config.block_k;
  int const left = static_cast<int>(k_extent % config.block_k);
  if (left == 0) return real(whole);
  if (!can_end_last_stage_early(config) || !config.uses_cp_async) return real(whole + 1);
  int const steps = config.block_k / config.k_slices / k_of_step(config);
  int const with_products = static_cast<int>(ceil_div(left, k_of_step(config)));
  if (has_one_stage(config)) return real(with_products) / steps;
  return real(whole) +
         (with_products <= most_single_steps(steps) ? real(with_products) / steps : 1);
}

double cycles_of(gemm_costs const& costs, operand_copies const& copies, int bytes_of_element,
                 bool for_tma = false) {
  if (copies.bytes <= 0) return 0;
  double const of_reordering =
      bytes_of_element == 2 ? costs.of_gathering_copy : costs.of_transposing_copy;
  return (copies.transposes ? of_reordering : costs.of_padding_copy) +
         (for_tma ? costs.of_copy_for_tma : 0) + 2 * real(copies.bytes) / costs.copied_bytes;
}

bool has_slow_stores(gemm_config const& config, gemm_extents const& e) {
  return is_wgmma(config) && !e.stores_c_by_tma;
}

/// Of the bytes of a tile of B, those that its panels lack of whole cache lines.
double missing_of_panels(gemm_config const& config, int block_cols, gemm_extents const& e) {
  constexpr int cache_line = 128;
  if (!is_wgmma(config) || !e.b_is_mn_major) return 0;
  int const bytes = block_cols * e.bytes_of_b;
  return real(ceil_div(bytes, cache_line) * cache_line - bytes) / bytes;
}

/// Of the epilogues of a multiprocessor's blocks, `blocks` of them, one after the other.
double cycles_of_epilogues(gemm_costs const& costs, gemm_config const& config, int block_cols,
                           double blocks, gemm_extents const& e) {
  double const of_accumulator = costs_of(costs, config.kind, e).of_accumulator;
  if (is_wgmma(config))  // a thread has two rows of 64
    return config.inner_rows / 64 * block_cols / 2. * of_accumulator *
           (1 + (blocks - 1) * costs.of_later_epilogues);
  double const accumulators = real(config.block_rows) * block_cols / threads_of(config);
  // mma.sync's blocks pass through the epilogue's instructions again and again: 1280x1280x1024 of
  // int8 in 128x128 takes 23 us, 64 of 512x512x512 90 (H100, 2026-11-22).
  bool const repeats = config.kind == gemm_kernel_kind::mma_sync && config.uses_cp_async;
  return (repeats ? blocks + 1 : 1) * accumulators * of_accumulator;
}

/// Blocks, or clusters, that ask for the same tiles at once.
double most_sharers(index tiles, gemm_gpu const& gpu) {
  return real(std::min<index>(tiles, gpu.multiprocessors));
}

/// Of the L2, where many blocks ask for the same cache lines at once: each k of an MN-major panel
/// is a request of its own, of a cache line at most. bf16 50257x8x768, of which 132 blocks ask for
/// the same 16 bytes of each k, takes 33.7 us so, and 22.4 where two share a request. Panels beyond
/// C count: in 128x192, of which 64 rows are, 41.8 (H200, 2026-11-30).
double cycles_of_shared_requests(gemm_costs const& costs, gemm_config const& config,
                                 gemm_choice const& choice, gemm_extents const& e,
                                 gemm_gpu const& gpu) {
  constexpr index cache_line = 128;
  // Operands in parts were not measured.
  if (config.kind != gemm_kernel_kind::wgmma) return 0;
  int const block_cols = block_cols_of(config, choice);
  index const row_tiles = row_tiles_of(config, e.rows, choice.cluster) / choice.cluster.rows;
  index const col_tiles = col_tiles_of(block_cols, e.cols, choice.cluster) / choice.cluster.cols;
  index const clusters = gpu.multiprocessors / choice.cluster.blocks();
  auto const of = [&](index bytes, bool is_wide, index sharers, index others) {
    index const at_once =
        std::min(sharers, std::max<index>(1, clusters / (others * e.batch * choice.split_k)));
    return real(ceil_div(bytes, cache_line) * at_once) *
           (is_wide ? costs.of_shared_request : costs.of_shared_straddling_request);
  };
  double cycles = 0;
  if (e.a_is_mn_major)
    cycles += of(index{config.block_rows} * e.bytes_of_a, e.a_loads_wide, col_tiles, row_tiles);
  if (e.b_is_mn_major)
    cycles += of(index{block_cols} * e.bytes_of_b, e.b_loads_wide, row_tiles, col_tiles);
  return cycles * real(e.k_extent) / real(choice.split_k);
}

}  // namespace

operand_copies copies_for(gemm_config const& config, gemm_extents const& e) {
  constexpr operand_copies nothing{0, false};
  if (!config.uses_cp_async) return nothing;
  if (!e.is_aligned) return {-1, false};
  if (is_wgmma(config)) return e.copied_for_tma;
  return config.kind == gemm_kernel_kind::mma_sync ? e.copied : nothing;
}

traffic traffic_of(gemm_costs const& costs, gemm_config const& config, int block_cols,
                   gemm_extents const& e, multicast_cluster const& cluster) {
  bool const has_parts = config.kind == gemm_kernel_kind::wgmma_bf16x3;
  double const a_bytes = has_parts ? bytes_of_parts : e.bytes_of_a;
  double const b_bytes = has_parts ? bytes_of_parts : e.bytes_of_b;
  double const batch = real(e.batch);
  double const m = real(e.rows);
  double const n = real(e.cols);
  double const k = real(e.k_extent);
  double const row_tiles = real(row_tiles_of(config, e.rows, cluster) / cluster.rows);
  double const col_tiles = real(col_tiles_of(block_cols, e.cols, cluster) / cluster.cols);
  double const narrow = is_wgmma(config) && block_cols * b_bytes < 128 ? costs.narrow_boxes : 1;
  double const read = batch * k * (m * a_bytes + narrow * n * b_bytes);
  auto const of_rows = [&](bool is_wide) {
    return is_wgmma(config) && !is_wide ? costs.straddling_rows : 1;
  };
  double const written = batch * m * n * e.bytes_of_c;
  double const of_panels = 1 + costs.narrow_panels * missing_of_panels(config, block_cols, e);
  double const read_by_blocks =
      batch * k *
      (col_tiles * m * a_bytes * of_rows(e.a_loads_wide || has_parts) +
       row_tiles * n * b_bytes * of_panels * of_rows(e.b_loads_wide || has_parts));
  return {(read + written) / costs.memory_bytes,
          read_by_blocks / costs_of(costs, config.kind, e).l2_bytes + written / costs.stored_bytes};
}

index usable_multiprocessors(gemm_gpu const& gpu, gemm_config const& config, index cluster) {
  int const known = gpu.clusters[cluster - 1];
  if (known > 0) return known * cluster;
  index const of_gpc = index{16} * config.resident_blocks;
  return gpu.multiprocessors * (of_gpc / cluster * cluster) / of_gpc;
}

double cycles_of_choice(gemm_costs const& costs, gemm_config const& config,
                        gemm_choice const& choice, gemm_extents const& e, gemm_gpu const& gpu,
                        traffic const& moved) {
  gemm_kernel_costs const& of_kind = costs_of(costs, config.kind, e);
  index const split_k = choice.split_k;
  int const block_cols = block_cols_of(config, choice);
  index const row_tiles = row_tiles_of(config, e.rows, choice.cluster);
  index const col_tiles = col_tiles_of(block_cols, e.cols, choice.cluster);
  index const blocks = row_tiles * col_tiles * e.batch * split_k;
  index const multiprocessors = usable_multiprocessors(
      gpu, config, choice.in_cluster ? split_k : index{choice.cluster.blocks()});
  double const stages = split_k == 1
                            ? stages_of(config, e.k_extent)
                            : real(ceil_div(ceil_div(e.k_extent, split_k), config.block_k));
  bool const is_crowded = choice.in_cluster && blocks > multiprocessors;
  double const shared = real(blocks) / real(multiprocessors);
  double const of_gpu = choice.stream_k ? shared
                                        : real(ceil_div(blocks, multiprocessors)) +
                                              (is_crowded ? costs.of_crowded_clusters : 0);
  double const waves = real(ceil_div(blocks, multiprocessors * config.resident_blocks));
  double const tile = real(config.block_rows) * block_cols;
  int const log_blocks = binary_logarithm(choice.cluster.blocks());
  double const slowdown =
      (1 + costs.share_of_cluster[log_blocks]) * (choice.stream_k ? config.stream_k_slowdown : 1);
  stage_cycles const stage = stage_cycles_of(costs, config, block_cols, e);
  double const multiplying = slowdown * of_gpu * stages * stage.busy;
  double const waiting =
      slowdown * (choice.stream_k ? shared / config.resident_blocks : waves) * stages * stage.alone;
  double cycles = costs.of_product +
                  overlapped({multiplying, waiting, moved.memory, moved.l2,
                              of_gpu * cycles_of_shared_requests(costs, config, choice, e, gpu)}) +
                  waves * of_kind.of_wave + of_gpu * of_kind.of_block +
                  cycles_of_epilogues(costs, config, block_cols, std::max(of_gpu, 1.), e) *
                      (has_slow_stores(config, e) ? costs.unaligned_epilogue : 1) +
                  cycles_of(costs, copies_for(config, e), e.bytes_of_a, is_wgmma(config));
  if (is_wgmma(config))
    cycles += costs.of_wgmma_start + (e.bytes_of_a == 1 ? costs.of_byte_operands : 0) +
              (e.a_from_registers ? costs.of_a_from_registers : 0) +
              (config.block_rows > 64 ? costs.of_second_warpgroup : 0) +
              costs.of_cluster[log_blocks] +
              costs.of_sharer_of_a * most_sharers(col_tiles / choice.cluster.cols, gpu) +
              costs.of_sharer_of_b * most_sharers(row_tiles / choice.cluster.rows, gpu);
  if (choice.stream_k)
    cycles += costs.of_stream_k +
              (1 + real(ceil_div(multiprocessors * config.resident_blocks, blocks))) *
                  config.resident_blocks * tile * e.bytes_of_accumulator / costs.partial_bytes;
  if (e.bytes_of_accumulator >= 8)
    cycles += of_gpu * of_kind.exposed_stores / (config.resident_blocks * config.resident_blocks) *
              tile * e.bytes_of_c * gpu.multiprocessors / costs.memory_bytes;
  if (config.kind == gemm_kernel_kind::gemv)
    cycles += costs.of_gemv + (e.b_loads_wide ? 0 : costs.of_scalar_gemv);
  else cycles += waves * costs.of_k_slice * (config.k_slices - 1);
  if (choice.in_cluster)
    cycles += waves * (costs.of_cluster_reduction + real(split_k) * costs.of_split_in_cluster +
                       tile * e.bytes_of_accumulator / costs.cluster_bytes);
  else if (split_k > 1)
    cycles += costs.of_reduce_launch + costs.of_split * real(split_k) +
              real(e.batch) * real(e.rows) * real(e.cols) *
                  (costs.of_reduced_element +
                   2 * real(split_k) * e.bytes_of_accumulator / costs.reduced_bytes);
  return cycles;
}

gemm_costs costs_with(gemm_rates const& rates) {
  gemm_costs costs = hopper_gemm_costs;
  for (double* const of_memory : {&costs.memory_bytes, &costs.copied_bytes, &costs.reduced_bytes})
    *of_memory *= rates.memory;
  for (double* const of_l2 :
       {&costs.stored_bytes, &costs.simt.l2_bytes, &costs.wide_simt.l2_bytes, &costs.dmma.l2_bytes,
        &costs.complex_dmma.l2_bytes, &costs.wgmma.l2_bytes, &costs.mma_sync.l2_bytes})
    *of_l2 *= rates.l2;
  for (double* const of_request : {&costs.of_shared_request, &costs.of_shared_straddling_request})
    *of_request /= rates.l2;
  for (double* const of_launch :
       {&costs.of_product, &costs.of_reduce_launch, &costs.of_padding_copy, &costs.of_copy_for_tma,
        &costs.of_transposing_copy, &costs.of_gathering_copy})
    *of_launch *= rates.launch;
  return costs;
}

bool pays_to_align(operand_copies const& copies, gemm_choice const& choice) {
  return copies.bytes > 0 && !copies.transposes &&
         cycles_of(costs_with(gemm_rates_of_device()), copies, sizeof(double)) <
             share_of_scalar_f64_loads * choice.cycles;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
