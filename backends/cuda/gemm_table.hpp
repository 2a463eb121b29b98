// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The tuned tiles of gemm on CUDA devices, by what sums and how large it is. gemm_plan.cpp chooses
// among the rows of one table; docs/performance.md says what each was measured at, and what lost.
#pragma once

#include <xpose/backends/cuda/gemm_row.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

// name, kernel, rows, cols, depth, sums of a thread (warp), lanes down, slices, stages, async,
// blocks, capability, multiply-adds a clock, clocks of a lone stage. H100 SXM, 2026-11-21.

/// f32. Two blocks of 8x8 sums a thread hide each other's barriers and loads: 256x128 and 128x256
/// of 16x8, one block a multiprocessor, load a quarter less and were 5 to 9 % slower all the same.
struct f32_rows {
  static constexpr gemm_row rows[] = {
      {"f32_128x128", gemm_arithmetic::fma, 128, 128, 16, 8, 8, 4, 1, 3, true, 2, 0, 98, 3600},
      {"f32_128x64", gemm_arithmetic::fma, 128, 64, 16, 8, 8, 4, 2, 3, true, 2, 0, 82, 1800},
      {"f32_64x64", gemm_arithmetic::fma, 64, 64, 16, 8, 4, 4, 1, 4, true, 4, 0, 62, 1100},
      {"f32_64x32", gemm_arithmetic::fma, 64, 32, 32, 4, 8, 8, 4, 3, true, 2, 0, 60, 1400},
      {"f32_32x32", gemm_arithmetic::fma, 32, 32, 32, 4, 4, 4, 4, 4, true, 2, 0, 50, 800},
      {"f32_16x128", gemm_arithmetic::fma, 16, 128, 16, 4, 4, 4, 1, 4, true, 5, 0, 32, 1100},
      {"f32_16x64", gemm_arithmetic::fma, 16, 64, 32, 4, 4, 4, 4, 4, true, 3, 0, 30, 1200},
      {"f32_16x16", gemm_arithmetic::fma, 16, 16, 16, 2, 4, 8, 1, 2, true, 16, 0, 25, 900},
      {"f32_vector", gemm_arithmetic::vector, 1, 32, 64, 1, 4, 0, 64, 1, true, 2, 0, 4, 40}};
};

/// Other sums of 4 bytes.
struct rows_4 {
  static constexpr gemm_row rows[] = {
      {"tiles_128x128", gemm_arithmetic::fma, 128, 128, 16, 8, 8, 4, 1, 3, true, 2, 0, 50, 5000},
      {"tiles_64x64", gemm_arithmetic::fma, 64, 64, 16, 8, 4, 4, 1, 4, true, 4, 0, 44, 1600},
      {"tiles_32x32", gemm_arithmetic::fma, 32, 32, 32, 4, 4, 4, 4, 4, true, 2, 0, 32, 900},
      {"tiles_16x128", gemm_arithmetic::fma, 16, 128, 16, 4, 4, 4, 1, 4, true, 5, 0, 30, 900},
      {"tiles_16x16", gemm_arithmetic::fma, 16, 16, 16, 2, 4, 8, 1, 2, true, 16, 0, 20, 900}};
};

/// Sums of 8 bytes.
struct rows_8 {
  static constexpr gemm_row rows[] = {
      {"tiles_64x64", gemm_arithmetic::fma, 64, 64, 8, 8, 4, 4, 1, 4, true, 3, 0, 25, 2000},
      {"tiles_32x32", gemm_arithmetic::fma, 32, 32, 16, 4, 4, 4, 4, 4, true, 2, 0, 20, 900},
      {"tiles_16x64", gemm_arithmetic::fma, 16, 64, 16, 4, 4, 4, 1, 4, true, 4, 0, 18, 900},
      {"tiles_16x16", gemm_arithmetic::fma, 16, 16, 16, 2, 4, 8, 1, 2, true, 16, 0, 10, 900}};
};

/// Sums of 16 bytes.
struct rows_16 {
  static constexpr gemm_row rows[] = {
      {"tiles_64x32", gemm_arithmetic::fma, 64, 32, 8, 4, 4, 4, 1, 3, true, 3, 0, 13, 2000},
      {"tiles_16x16", gemm_arithmetic::fma, 16, 16, 16, 2, 4, 8, 1, 2, true, 10, 0, 6, 900}};
};

