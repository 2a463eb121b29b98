// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The tuned tiles of gemm on CUDA devices, by what sums and how large it is. gemm/cost_model.cpp
// chooses among the rows of one table; docs/performance.md says what each was measured at, and what
// lost.
#pragma once

#include <xpose/backends/cuda/gemm/config/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

// name, kernel, rows, cols, depth, sums of a thread (warp, warpgroup), lanes down, slices, stages,
// async, blocks, capability, multiply-adds a clock, clocks of a lone stage, blocks of a cluster
// (one where it is left out). H100 SXM, 2026-11-21 and 22.

/// f32. Two blocks of 8x8 sums a thread hide each other's barriers and loads: 256x128 and 128x256
/// of 16x8, one block a multiprocessor, load a quarter less and were 5 to 9 % slower all the same.
struct f32_configs {
  static constexpr gemm_config rows[] = {
      {"f32_128x128", gemm_kernel_kind::simt, 128, 128, 16, 8, 8, 4, 1, 3, true, 2, 0, 97, 2870},
      {"f32_64x64_sliced", gemm_kernel_kind::simt, 64, 64, 32, 8, 8, 4, 4, 3, true, 2, 0, 76, 2010},
      {"f32_64x64", gemm_kernel_kind::simt, 64, 64, 16, 8, 4, 4, 1, 4, true, 4, 0, 74, 1070},
      {"f32_64x32", gemm_kernel_kind::simt, 64, 32, 32, 4, 8, 8, 4, 3, true, 2, 0, 62, 1270},
      {"f32_32x32", gemm_kernel_kind::simt, 32, 32, 32, 4, 4, 4, 4, 4, true, 2, 0, 49, 770},
      {"f32_16x128", gemm_kernel_kind::simt, 16, 128, 16, 4, 4, 4, 1, 4, true, 5, 0, 60, 780},
      {"f32_16x64", gemm_kernel_kind::simt, 16, 64, 32, 4, 4, 4, 4, 4, true, 3, 0, 55, 690},
      {"f32_16x16", gemm_kernel_kind::simt, 16, 16, 16, 2, 4, 8, 1, 2, true, 16, 0, 36, 1180},
      {"f32_vector", gemm_kernel_kind::vector, 1, 32, 64, 1, 4, 0, 64, 1, true, 2, 0, 10, 255}};
};

/// Other sums of 4 bytes.
struct configs_4_bytes {
  static constexpr gemm_config rows[] = {
      {"tiles_128x128", gemm_kernel_kind::simt, 128, 128, 16, 8, 8, 4, 1, 3, true, 2, 0, 50, 5000},
      {"tiles_64x64", gemm_kernel_kind::simt, 64, 64, 16, 8, 4, 4, 1, 4, true, 4, 0, 44, 1600},
      {"tiles_32x32", gemm_kernel_kind::simt, 32, 32, 32, 4, 4, 4, 4, 4, true, 2, 0, 32, 900},
      {"tiles_16x128", gemm_kernel_kind::simt, 16, 128, 16, 4, 4, 4, 1, 4, true, 5, 0, 30, 900},
      {"tiles_16x16", gemm_kernel_kind::simt, 16, 16, 16, 2, 4, 8, 1, 2, true, 16, 0, 20, 900}};
};

/// Sums of 8 bytes.
struct configs_8_bytes {
  static constexpr gemm_config rows[] = {
      {"tiles_64x64", gemm_kernel_kind::simt, 64, 64, 8, 8, 4, 4, 1, 4, true, 3, 0, 25, 2000},
      {"tiles_32x32", gemm_kernel_kind::simt, 32, 32, 16, 4, 4, 4, 4, 4, true, 2, 0, 20, 900},
      {"tiles_16x64", gemm_kernel_kind::simt, 16, 64, 16, 4, 4, 4, 1, 4, true, 4, 0, 18, 900},
      {"tiles_16x16", gemm_kernel_kind::simt, 16, 16, 16, 2, 4, 8, 1, 2, true, 16, 0, 10, 900}};
};

/// Sums of 16 bytes.
struct configs_16_bytes {
  static constexpr gemm_config rows[] = {
      {"tiles_64x32", gemm_kernel_kind::simt, 64, 32, 8, 4, 4, 4, 1, 3, true, 3, 0, 13, 2000},
      {"tiles_16x16", gemm_kernel_kind::simt, 16, 16, 16, 2, 4, 8, 1, 2, true, 10, 0, 6, 900}};
};

