// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Which configs, columns, clusters and splits of k a product may have, and of these the one for
// which the cost model expects the fewest cycles.

#include <xpose/backends/cuda/gemm/block/stream_k_share.hpp>
#include <xpose/backends/cuda/gemm/choice_cache.hpp>
#include <xpose/backends/cuda/gemm/cost_model.hpp>

#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// Of how many waves of blocks clusters may split the k, by the size of accumulators. Complex
/// doubles only within one: beyond it they lost as often as they won, by 6 %. Doubles beyond it
/// too: the choices for 48 products became 0.5 % faster (H100, 2026-11-26). Smaller accumulators
/// were not measured apart.
index waves_split_in_cluster(int bytes_of_accumulator) {
  if (bytes_of_accumulator > 8) return 1;
  return bytes_of_accumulator == 8 ? 4 : 2;
}

/// Whether clusters may share so many tiles of `k_tiles` k tiles, each of one block or as many as
/// the cluster has (block/stream_k.cuh): where the last wave is not full, waves are few, and a tile
/// has few clusters. Kernels without wgmma need three tiles for four multiprocessors: with 84 tiles
/// stream-K loses (744x448x384 TN of complex doubles 30.6 us, 25.1 in 48x32), with 112 it wins
/// (424x504x1256 TT of complex floats 56.5, 59.2; H200, 2026-11-30). No other bounds were measured;
/// the model decides within these.
bool may_stream_k(gemm_config const& config, index tiles, index k_tiles, index clusters) {
  constexpr index most_waves = 5, most_clusters_of_tile = 8, least_k_tiles = 8;
  index const multiprocessors = clusters / config.resident_blocks;
  bool const has_tiles = is_wgmma(config) ? tiles * most_clusters_of_tile >= clusters
                                          : tiles * 4 >= multiprocessors * 3;
  return can_stream_k(config) && clusters > 0 && k_tiles >= least_k_tiles && has_tiles &&
         tiles % clusters != 0 && tiles < most_waves * clusters &&
         2 * clusters * k_tiles <= most_shared_k_tiles;
}

/// Whether the kernels of a config are meant for the product: gemv reads B for every row; mma.sync
/// of tf32 is for devices without wgmma; a warpgroup of wgmma with more than 64 rows applies no
/// layer in registers; one stage takes a k that it holds; rows at any address are shifted where
/// they would be copied.
bool suits(gemm_config const& config, gemm_extents const& e) {
  constexpr index most_rows_of_gemv = 4;
  bool const has_wgmma = e.copied_for_tma.bytes >= 0;
  if (config.kind == gemm_kernel_kind::mma_sync && e.bytes_of_a == 4 && has_wgmma) return false;
  if (is_wgmma(config) && config.inner_rows > 64) return !e.has_layer;
  if (has_one_stage(config) && e.k_extent > config.block_k) return false;
  if (config.kind == gemm_kernel_kind::mma_sync_unaligned)
    return e.copied.bytes > 0 && !e.copied.transposes;
  return config.kind != gemm_kernel_kind::gemv || e.rows <= most_rows_of_gemv;
}

}  // namespace