/// Operands that are converted, or are not aligned to their size: through registers.
struct converting_rows {
  static constexpr gemm_row rows[] = {
      {"converting_64x64", gemm_arithmetic::fma, 64, 64, 16, 4, 4, 4, 1, 2, false, 2, 0, 60, 2000},
      {"converting_16x16", gemm_arithmetic::fma, 16, 16, 16, 2, 4, 8, 1, 2, false, 8, 0, 15, 1000}};
};

/// Sums of more than 16 bytes: one each thread, as deep as shared memory allows.
template <int Bytes>
struct large_sum_rows {
  static_assert(Bytes <= 1024, "xpose: gemm on xpose::cuda takes accumulators of up to 1024 bytes");
  static constexpr int side = Bytes <= 256 ? 16 : 8;
  static constexpr int depth = Bytes <= 64 ? 8 : Bytes <= 128 ? 4 : Bytes <= 256 ? 2 : 1;
  static constexpr gemm_row rows[] = {
      {"large_sums", gemm_arithmetic::fma, side, side, depth, 1, 1, 4, 1, 2, false, 1, 0, 1, 4000}};
};

/// Doubles on matrix units; a warp has the sums.
struct f64_rows {
  static constexpr gemm_row rows[] = {
      {"f64_128x128", gemm_arithmetic::f64_units, 128, 128, 16, 64, 32, 0, 1, 3, true, 1, 80, 100,
       4500},
      {"f64_128x64", gemm_arithmetic::f64_units, 128, 64, 16, 64, 32, 0, 1, 3, true, 2, 80, 105,
       2600},
      {"f64_64x64", gemm_arithmetic::f64_units, 64, 64, 16, 32, 32, 0, 1, 3, true, 3, 80, 100,
       1500},
      {"f64_64x32", gemm_arithmetic::f64_units, 64, 32, 32, 32, 16, 0, 2, 3, true, 2, 80, 70, 1300},
      {"f64_32x32", gemm_arithmetic::f64_units, 32, 32, 32, 16, 16, 0, 2, 3, true, 3, 80, 60, 1000},
      {"f64_16x64", gemm_arithmetic::f64_units, 16, 64, 32, 16, 32, 0, 2, 4, true, 2, 80, 25, 1700},
      {"f64_16x16", gemm_arithmetic::f64_units, 16, 16, 16, 16, 16, 0, 1, 2, true, 16, 80, 30, 900},
      {"tiles_64x64", gemm_arithmetic::fma, 64, 64, 8, 4, 4, 4, 1, 4, true, 2, 0, 25, 2000},
      {"f64_vector", gemm_arithmetic::vector, 1, 16, 64, 1, 2, 0, 64, 1, true, 2, 0, 2, 40}};
};

/// float16 and bfloat16 on matrix units; a warp has the sums.
struct half_rows {
  static constexpr gemm_row rows[] = {
      {"units_128x256", gemm_arithmetic::short_units, 128, 256, 64, 64, 64, 0, 1, 4, true, 1, 80,
       1100, 900},
      {"units_128x128", gemm_arithmetic::short_units, 128, 128, 64, 64, 64, 0, 1, 3, true, 2, 80,
       1100, 900},
      {"units_128x64", gemm_arithmetic::short_units, 128, 64, 64, 64, 32, 0, 1, 4, true, 2, 80, 900,
       700},
      {"units_64x64", gemm_arithmetic::short_units, 64, 64, 64, 32, 32, 0, 1, 4, true, 3, 80, 700,
       500},
      {"units_32x64", gemm_arithmetic::short_units, 32, 64, 64, 32, 32, 0, 2, 4, true, 4, 80, 400,
       500},
      {"units_16x64", gemm_arithmetic::short_units, 16, 64, 64, 16, 32, 0, 2, 4, true, 5, 80, 250,
       500},
      {"units_16x16", gemm_arithmetic::short_units, 16, 16, 32, 16, 16, 0, 1, 2, true, 16, 80, 60,
       400},
      {"gathering_64x64", gemm_arithmetic::short_units, 64, 64, 64, 32, 32, 0, 1, 3, false, 3, 80,
       60, 5000},
      {"converting_64x64", gemm_arithmetic::fma, 64, 64, 16, 4, 4, 4, 1, 2, false, 2, 0, 40, 2000}};
};