/// Operands that are converted, or are not aligned to their size: through registers.
struct converting_configs {
  static constexpr gemm_config rows[] = {{"converting_64x64", gemm_kernel_kind::simt, 64, 64, 16, 4,
                                          4, 4, 1, 2, false, 2, 0, 60, 2000},
                                         {"converting_16x16", gemm_kernel_kind::simt, 16, 16, 16, 2,
                                          4, 8, 1, 2, false, 8, 0, 15, 1000}};
};

/// Sums of more than 16 bytes: one each thread, as deep as shared memory allows.
template <int Bytes>
struct large_accumulator_configs {
  static_assert(Bytes <= 1024, "xpose: gemm on xpose::cuda takes accumulators of up to 1024 bytes");
  static constexpr int side = Bytes <= 256 ? 16 : 8;
  static constexpr int k_extent = Bytes <= 64 ? 8 : Bytes <= 128 ? 4 : Bytes <= 256 ? 2 : 1;
  static constexpr gemm_config rows[] = {{"large_sums", gemm_kernel_kind::simt, side, side,
                                          k_extent, 1, 1, 4, 1, 2, false, 1, 0, 1, 4000}};
};

/// Doubles on matrix units; a warp has the sums. 64x64 in four stages was 3 % slower at 4096 (H100,
/// 2026-11-22), 128x64 of eight warps and 32 deep 6 %; 64x32 in two slices 15 % slower at 512.
struct f64_configs {
  static constexpr gemm_config rows[] = {
      {"f64_128x64", gemm_kernel_kind::dmma, 128, 64, 16, 64, 32, 0, 1, 3, true, 2, 80, 113.5f,
       1235},
      {"f64_64x64", gemm_kernel_kind::dmma, 64, 64, 16, 32, 32, 0, 1, 3, true, 3, 80, 112, 855},
      {"f64_64x32", gemm_kernel_kind::dmma, 64, 32, 32, 32, 16, 0, 1, 3, true, 2, 80, 79, 970},
      {"f64_32x32", gemm_kernel_kind::dmma, 32, 32, 32, 16, 16, 0, 2, 3, true, 3, 80, 62, 735},
      {"f64_16x64", gemm_kernel_kind::dmma, 16, 64, 32, 16, 32, 0, 2, 4, true, 2, 80, 51, 705},
      {"f64_16x16", gemm_kernel_kind::dmma, 16, 16, 16, 16, 16, 0, 1, 2, true, 16, 80, 30.7f, 630},
      {"tiles_64x64", gemm_kernel_kind::simt, 64, 64, 8, 4, 4, 4, 1, 4, true, 2, 0, 30, 1050},
      {"f64_vector", gemm_kernel_kind::vector, 1, 16, 64, 1, 2, 0, 64, 1, true, 2, 0, 5, 264}};
};

/// float16 and bfloat16 on matrix units; a warp has the sums, or a warpgroup. On mma.sync 128x256
/// and 256x128, one block a multiprocessor, were 1 to 3 % faster at 4096 and up to 25 % slower
/// elsewhere; 128x128 of eight warps, with one set of fragments so that nothing spills, takes 415
/// to 445 us at 4096 and 106 for 64 of 512x512x512, four warps 370 to 405 and 64x64 85.
struct half_configs {
  static constexpr gemm_config rows[] = {{"warpgroups_128x256", gemm_kernel_kind::wgmma, 128, 256,
                                          64, 64, 256, 0, 1, 4, true, 1, 90, 1575, 1300, 2},
                                         {"warpgroups_128x128", gemm_kernel_kind::wgmma, 128, 128,
                                          64, 64, 128, 0, 1, 6, true, 1, 90, 1150, 670},
                                         {"warpgroups_64x128", gemm_kernel_kind::wgmma, 64, 128, 64,
                                          64, 128, 0, 1, 8, true, 1, 90, 840, 515},
                                         {"warpgroups_128x64", gemm_kernel_kind::wgmma, 128, 64, 64,
                                          64, 64, 0, 1, 8, true, 1, 90, 750, 635},
                                         {"warpgroups_64x64", gemm_kernel_kind::wgmma, 64, 64, 64,
                                          64, 64, 0, 1, 5, true, 2, 90, 596, 440},
                                         {"warpgroups_64x32", gemm_kernel_kind::wgmma, 64, 32, 64,
                                          64, 32, 0, 1, 16, true, 1, 90, 353, 330},
                                         {"units_128x128", gemm_kernel_kind::mma_sync, 128, 128, 64,
                                          64, 64, 0, 1, 3, true, 2, 80, 700, 1630},
                                         {"units_64x64", gemm_kernel_kind::mma_sync, 64, 64, 64, 32,
                                          32, 0, 1, 4, true, 3, 80, 551, 575},
                                         {"units_16x64", gemm_kernel_kind::mma_sync, 16, 64, 64, 16,
                                          32, 0, 2, 4, true, 5, 80, 241, 460},
                                         {"units_16x16", gemm_kernel_kind::mma_sync, 16, 16, 32, 16,
                                          16, 0, 1, 2, true, 16, 80, 82, 1060},
                                         {"gathering_64x64", gemm_kernel_kind::mma_sync, 64, 64, 64,
                                          32, 32, 0, 1, 3, false, 3, 80, 90, 10600},
                                         {"converting_64x64", gemm_kernel_kind::simt, 64, 64, 16, 4,
                                          4, 4, 1, 2, false, 2, 0, 21, 6400}};
};

