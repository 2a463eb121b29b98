// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The constants of the cost model (gemm/cost_model.cpp), next to the rates of config/table.hpp:
// what a GPU's memory, launches and clusters take. benchmarks/tune/fit_gemm.cpp fits both to times.
#pragma once

#include <xpose/backends/cuda/gemm/config/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// What differs from one kind of kernel to the next.
struct gemm_kernel_costs {
  double l2_bytes;  // a cycle, to shared memory
  double of_wave;   // first loads and last stores
  double of_block;  // the start of each block of a multiprocessor
  // Of each accumulator of a thread in the epilogue: instructions that are not cached yet.
  double of_accumulator;
  // Times the cycles that a tile's stores take at their share of memory's speed, for accumulators
  // of eight bytes and more: what other resident blocks do not hide, over the square of their
  // number.
  double exposed_stores;
  // Of loads by elements, where 16 bytes at once would do: an element of a stage as other blocks
  // multiply, and each that a thread of a lone block loads.
  double of_scalar_loads;
  double of_lone_scalar_load;
};

/// Cycles, and bytes or elements a cycle.
struct gemm_costs {
  double memory_bytes;
  double stored_bytes;
  double of_product;  // a launch, the first loads, the last stores
  // Of TMA boxes of less than a cache line of 128 bytes: what more of memory these take.
  double narrow_boxes;
  // Of rows that do not begin at sectors of 32 bytes: what more of L2 they take, as boxes straddle
  // these. Told apart by cache lines of 128 bytes, choices for 30 products lost 2.9 %, by
  // sectors 1.6 (H200, 2026-11-29).
  double straddling_rows;
  // Of an MN-major B whose last panel is narrower than a cache line, and a load of its own: times
  // the bytes that it lacks, what more of L2 it takes.
  double narrow_panels;
  // Of a C that TMA cannot store: what more an epilogue of wgmma takes.
  double unaligned_epilogue;
  // More than other kernels' start: barriers, descriptors, the first loads by TMA. And of two
  // warpgroups, which wait for each other.
  double of_wgmma_start;
  double of_second_warpgroup;
  // Of elements of 1 byte; of an A from registers, and its 64 rows of a stage.
  double of_byte_operands;
  double of_a_from_registers;
  double of_rows_from_registers;
  // Of clusters of 1, 2, 4 and 8 blocks, which start together; and the share of each stage that
  // these wait for each other.
  double of_cluster[4];
  double share_of_cluster[4];
  // Of a stage of wgmma, whatever its columns: as other blocks multiply, and alone.
  double of_stage;
  double of_lone_stage;
  // Of each block that asks for the same tiles at the same time, when memory has yet to deliver
  // them: 128x5800x456 takes 8.8 us in 91 tiles of 128x64, and 6.0 where four share what they read
  // of A.
  double of_sharer_of_a;
  double of_sharer_of_b;
  // Of each k of an MN-major panel, a request of its own, for each block that makes it at the same
  // time: of whole sectors, and of others.
  double of_shared_request;
  double of_shared_straddling_request;
  // The share of the first epilogue's time that each later one takes, as the producers load behind
  // them.
  double of_later_epilogues;
  // Of gemv: its warps add their accumulators; more where it loads B by elements. Of each further
  // slice of k in a block, likewise.
  double of_gemv;
  double of_scalar_gemv;
  double of_k_slice;
  // The split-K reduction: a launch, the adding of each split in turn, every element's addresses.
  double of_reduce_launch;
  double of_split;
  double of_reduced_element;
  double reduced_bytes;
  // Splits in a cluster: two barriers of it, each split, and a tile through distributed shared
  // memory.
  double of_cluster_reduction;
  double of_split_in_cluster;
  double cluster_bytes;
  // Stream-K: how long blocks wait for each other, and the accumulators of a tile that a block
  // leaves to another, or adds. Set, not fitted: 752x1360x2848 of 3xBF16 was the product in view,
  // then what complex doubles of few tiles take (40 bytes a cycle were too many for these).
  double of_stream_k;
  double partial_bytes;
  // Blocks that a multiprocessor has more than its share, where these clusters outnumber it: 54 of
  // four blocks of 64x64 of f32 take 17.5 us, 54 of two 13.6.
  double of_crowded_clusters;
  // Operands that are copied first: read and written, and a workspace and launches; more of tensors
  // that TMA reads. A padding copy keeps rows. Elements of 2 bytes are MN-major as they are, so
  // that only scattered ones are copied.
  double copied_bytes;
  double of_padding_copy;
  double of_copy_for_tma;
  double of_transposing_copy;
  double of_gathering_copy;
  gemm_kernel_costs simt;       // and gemv
  gemm_kernel_costs wide_simt;  // of accumulators of 8 bytes and more
  gemm_kernel_costs dmma;
  gemm_kernel_costs complex_dmma;
  gemm_kernel_costs wgmma;
  gemm_kernel_costs mma_sync;
};

/// Of Hopper at 1.98 GHz, fitted with the rates of config/table.hpp to the times of all choices
/// (tune_gemm times; docs/tuning_log.md has how). What wgmma, mma.sync, memory and launches take is
/// of an H200, from 740 products of eight types, random, small and of language models, that it
/// multiplied at rest between them (2026-11-29), doubles' from 54 products; SIMT's, gemv's and
/// complex numbers' are of an H100 SXM, from 2170 products (2026-11-26 and 27). Other GPUs' rates
/// of memory follow from their clocks and widths (gemm_rates_of_device()). Ask for 4096x4096x4096
/// of float16 after a fit: 128x256 in clusters of 2x1 is the fastest, and one fit chose 128x240 of
/// 4x2 (184 and 206 us; H100). Requests that blocks share are fitted by themselves, to 55 products
/// of float16 (H200, 2026-11-30). A cost of the bytes that mma.sync transposes in registers gained
/// nothing.
inline constexpr gemm_costs hopper_gemm_costs = {
    3842,
    43060,
    536.1,
    1.074,
    2.022,
    1.999,
    2.968,
    562.2,
    881.4,
    417,
    926,
    23.4,
    {0, 1011, 541.6, 831.5},
    {0, 0.01959, 0.06435, 0.01664},
    47.66,
    288.8,
    28.76,
    32.39,
    0.1,
    0.12,
    0.9803,
    1200,
    1500,
    676,
    5661,
    83.63,
    0.003973,
    1640,
    1847,
    24.67,
    16.8,
    1500,
    25,
    0.555,
    2826,
    3052,
    1025,
    4080,
    11000,
    {8840, 1720, 281, 84.4, 0, 0.0698, 16.1},
    {8590, 1420, 275, 199, 7.71, 0.121, 28},
    {13100, 1551, 709.9, 62.32, 8.039, 0.1113, 36.03},
    {10500, 3390, 164, 97.3, 4.73, 0.0483, 39.1},
    {7410, 1460, 152.6, 29.23, 0, 0, 0},
    {1724, 1400, 16.63, 36.31, 0, 0, 0},
};

/// gemm_choices_of() by other constants.
XPOSE_EXPORT int gemm_choices_by(gemm_costs const& costs, gemm_config const& config, int number,
                                 gemm_extents const& extents, gemm_gpu const& gpu,
                                 gemm_choice (&choices)[most_gemm_choices]);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