/// 1-byte integers on matrix units.
struct byte_rows {
  static constexpr gemm_row rows[] = {
      {"units_128x256", gemm_arithmetic::short_units, 128, 256, 128, 64, 64, 0, 1, 4, true, 1, 80,
       2200, 900},
      {"units_128x128", gemm_arithmetic::short_units, 128, 128, 128, 64, 64, 0, 1, 3, true, 2, 80,
       2200, 900},
      {"units_128x64", gemm_arithmetic::short_units, 128, 64, 128, 64, 32, 0, 1, 4, true, 2, 80,
       1800, 700},
      {"units_64x64", gemm_arithmetic::short_units, 64, 64, 128, 32, 32, 0, 1, 4, true, 3, 80, 1400,
       500},
      {"units_32x64", gemm_arithmetic::short_units, 32, 64, 128, 32, 32, 0, 2, 4, true, 4, 80, 800,
       500},
      {"units_16x64", gemm_arithmetic::short_units, 16, 64, 128, 16, 32, 0, 2, 4, true, 5, 80, 500,
       500},
      {"units_16x16", gemm_arithmetic::short_units, 16, 16, 64, 16, 16, 0, 1, 2, true, 16, 80, 120,
       400},
      {"gathering_64x64", gemm_arithmetic::short_units, 64, 64, 128, 32, 32, 0, 1, 3, false, 3, 80,
       60, 5000},
      {"converting_64x64", gemm_arithmetic::fma, 64, 64, 16, 4, 4, 4, 1, 2, false, 2, 0, 40, 2000}};
};

/// Complex doubles on matrix units.
struct c128_rows {
  static constexpr gemm_row rows[] = {
      {"c128_64x64", gemm_arithmetic::c128_units, 64, 64, 8, 32, 32, 0, 1, 3, true, 2, 80, 26,
       2500},
      {"c128_32x32", gemm_arithmetic::c128_units, 32, 32, 16, 32, 16, 0, 2, 3, true, 3, 80, 20,
       1500},
      {"c128_16x64", gemm_arithmetic::c128_units, 16, 64, 16, 16, 16, 0, 1, 3, true, 3, 80, 20,
       1500},
      {"c128_16x16", gemm_arithmetic::c128_units, 16, 16, 16, 16, 8, 0, 1, 2, true, 10, 80, 15,
       900},
      {"tiles_64x32", gemm_arithmetic::fma, 64, 32, 8, 4, 4, 4, 1, 3, true, 2, 0, 13, 2000},
      {"c128_vector", gemm_arithmetic::vector, 1, 8, 64, 1, 1, 0, 64, 1, true, 2, 0, 1, 40},
      {"converting_16x16", gemm_arithmetic::fma, 16, 16, 16, 2, 4, 8, 1, 2, false, 8, 0, 5, 1000}};
};

/// Complex floats.
struct c64_rows {
  static constexpr gemm_row rows[] = {
      {"c64_64x64", gemm_arithmetic::fma, 64, 64, 16, 8, 4, 4, 1, 3, true, 3, 0, 25, 2600},
      {"c64_32x32", gemm_arithmetic::fma, 32, 32, 16, 4, 4, 4, 4, 4, true, 2, 0, 20, 900},
      {"c64_16x64", gemm_arithmetic::fma, 16, 64, 16, 4, 4, 4, 1, 4, true, 5, 0, 16, 1900},
      {"c64_16x16", gemm_arithmetic::fma, 16, 16, 16, 2, 4, 8, 1, 2, true, 16, 0, 10, 900},
      {"c64_vector", gemm_arithmetic::vector, 1, 16, 64, 1, 2, 0, 64, 1, true, 2, 0, 2, 40},
      {"converting_16x16", gemm_arithmetic::fma, 16, 16, 16, 2, 4, 8, 1, 2, false, 8, 0, 5, 1000}};
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