/// f32 rounded to tf32 (precision(tf32)). What these rows do not pay for is left to f32_configs.
struct tf32_configs {
  static constexpr gemm_config rows[] = {
      {"tf32_128x256", gemm_kernel_kind::wgmma, 128, 256, 32, 64, 256, 0, 1, 4, true, 1, 90, 750,
       1230, 2},
      {"tf32_128x128", gemm_kernel_kind::wgmma, 128, 128, 32, 64, 128, 0, 1, 6, true, 1, 90, 565,
       690},
      {"tf32_64x128", gemm_kernel_kind::wgmma, 64, 128, 32, 64, 128, 0, 1, 8, true, 1, 90, 400,
       530},
      {"tf32_128x64", gemm_kernel_kind::wgmma, 128, 64, 32, 64, 64, 0, 1, 8, true, 1, 90, 350, 640},
      {"tf32_64x32", gemm_kernel_kind::wgmma, 64, 32, 32, 64, 32, 0, 1, 16, true, 1, 90, 215, 330}};
};

/// float8. Its sums have no room for 256 columns.
struct float8_configs {
  static constexpr gemm_config rows[] = {{"warpgroups_128x128_paired", gemm_kernel_kind::wgmma, 128,
                                          128, 128, 64, 128, 0, 1, 6, true, 1, 90, 2300, 840, 2},
                                         {"warpgroups_128x128", gemm_kernel_kind::wgmma, 128, 128,
                                          128, 64, 128, 0, 1, 6, true, 1, 90, 2200, 760},
                                         {"warpgroups_64x128", gemm_kernel_kind::wgmma, 64, 128,
                                          128, 64, 128, 0, 1, 8, true, 1, 90, 1750, 600},
                                         {"warpgroups_128x64", gemm_kernel_kind::wgmma, 128, 64,
                                          128, 64, 64, 0, 1, 8, true, 1, 90, 1400, 700},
                                         {"warpgroups_64x32", gemm_kernel_kind::wgmma, 64, 32, 128,
                                          64, 32, 0, 1, 16, true, 1, 90, 746, 350},
                                         {"converting_64x64", gemm_kernel_kind::simt, 64, 64, 16, 4,
                                          4, 4, 1, 2, false, 2, 0, 21, 6400},
                                         {"converting_16x16", gemm_kernel_kind::simt, 16, 16, 16, 2,
                                          4, 8, 1, 2, false, 8, 0, 5, 6500}};
};