int gemm_choices_by(gemm_costs const& costs, gemm_config const& config, int number,
                    gemm_extents const& extents, gemm_gpu const& gpu,
                    gemm_choice (&choices)[most_gemm_choices]) {
  auto const has_clusters_of = [&](index blocks) { return gpu.clusters[blocks - 1] >= 0; };
  if (config.capability > gpu.capability || !suits(config, extents) ||
      copies_for(config, extents).bytes < 0 ||
      shared_bytes_of(config, extents.bytes_of_a, extents.bytes_of_accumulator) > gpu.shared_bytes)
    return 0;
  index const resident = index{gpu.multiprocessors} * config.resident_blocks;
  index const stages = std::max<index>(1, ceil_div(extents.k_extent, config.block_k));
  int count = 0;
  auto const consider_split = [&](int block_cols, multicast_cluster const& cluster,
                                  traffic const& moved, index split_k, bool in_cluster) {
    index const least_stages = in_cluster ? 2 : 4;
    if (split_k < 1 || split_k > std::max<index>(1, stages / least_stages)) return;
    // f32_on_tensor_cores/f32_gemm.cuh adds no splits.
    if (split_k > 1 && (config.kind == gemm_kernel_kind::wgmma_bf16x3 || !extents.may_split))
      return;
    index const stages_per_split = ceil_div(stages, split_k);
    index const used = ceil_div(stages, stages_per_split);
    if (in_cluster && used == 1) return;
    gemm_choice choice{
        number,    used,       used == 1 ? extents.k_extent : stages_per_split * config.block_k,
        0,         in_cluster, cluster,
        block_cols};
    for (int c = count; c-- > 0 && choices[c].block_cols == block_cols;)
      if (choices[c].split_k == used && choices[c].in_cluster == in_cluster &&
          choices[c].cluster == cluster)
        return;
    choice.cycles = cycles_of_choice(costs, config, choice, extents, gpu, moved);
    choices[count++] = choice;
  };
  auto const consider_cols = [&](int block_cols) {
    if (row_tiles_of(config, extents.rows) * col_tiles_of(block_cols, extents.cols) > max_tiles)
      return;
    for (multicast_cluster const& cluster : multicast_clusters) {
      index const row_tiles = row_tiles_of(config, extents.rows, cluster);
      index const col_tiles = col_tiles_of(block_cols, extents.cols, cluster);
      bool const is_alone = cluster.blocks() == 1;
      if (!is_alone && (!is_wgmma(config) || !has_clusters_of(cluster.blocks()) ||
                        row_tiles * col_tiles > max_tiles ||
                        ceil_div(extents.rows, config.block_rows) < cluster.rows ||
                        ceil_div(extents.cols, block_cols) < cluster.cols))
        continue;
      traffic const moved = traffic_of(costs, config, block_cols, extents, cluster);
      index const blocks = row_tiles * col_tiles * extents.batch;
      auto const consider = [&](index split_k, bool in_cluster) {
        consider_split(block_cols, cluster, moved, split_k, in_cluster);
      };
      consider(1, false);
      index const of_cluster = cluster.blocks();
      index const at_a_time =
          usable_multiprocessors(gpu, config, of_cluster) * config.resident_blocks;
      if (may_stream_k(config, blocks / of_cluster, stages, at_a_time / of_cluster)) {
        gemm_choice choice{number, 1, extents.k_extent, 0, false, cluster, block_cols, true};
        choice.cycles = cycles_of_choice(costs, config, choice, extents, gpu, moved);
        choices[count++] = choice;
      }
      if (!is_alone) continue;
      // As many as fill the GPU once, or twice, or leave room on every multiprocessor. Of 220
      // random products a cluster that multicasts was faster for one in two launches, by 11 %.
      if (blocks < 2 * resident)
        for (index const fill : {resident, 2 * resident, resident / 2, index{gpu.multiprocessors},
                                 index{2 * gpu.multiprocessors}})
          consider(fill / blocks, false);
      if (extents.adds_in_cluster && gpu.capability >= 90 &&
          can_split_in_cluster(config, block_cols) &&
          blocks < waves_split_in_cluster(extents.bytes_of_accumulator) * resident)
        for (index split_k = 2; split_k <= most_splits_in_cluster; ++split_k)
          if (has_clusters_of(split_k)) consider(split_k, true);
    }
  };
  if (!has_any_cols(config)) {
    consider_cols(config.block_cols);
  } else {
    // Fewer columns of tiles in as many tiles are better.
    index tiles = 0;
    for (int cols = config.least_cols; cols <= config.block_cols; cols += wgmma_col_step) {
      index const of_these = col_tiles_of(cols, extents.cols);
      if (of_these != tiles) consider_cols(cols);
      tiles = of_these;
    }
  }
  return count;
}

int gemm_choices_of(gemm_config const& config, int number, gemm_extents const& extents,
                    gemm_gpu const& gpu, gemm_choice (&choices)[most_gemm_choices]) {
  if (gpu.rates == gemm_rates{})
    return gemm_choices_by(hopper_gemm_costs, config, number, extents, gpu, choices);
  return gemm_choices_by(costs_with(gpu.rates), config, number, extents, gpu, choices);
}

gemm_choice choose_gemm_config(gemm_config const* configs, int count, gemm_extents const& extents,
                               gemm_gpu const& gpu) {
  thread_local choice_cache known;
  return known.answer({configs, count, extents, gpu}, [&] {
    gemm_choice best{-1, 1, extents.k_extent};
    for (int number = 0; number < count; ++number) {
      gemm_choice choices[most_gemm_choices];
      int const found = gemm_choices_of(configs[number], number, extents, gpu, choices);
      for (int c = 0; c < found; ++c)
        if (best.cycles < 0 || choices[c].cycles < best.cycles) best = choices[c];
    }
    return best;
  });
}

void refuse_gemm(index rows, index cols) {
  throw backend_error(
      message("gemm: C is ", rows, 'x', cols,
              ", and no kernel for its types on this device has the shared memory, or "
              "numbers, for its tiles (",
              max_tiles, " at most)")
          .c_str());
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
