// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a config of a gemm kernel says, and what of a problem decides between configs. Plain data:
// config/table.hpp lists the configs, gemm/choices.cpp chooses one.
#pragma once

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/config.hpp>

#include <algorithm>
#include <iterator>
#include <tuple>

namespace xpose {
inline namespace v0 {
namespace detail {

/// What multiplies: gemm/simt, gemm/gemv.cuh, gemm/sm80 (dmma, mma_sync), gemm/sm90 (wgmma).
/// Unaligned: operands with contiguous rows at any address.
enum class gemm_kernel_kind {
  simt,
  gemv,
  dmma,
  complex_dmma,
  mma_sync,
  mma_sync_unaligned,
  wgmma,
  wgmma_bf16x3
};

struct gemm_config {
  char const* name;  // as explain() shows it, with "x" and the columns where these are chosen
  gemm_kernel_kind kind;
  int block_rows;  // of the block tile of C
  int block_cols;  // the most, where a launch chooses (has_any_cols)
  int block_k;     // of the tiles of A and B in a pipeline stage
  int inner_rows;  // of the tile of a thread (simt, gemv), a warp (dmma, mma_sync) or a warpgroup
  int inner_cols;
  int lane_rows;        // simt: lanes of a warp down its tile; 32 / lane_rows go across
  int k_slices;         // sliced-K: groups of warps that share a block tile and divide a stage's k
  int stages;           // of the pipeline, in shared memory; wgmma takes more where they fit
  bool uses_cp_async;   // or TMA: copies operands as they are; else through registers
  int resident_blocks;  // that registers and shared memory leave room for on a multiprocessor
  int capability;
  int least_cols;       // where a launch chooses
  int most_split_cols;  // of tiles whose splits of k a cluster adds
  float rate;   // multiply-adds per cycle and multiprocessor that full tiles reach where no other
                // part of the cost model holds them up
  int latency;  // cycles of a stage while a multiprocessor has a single block
  int fragment_buffers;  // of dmma and complex_dmma; of two, one is loaded while one is multiplied
  // Stream-K (block/stream_k.cuh): the time of a stage over that of the config's other kernel, a
  // fitted factor. 0: there is no kernel of it.
  float stream_k_slowdown;
};

XPOSE_HOST_DEVICE constexpr bool can_stream_k(gemm_config const& config) {
  return config.stream_k_slowdown > 0;
}

/// Blocks of wgmma that are a cluster and share what they read by multicast: those below each other
/// their tile of B, those beside each other their tile of A.
///
///          B0   B1
///   A0     0    2      a cluster of two rows and two columns: block 0 loads half of A0, for itself
///   A1     1    3      and block 2, and half of B0, for itself and block 1
struct multicast_cluster {
  int rows = 1, cols = 1;

  constexpr int blocks() const { return rows * cols; }
  constexpr bool operator==(multicast_cluster const& other) const {
    return rows == other.rows && cols == other.cols;
  }
};
/// What a choice has; eight blocks are the portable size of a cluster.
inline constexpr multicast_cluster multicast_clusters[] = {{1, 1}, {2, 1}, {1, 2}, {2, 2},
                                                           {4, 1}, {1, 4}, {4, 2}, {2, 4}};

XPOSE_HOST_DEVICE constexpr bool is_wgmma(gemm_config const& config) {
  return config.kind == gemm_kernel_kind::wgmma || config.kind == gemm_kernel_kind::wgmma_bf16x3;
}
XPOSE_HOST_DEVICE constexpr bool is_mma_sync(gemm_config const& config) {
  return config.kind == gemm_kernel_kind::mma_sync ||
         config.kind == gemm_kernel_kind::mma_sync_unaligned;
}
XPOSE_HOST_DEVICE constexpr int least_of(int a, int b) { return a < b ? a : b; }
constexpr int binary_logarithm(int power_of_two) {
  int log = 0;
  for (; power_of_two > 1; power_of_two /= 2) ++log;
  return log;
}

/// Columns of a block tile of wgmma are a multiple of this (of 8 in the ISA, but not for integers),
/// chosen for a launch: then C's last column of tiles is nearly full, and so is the last wave.
inline constexpr int wgmma_col_step = 16;
/// Whether they are chosen.
XPOSE_HOST_DEVICE constexpr bool has_any_cols(gemm_config const& config) {
  return config.kind == gemm_kernel_kind::wgmma;
}

/// Threads that hold the accumulators of a block tile.
constexpr int threads_of_k_slice(gemm_config const& config) {
  int const tiles = config.block_rows / config.inner_rows * (config.block_cols / config.inner_cols);
  switch (config.kind) {
    case gemm_kernel_kind::simt:
    case gemm_kernel_kind::gemv:
      return tiles;
    case gemm_kernel_kind::wgmma:
    case gemm_kernel_kind::wgmma_bf16x3:
      return tiles * 128;
    default:
      return tiles * 32;
  }
}
constexpr int threads_of(gemm_config const& config) {
  return threads_of_k_slice(config) * config.k_slices;
}

/// Chosen for a k that their only stage holds; but for rows at any address, they take no more.
constexpr bool has_one_stage(gemm_config const& config) {
  return config.stages == 1 && config.kind != gemm_kernel_kind::gemv;
}
/// Kernels whose products of the last stage can end where k ends.
constexpr bool can_end_last_stage_early(gemm_config const& config) {
  return config.kind == gemm_kernel_kind::simt || config.kind == gemm_kernel_kind::dmma ||
         config.kind == gemm_kernel_kind::complex_dmma;
}
/// The k of a step of their products.
constexpr int k_of_step(gemm_config const& config) {
  return config.kind == gemm_kernel_kind::simt ? 1 : 8;
}
/// Steps of the last stage that a loop over them ends earlier than the code of all of its `steps`,
/// which multiplies zeros to the end. With 10 of 16 a lone block of SIMT is up to 9 % slower, with
/// 7 and less 3 to 7 % faster; with one of DMMA's two 6 to 12 % (H100, 2026-11-27).
XPOSE_HOST_DEVICE constexpr int most_single_steps(int steps) { return steps / 2; }

/// 3xBF16: an f32 as three bfloat16.
inline constexpr int parts_of_f32 = 3;
inline constexpr int bytes_of_parts = 2 * parts_of_f32;

/// Tiles of C that a kernel can number, and blocks of a launch.
inline constexpr index max_tiles = 2147483647;

/// Rasterization: tiles are numbered down a group of so many rows of tiles, then across, so that
/// blocks that run together share their operands in L2:
///
///   0 2 4        group of two rows of tiles
///   1 3 5
///   6 8 10       next group
///   7 9 11
///
/// Sixteen rows for wgmma were 1 to 2 % faster than eight from 4096 on (float16, H100, 2026-11-21).
/// Rows of a group times columns of tiles must fit 32 bits. wgmma has few enough, since TMA
/// descriptors end at 2^31 columns. Other kernels can have 2^29 columns of tiles and more in one to
/// three rows of tiles, which are then the group.
XPOSE_HOST_DEVICE constexpr unsigned raster_group_rows(gemm_kernel_kind kind, unsigned row_tiles) {
  if (kind == gemm_kernel_kind::wgmma) return 16;
  if (kind == gemm_kernel_kind::wgmma_bf16x3) return 8;
  return row_tiles < 8 ? row_tiles : 8;
}

/// The tile of C that has a number below max_tiles.
struct raster_tile {
  unsigned row, col;
};
XPOSE_HOST_DEVICE constexpr raster_tile rasterized_tile(unsigned tile, unsigned row_tiles,
                                                        unsigned col_tiles,
                                                        unsigned rows_in_group) {
  unsigned const of_group = rows_in_group * col_tiles;
  unsigned const group = tile / of_group;
  unsigned const in_group = tile - group * of_group;
  unsigned const left = row_tiles - group * rows_in_group;
  unsigned const rows = left < rows_in_group ? left : rows_in_group;
  unsigned const col = in_group / rows;
  return {group * rows_in_group + in_group - col * rows, col};
}

/// Shared memory of a block's pipeline, in the layout of tiles that takes most.
constexpr index shared_bytes_of(gemm_config const& config, index bytes_of_input,
                                index bytes_of_accumulator) {
  index const elements = index{config.block_rows + config.block_cols} * config.block_k;
  if (config.kind == gemm_kernel_kind::mma_sync || config.kind == gemm_kernel_kind::wgmma)
    return elements * config.stages * bytes_of_input;
  if (config.kind == gemm_kernel_kind::wgmma_bf16x3)
    return elements * config.stages * bytes_of_parts;
  if (config.kind == gemm_kernel_kind::mma_sync_unaligned) {
    constexpr int bytes_more_in_row = 16;
    int const buffers = config.stages > 1 ? 2 : 1;
    index const rows =
        std::max(config.block_rows, config.block_k) + std::max(config.block_cols, config.block_k);
    return elements * bytes_of_input * (config.stages + buffers) +
           rows * bytes_more_in_row * config.stages;
  }
  index const mn_major = index{config.block_k} * (config.block_rows + config.block_cols + 8);
  index const k_major = index{config.block_rows + config.block_cols} * (config.block_k + 4);
  bool const is_mn_major = config.kind == gemm_kernel_kind::simt || mn_major > k_major;
  return (is_mn_major ? mn_major : k_major) * config.stages * bytes_of_accumulator;
}

/// Operands that are copied to the workspace before a config can run.
struct operand_copies {
  index bytes;      // of A and B; less than 0: the config cannot run
  bool transposes;  // or gathers; else rows are copied as they are, all by one launch

  bool operator==(operand_copies const& o) const {
    return bytes == o.bytes && transposes == o.transposes;
  }
};

/// What the choice depends on.
struct gemm_extents {
  index batch, rows, cols, k_extent;
  int bytes_of_a;  // an element
  int bytes_of_b, bytes_of_c, bytes_of_accumulator;
  bool is_aligned;        // elements of A and B are aligned to their size, as cp.async needs them
  bool adds_in_cluster;   // split-K in a cluster
  operand_copies copied;  // for mma_sync
  operand_copies copied_for_tma;  // for wgmma
  // Whether rows of A and B, as they are loaded, are aligned for the widest loads: with wgmma,
  // to sectors of 32 bytes; with SIMT and doubles on tensor cores, cp.async's of 16 bytes.
  bool a_loads_wide = false;
  bool b_loads_wide = false;
  bool stores_c_by_tma = false;  // for wgmma
  // Whether wgmma takes A from registers: MN-major, of elements that it multiplies K-major only.
  bool a_from_registers = false;
  // Whether wgmma loads A and B MN-major, in panels of a cache line.
  bool a_is_mn_major = false;
  bool b_is_mn_major = false;
  bool has_layer = false;  // a layer_epilogue
  bool may_split = true;   // k; sums of splits are stored by rows

  bool operator==(gemm_extents const& o) const {
    auto const fields = [](gemm_extents const& e) {
      return std::tie(e.batch, e.rows, e.cols, e.k_extent, e.bytes_of_a, e.bytes_of_b, e.bytes_of_c,
                      e.bytes_of_accumulator, e.is_aligned, e.adds_in_cluster, e.copied,
                      e.copied_for_tma, e.a_loads_wide, e.b_loads_wide, e.stores_c_by_tma,
                      e.a_from_registers, e.a_is_mn_major, e.b_is_mn_major, e.has_layer,
                      e.may_split);
    };
    return fields(*this) == fields(o);
  }
};

/// Splits of k that a cluster's blocks add: the portable size of a cluster.
inline constexpr int most_splits_in_cluster = 8;

/// Whether a kernel has code to add them, on capability 90. In larger tiles of wgmma it made
/// accumulators spill; of SIMT and mma.sync tiles up to 64x64 of several stages have it, of doubles
/// all.
XPOSE_HOST_DEVICE constexpr bool can_split_in_cluster(gemm_config const& config, int block_cols) {
  constexpr int most_elements = 64 * 64;
  switch (config.kind) {
    case gemm_kernel_kind::wgmma:
      return block_cols <= config.most_split_cols;
    case gemm_kernel_kind::dmma:
    case gemm_kernel_kind::complex_dmma:
      return config.uses_cp_async && config.stages > 1;
    case gemm_kernel_kind::simt:
    case gemm_kernel_kind::mma_sync:
      return config.uses_cp_async && config.stages > 1 &&
             config.block_rows * config.block_cols <= most_elements;
    default:
      return false;
  }
}

/// Of a GPU, in those of the cost model's (config/costs.hpp): bytes a cycle from memory and from
/// L2, and the cycles that launches take, which follow the clock.
struct gemm_rates {
  float memory = 1, l2 = 1, launch = 1;

  bool operator==(gemm_rates const& o) const {
    return memory == o.memory && l2 == o.l2 && launch == o.launch;
  }
};
/// Of the current device: memory's as its driver's figures let expect, times what tune() found.
XPOSE_EXPORT gemm_rates gemm_rates_of_device();

struct gemm_gpu {
  int multiprocessors, capability;
  int shared_bytes;      // that a block may have
  int clusters[8] = {};  // of 1, 2, .. 8 multiprocessors, at a time; 0: not known; -1: none
  gemm_rates rates = {};

  bool operator==(gemm_gpu const& o) const {
    return multiprocessors == o.multiprocessors && capability == o.capability &&
           shared_bytes == o.shared_bytes &&
           std::equal(std::begin(clusters), std::end(clusters), o.clusters) && rates == o.rates;
  }
};

struct gemm_choice {
  int config;          // its number in the table; less than 0: none can run
  index split_k;       // blocks that divide the k of a tile of C; their sums are reduced in order
  index k_per_split;   // a multiple of the config's block_k
  double cycles = -1;  // expected; less than 0 without a config
  bool in_cluster = false;  // the splits' blocks are a cluster; at most most_splits_in_cluster
  multicast_cluster cluster = {};  // one block where the splits are a cluster
  int block_cols = 0;              // of has_any_cols(); 0: the config's
  bool stream_k = false;           // clusters share the tiles of the last waves
};
constexpr int block_cols_of(gemm_config const& config, gemm_choice const& choice) {
  return choice.block_cols > 0 ? choice.block_cols : config.block_cols;
}

/// Block tiles down a matrix of `rows` rows, and across one of `cols` columns, in full clusters.
constexpr index row_tiles_of(gemm_config const& config, index rows,
                             multicast_cluster const& cluster = {}) {
  return ceil_div(rows, index{config.block_rows} * cluster.rows) * cluster.rows;
}
constexpr index col_tiles_of(int block_cols, index cols, multicast_cluster const& cluster = {}) {
  return ceil_div(cols, index{block_cols} * cluster.cols) * cluster.cols;
}

/// The columns, clusters and ways to split k that a config has for a product, each with the cycles
/// that the cost model expects; returns how many. None where the device lacks its capability or
/// shared memory, or its tiles cannot be numbered.
inline constexpr int most_gemm_choices =
    256 / wgmma_col_step *
    (2 * static_cast<int>(std::size(multicast_clusters)) + 5 + most_splits_in_cluster - 1);
XPOSE_EXPORT int gemm_choices_of(gemm_config const& config, int number, gemm_extents const& extents,
                                 gemm_gpu const& gpu, gemm_choice (&choices)[most_gemm_choices]);

/// The config, and the split-K, that the cost model expects to end first. Configs whose capability
/// or shared memory the device lacks, or whose tiles cannot be numbered, are left out.
XPOSE_EXPORT gemm_choice choose_gemm_config(gemm_config const* configs, int count,
                                            gemm_extents const& extents, gemm_gpu const& gpu);

/// Whether copying unaligned doubles to aligned memory costs less on the current device than
/// loading them one by one.
XPOSE_EXPORT bool pays_to_align(operand_copies const& copies, gemm_choice const& choice);

/// Throws backend_error: no config can compute a C of so many rows and columns.
[[noreturn]] XPOSE_EXPORT void refuse_gemm(index rows, index cols);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