/// 1-byte integers on matrix units. Eight warps for 128x128 were a quarter slower.
struct byte_configs {
  static constexpr gemm_config rows[] = {{"warpgroups_128x256", gemm_kernel_kind::wgmma, 128, 256,
                                          128, 64, 256, 0, 1, 4, true, 1, 90, 3120, 1300, 2},
                                         {"warpgroups_128x128", gemm_kernel_kind::wgmma, 128, 128,
                                          128, 64, 128, 0, 1, 6, true, 1, 90, 2200, 700},
                                         {"warpgroups_64x128", gemm_kernel_kind::wgmma, 64, 128,
                                          128, 64, 128, 0, 1, 8, true, 1, 90, 1740, 560},
                                         {"warpgroups_128x64", gemm_kernel_kind::wgmma, 128, 64,
                                          128, 64, 64, 0, 1, 8, true, 1, 90, 1400, 640},
                                         {"warpgroups_64x32", gemm_kernel_kind::wgmma, 64, 32, 128,
                                          64, 32, 0, 1, 16, true, 1, 90, 734, 330},
                                         {"units_128x128", gemm_kernel_kind::mma_sync, 128, 128,
                                          128, 64, 64, 0, 1, 3, true, 2, 80, 1500, 1460},
                                         {"units_64x64", gemm_kernel_kind::mma_sync, 64, 64, 128,
                                          32, 32, 0, 1, 4, true, 3, 80, 1054, 590},
                                         {"units_16x64", gemm_kernel_kind::mma_sync, 16, 64, 128,
                                          16, 32, 0, 2, 4, true, 5, 80, 430, 450},
                                         {"units_16x16", gemm_kernel_kind::mma_sync, 16, 16, 64, 16,
                                          16, 0, 1, 2, true, 16, 80, 102, 1130},
                                         {"gathering_64x64", gemm_kernel_kind::mma_sync, 64, 64,
                                          128, 32, 32, 0, 1, 3, false, 3, 80, 140, 14200},
                                         {"converting_64x64", gemm_kernel_kind::simt, 64, 64, 16, 4,
                                          4, 4, 1, 2, false, 2, 0, 40, 2000}};
};

/// Complex doubles on matrix units. 32x64 of eight warps of 16x16, 32 deep, as cuBLAS has it in 8.7
/// ms at 4096, takes 11.0 here, 64x64 8.9 (H100, 2026-11-22).
struct c128_configs {
  static constexpr gemm_config rows[] = {
      {"c128_64x64", gemm_kernel_kind::complex_dmma, 64, 64, 32, 16, 32, 0, 1, 3, true, 1, 80,
       30.2f, 4340},
      {"c128_32x64", gemm_kernel_kind::complex_dmma, 32, 64, 16, 32, 16, 0, 1, 4, true, 2, 80,
       28.7f, 1250},
      {"c128_32x32", gemm_kernel_kind::complex_dmma, 32, 32, 16, 16, 16, 0, 1, 4, true, 3, 80,
       28.3f, 692},
      {"c128_16x32", gemm_kernel_kind::complex_dmma, 16, 32, 32, 16, 16, 0, 2, 4, true, 2, 80, 21,
       815},
      {"c128_16x16", gemm_kernel_kind::complex_dmma, 16, 16, 16, 16, 8, 0, 1, 3, true, 7, 80, 16,
       627},
      {"tiles_64x32", gemm_kernel_kind::simt, 64, 32, 8, 4, 4, 4, 1, 3, true, 2, 0, 9, 2110},
      {"c128_vector", gemm_kernel_kind::vector, 1, 8, 64, 1, 1, 0, 64, 1, true, 2, 0, 2, 390},
      {"converting_16x16", gemm_kernel_kind::simt, 16, 16, 16, 2, 4, 8, 1, 2, false, 8, 0, 2,
       13400}};
};

/// Complex floats. 128x64 of 8x8 sums a thread, 128 threads, 8 deep: 3 to 6 % slower at 4096, twice
/// as long at 1024; 64x64 8 deep 5 %, 64x64 for two blocks 11 %, two slices of 32x64 9 % (H100,
/// 2026-11-22).
struct c64_configs {
  static constexpr gemm_config rows[] = {
      {"c64_64x64", gemm_kernel_kind::simt, 64, 64, 16, 8, 4, 4, 1, 3, true, 3, 0, 21.9f, 6030},
      {"c64_32x32", gemm_kernel_kind::simt, 32, 32, 16, 4, 4, 4, 4, 4, true, 2, 0, 17.4f, 1100},
      {"c64_16x64", gemm_kernel_kind::simt, 16, 64, 16, 4, 4, 4, 1, 4, true, 5, 0, 21, 1645},
      {"c64_16x16", gemm_kernel_kind::simt, 16, 16, 16, 2, 4, 8, 1, 2, true, 16, 0, 18.5f, 1010},
      {"c64_vector", gemm_kernel_kind::vector, 1, 16, 64, 1, 2, 0, 64, 1, true, 2, 0, 5, 287},
      {"converting_16x16", gemm_kernel_kind::simt, 16, 16, 16, 2, 4, 8, 1, 2, false, 8, 0, 9,
       5500}};
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
