// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The constants of the cost model (gemm/cost_model.cpp), next to the rates of config/table.hpp:
// what a GPU's memory, launches and clusters take. benchmarks/tune/fit_gemm.cpp fits both to times.
#pragma once

#include <xpose/backends/cuda/gemm/config/config.hpp>

namespace xpose::detail {

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
};

/// Cycles, and bytes or elements a cycle.
struct gemm_costs {
  double memory_bytes;
  double stored_bytes;
  double of_product;  // a launch, the first loads, the last stores
  // Of TMA boxes of less than a cache line of 128 bytes: what more of memory these take.
  double narrow_boxes;
  // Of rows that do not begin at cache lines: what more of L2 they take, as boxes straddle lines.
  double straddling_rows;
  // Of a C that TMA cannot store: what more an epilogue of wgmma takes.
  double unaligned_epilogue;
  // More than other kernels' start: barriers, descriptors, the first loads by TMA. And of two
  // warpgroups, which wait for each other.
  double of_wgmma_start;
  double of_second_warpgroup;
  // Of clusters of 1, 2, 4 and 8 blocks, which start together; and the share of each stage that
  // these wait for each other.
  double of_cluster[4];
  double share_of_cluster[4];
  // Of a stage of wgmma, whatever its columns: as other blocks multiply, and alone.
  double of_stage;
  double of_lone_stage;
  // Of loads by elements, where 16 bytes at once would do: an element of a stage as other blocks
  // multiply, and each that a thread of a lone block loads.
  double of_scalar_loads;
  double of_lone_scalar_load;
  // Of each block that asks for the same tiles at the same time, when memory has yet to deliver
  // them: 128x5800x456 takes 8.8 us in 91 tiles of 128x64, and 6.0 where four share what they read
  // of A.
  double of_sharer_of_a;
  double of_sharer_of_b;
  // The share of the first epilogue's time that each later one takes, as the producers load behind
  // them.
  double of_later_epilogues;
  // Of gemv: its warps add their accumulators.
  double of_gemv;
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
  // Operands that are copied first: read and written, and a workspace and launches; more of tensors
  // that TMA reads. A padding copy keeps rows. Elements of 2 bytes are MN-major as they are, so
  // that only scattered ones are copied.
  double copied_bytes;
  double of_padding_copy;
  double of_copy_for_tma;
  double of_transposing_copy;
  double of_gathering_copy;
  gemm_kernel_costs simt;  // and gemv
  gemm_kernel_costs dmma;
  gemm_kernel_costs wgmma;
  gemm_kernel_costs mma_sync;
};

/// Of an H100 SXM at 1.98 GHz, fitted with the rates of config/table.hpp to the times of all
/// choices for 300 random products of eight types (tune_gemm times, 2026-11-25; docs/tuning_log.md
/// has how); other GPUs have about the same proportions. With less of share_of_cluster, and with
/// 3460 bytes a cycle from L2, 4096x4096x4096 of float16 took 206 us in 128x240 of 4x2, and 184 in
/// 128x256 of 2x1.
inline constexpr gemm_costs h100_gemm_costs = {
    2010,
    16900,
    779,
    1.05,
    1.75,
    3.19,
    283,
    239,
    {0, 939, 705, 362},
    {0, 0.0232, 0.0531, 0.0327},
    47.5,
    283,
    0.05,
    15,
    35.3,
    23.6,
    0.746,
    1000,
    5170,
    76.8,
    0.00707,
    2220,
    2880,
    45.2,
    14.8,
    2000,
    1800,
    1930,
    4620,
    11000,
    {5250, 2790, 69.5, 18.1, 0.504},
    {6010, 2840, 114, 28.2, 4.59},
    {5130, 1430, 152, 36.2, 0},
    {3140, 994, 808, 60.7, 0},
};

/// gemm_choices_of() by other constants.
XPOSE_EXPORT int gemm_choices_by(gemm_costs const& costs, gemm_config const& config, int number,
                                 gemm_extents const& extents, gemm_gpu const& gpu,
                                 gemm_choice (&choices)[most_gemm_choices]);

}  // namespace xpose::detail
