// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The tuned configs of gemm on CUDA devices, by accumulator and its size. gemm/choices.cpp
// chooses among the configs of one table; select.cuh says which table a problem has.
// docs/tuning_log.md says what each config was measured at, and what lost. Rates and latencies are
// the cost model's: fitted with it to the times of random products (H100 SXM, 2026-11-27; of bytes,
// halves, tf32, float8, doubles and complex doubles H200, 2026-11-29), not measured one by one.
// Those of mma.sync, but for 16x64, stay the H100's, for devices without wgmma.
#pragma once

#include <xpose/backends/cuda/gemm/config/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Named constructors of configs, one a kind of kernel, and the terms they are written in. Tables
/// derive from it to see these names.
class config_constructors {
  using kind = gemm_kernel_kind;

  template <int gemm_config::*Field>
  struct term {
    int value;
    constexpr void set(gemm_config& c) const { c.*Field = value; }
  };

  template <kind Kind, int Capability, bool UsesCpAsync = true>
  struct constructor {
    template <class Tile, class Inner, class... Terms>
    constexpr gemm_config operator()(char const* name, Tile block, Inner inner,
                                     Terms... terms) const {
      gemm_config c{name, Kind, block.rows, block.cols,  block.k, inner.rows, inner.cols,
                    0,    1,    1,          UsesCpAsync, 1,       Capability, wgmma_col_step,
                    128,  0,    0};
      (terms.set(c), ...);
      return c;
    }
  };

 public:
  struct tile {  // of a block: rows and columns of C, and the k of a stage
    int rows, cols, k;
  };
  struct inner_tile {  // rows and columns of accumulators
    int rows, cols;
  };
  using thread = inner_tile;
  using warp = inner_tile;
  using lane_rows = term<&gemm_config::lane_rows>;  // simt: 4 where it is left out
  using k_slices = term<&gemm_config::k_slices>;    // 1 where it is left out
  using stages = term<&gemm_config::stages>;
  using resident = term<&gemm_config::resident_blocks>;    // 1 where it is left out
  using least_cols = term<&gemm_config::least_cols>;       // wgmma: 16 where it is left out
  using split_cols = term<&gemm_config::most_split_cols>;  // wgmma: 128 where it is left out
  struct rate {  // multiply-adds per cycle and multiprocessor, cycles of a lone block's stage
    float per_cycle;
    int latency;
    constexpr void set(gemm_config& c) const { c.rate = per_cycle, c.latency = latency; }
  };

  static constexpr constructor<kind::dmma, 80> dmma{};
  static constexpr constructor<kind::complex_dmma, 80> complex_dmma{};
  static constexpr constructor<kind::mma_sync, 80> mma_sync{};
  static constexpr constructor<kind::mma_sync_unaligned, 80> unaligned{};
  /// mma.sync of operands that are gathered through registers.
  static constexpr constructor<kind::mma_sync, 80, false> gathering{};

  template <class... Terms>
  static constexpr gemm_config simt(char const* name, tile block, thread inner, Terms... terms) {
    return constructor<kind::simt, 0>{}(name, block, inner, lane_rows{4}, terms...);
  }
  /// SIMT of operands that are converted on their way through registers.
  template <class... Terms>
  static constexpr gemm_config converting(char const* name, tile block, thread inner,
                                          Terms... terms) {
    return constructor<kind::simt, 0, false>{}(name, block, inner, lane_rows{4}, stages{2},
                                               terms...);
  }
  template <class... Terms>
  static constexpr gemm_config gemv(char const* name, tile block, thread inner, Terms... terms) {
    return constructor<kind::gemv, 0>{}(name, block, inner, k_slices{block.k}, terms...);
  }
  /// A warpgroup has 64 rows of the block tile, or half of 256; its columns are the most that a
  /// launch may choose.
  template <class... Terms>
  static constexpr gemm_config wgmma(char const* name, tile block, Terms... terms) {
    inner_tile const of_warpgroup{block.rows > 128 ? block.rows / 2 : 64, block.cols};
    return constructor<kind::wgmma, 90>{}(name, block, of_warpgroup, terms...);
  }
  template <class... Terms>
  static constexpr gemm_config wgmma_bf16x3(char const* name, tile block, Terms... terms) {
    return constructor<kind::wgmma_bf16x3, 90>{}(name, block, inner_tile{64, block.cols}, terms...);
  }
};

/// f32. Two or three resident blocks of 8x8 thread tiles hide each other's barriers and loads.
/// 256x128 and 128x256 of 16x8 load a quarter less, and yet were 5 to 9 % slower; so were 128x128
/// of 16x8 in four warps, and 64x256 of 8x16 by 3 %. 64x64 of 8x8, six resident blocks: 2 % (H100,
/// 2026-11-25). 32x32_k16 and 32x64, two warps without k slices, are for batches: 8214 of 36x19x58
/// take 87 us, 140 in 64x64. 32x32 of k = 8 is up to 8 % faster or slower.
struct f32_configs : config_constructors {
  static constexpr gemm_config configs[] = {
      simt("f32_128x128", tile{128, 128, 16}, thread{8, 8}, stages{3}, resident{2},
           rate{113, 2301}),
      simt("f32_64x128", tile{64, 128, 8}, thread{8, 8}, stages{4}, resident{3}, rate{112, 879}),
      simt("f32_128x64", tile{128, 64, 16}, thread{8, 8}, stages{3}, resident{3}, rate{107, 1052}),
      simt("f32_64x64", tile{64, 64, 16}, thread{8, 4}, stages{4}, resident{4}, rate{93.7f, 382}),
      simt("f32_64x32", tile{64, 32, 32}, thread{4, 8}, lane_rows{8}, k_slices{4}, stages{3},
           resident{2}, rate{109, 1420}),
      simt("f32_32x32", tile{32, 32, 32}, thread{4, 4}, k_slices{4}, stages{4}, resident{2},
           rate{62.6f, 380}),
      simt("f32_32x32_k16", tile{32, 32, 16}, thread{4, 4}, stages{3}, resident{12},
           rate{65.1f, 616}),
      simt("f32_64x32_k8", tile{64, 32, 8}, thread{8, 4}, stages{4}, resident{8}, rate{69.6f, 555}),
      simt("f32_32x64", tile{32, 64, 8}, thread{8, 4}, stages{4}, resident{8}, rate{73.7f, 571}),
      simt("f32_32x128", tile{32, 128, 16}, thread{8, 4}, stages{4}, resident{4}, rate{86.4f, 518}),
      simt("f32_16x128", tile{16, 128, 16}, thread{4, 4}, stages{4}, resident{5}, rate{49.4f, 517}),
      simt("f32_16x64", tile{16, 64, 32}, thread{4, 4}, k_slices{4}, stages{4}, resident{3},
           rate{59.4f, 694}),
      simt("f32_16x16", tile{16, 16, 16}, thread{2, 4}, lane_rows{8}, stages{2}, resident{16},
           rate{19, 513}),
      gemv("f32_gemv", tile{1, 32, 64}, thread{1, 4}, resident{2}, rate{10.2f, 199})};
};

/// Other accumulators of 4 bytes.
struct configs_4_bytes : config_constructors {
  static constexpr gemm_config configs[] = {
      simt("simt_128x128", tile{128, 128, 16}, thread{8, 8}, stages{3}, resident{2},
           rate{50, 5000}),
      simt("simt_64x64", tile{64, 64, 16}, thread{8, 4}, stages{4}, resident{4}, rate{44, 1600}),
      simt("simt_32x32", tile{32, 32, 32}, thread{4, 4}, k_slices{4}, stages{4}, resident{2},
           rate{32, 900}),
      simt("simt_16x128", tile{16, 128, 16}, thread{4, 4}, stages{4}, resident{5}, rate{30, 900}),
      simt("simt_16x16", tile{16, 16, 16}, thread{2, 4}, lane_rows{8}, stages{2}, resident{16},
           rate{20, 900})};
};

/// Accumulators of 8 bytes.
struct configs_8_bytes : config_constructors {
  static constexpr gemm_config configs[] = {
      simt("simt_64x64", tile{64, 64, 8}, thread{8, 4}, stages{4}, resident{3}, rate{25, 2000}),
      simt("simt_32x32", tile{32, 32, 16}, thread{4, 4}, k_slices{4}, stages{4}, resident{2},
           rate{20, 900}),
      simt("simt_16x64", tile{16, 64, 16}, thread{4, 4}, stages{4}, resident{4}, rate{18, 900}),
      simt("simt_16x16", tile{16, 16, 16}, thread{2, 4}, lane_rows{8}, stages{2}, resident{16},
           rate{10, 900})};
};

/// Accumulators of 16 bytes.
struct configs_16_bytes : config_constructors {
  static constexpr gemm_config configs[] = {
      simt("simt_64x32", tile{64, 32, 8}, thread{4, 4}, stages{3}, resident{3}, rate{13, 2000}),
      simt("simt_16x16", tile{16, 16, 16}, thread{2, 4}, lane_rows{8}, stages{2}, resident{10},
           rate{6, 900})};
};

/// Operands that are converted, or not aligned to their size: through registers.
struct converting_configs : config_constructors {
  static constexpr gemm_config configs[] = {
      converting("converting_64x64", tile{64, 64, 16}, thread{4, 4}, resident{2}, rate{60, 2000}),
      converting("converting_16x16", tile{16, 16, 16}, thread{2, 4}, lane_rows{8}, resident{8},
                 rate{15, 1000})};
};

/// Accumulators of more than 16 bytes: one a thread, with k as large as shared memory allows.
template <int Bytes>
struct large_accumulator_configs : config_constructors {
  static_assert(Bytes <= 1024, "xpose: gemm on xpose::cuda takes accumulators of up to 1024 bytes");
  static constexpr int side = Bytes <= 256 ? 16 : 8;
  static constexpr int k = Bytes <= 64 ? 8 : Bytes <= 128 ? 4 : Bytes <= 256 ? 2 : 1;
  static constexpr gemm_config configs[] = {
      converting("large_accumulators", tile{side, side, k}, thread{1, 1}, rate{1, 4000})};
};

/// Doubles. 64x64 in four stages was 3 % slower at 4096 (H100, 2026-11-22), 128x64 of eight warps
/// and k = 32 6 %; 64x32 in two k slices was 15 % slower at 512. 32x64_k16 and 64x32_k16 are for a
/// short k: 104x4608x232 takes 12.7 us, 14.1 in the best of the others. Their 32x16 warp tiles read
/// shared memory for three quarters of the time: 912x1104x1224 takes 89 us, 70 in f64_32x64. 64x32
/// of k = 32 was never the best of 48 products (2026-11-26). A lone block waits for its copies:
/// five stages of 32x32 by four warps take 11.3 us for 256x256x2048 TN, three by eight warps 15.0;
/// four of 32x64 by one resident block 15.9 for 128x2048x1024 NT, three by two 17.3; four of
/// 64x64 34.1 for 504x256x5136 NT, 36.5; 16x32 4.95 for 96x96x1000 NT, 5.1 in 16x64. The choice
/// for 76 random products gains 6 % (H200, 2026-11-28). 96, 80 and 48 rows are for few tiles:
/// 5144x120x312 NT, 162 of 64x64 for 132 multiprocessors, takes 14.1 us in 130 of 80x64, 17.0 in
/// 64x64 (2026-11-29). No better: k = 64, 64x64 of k = 32
/// in three and four stages or two k slices, 16x64 of 16x16 in five.
struct f64_configs : config_constructors {
  static constexpr gemm_config configs[] = {
      dmma("f64_128x64", tile{128, 64, 16}, warp{64, 32}, stages{3}, resident{2},
           rate{335.6f, 1953}),
      dmma("f64_96x64", tile{96, 64, 16}, warp{48, 32}, stages{3}, resident{2}, rate{137.3f, 1147}),
      dmma("f64_80x64", tile{80, 64, 16}, warp{80, 16}, stages{4}, resident{2}, rate{153.4f, 942}),
      dmma("f64_64x64", tile{64, 64, 16}, warp{32, 32}, stages{3}, resident{3}, rate{153, 1058}),
      dmma("f64_64x64_deep", tile{64, 64, 16}, warp{32, 32}, stages{4}, resident{2},
           rate{194.1f, 936}),
      dmma("f64_48x64", tile{48, 64, 16}, warp{48, 16}, stages{4}, resident{3}, rate{121.2f, 422}),
      dmma("f64_32x64", tile{32, 64, 32}, warp{32, 32}, k_slices{2}, stages{4}, rate{96.17f, 141}),
      dmma("f64_32x64_k16", tile{32, 64, 16}, warp{32, 16}, stages{4}, resident{4},
           rate{104.4f, 666}),
      dmma("f64_64x32_k16", tile{64, 32, 16}, warp{32, 16}, stages{4}, resident{4},
           rate{99.86f, 662}),
      dmma("f64_32x32", tile{32, 32, 32}, warp{16, 16}, stages{5}, resident{2}, rate{102.8f, 470}),
      dmma("f64_16x32", tile{16, 32, 32}, warp{16, 16}, k_slices{2}, stages{5}, resident{3},
           rate{55.53f, 349}),
      dmma("f64_16x64", tile{16, 64, 32}, warp{16, 32}, k_slices{2}, stages{4}, resident{2},
           rate{66.28f, 552}),
      dmma("f64_16x16", tile{16, 16, 16}, warp{16, 16}, stages{2}, resident{16}, rate{32.23f, 634}),
      simt("simt_64x64", tile{64, 64, 8}, thread{4, 4}, stages{4}, resident{2}, rate{42.24f, 616}),
      gemv("f64_gemv", tile{1, 16, 64}, thread{1, 2}, resident{2}, rate{6.8f, 170})};
};

/// float16 and bfloat16. By mma.sync, 128x256 and 256x128, one block a multiprocessor, were 1 to 3
/// % faster at 4096 and up to 25 % slower elsewhere. 128x128 of eight warps, with one fragment
/// buffer so that nothing spills, takes 415 to 445 us at 4096 and 106 for 64 of 512x512x512; four
/// warps take 370 to 405, and 64x64 85. wgmma of 256 rows is for products of one wave:
/// 1560x3072x8192 NT takes 105 us, 112 in two waves of 128x160; 192 rows of three warpgroups gained
/// nothing (H200, 2026-11-29). Unaligned configs of one stage are for a k that it holds, with two
/// or three times the resident blocks: 1192 of 64x41x42 take 14.8 us, 27.5 in unaligned_64x64.
/// mma_sync of one stage likewise, where rows are aligned: 4812 of 44x45x32 NT take 30.3 us, 52.0
/// in mma_sync_64x64, 35.8 by cuBLAS; 2000 of 32x24x40 TN 6.7, 11.6 in 16x16, 11.0. Rates of
/// unaligned_32x32_single and _k32, and of mma_sync's, were set so that these are chosen where they
/// are faster, not fitted.
struct half_configs : config_constructors {
  static constexpr gemm_config configs[] = {
      wgmma("wgmma_128", tile{128, 256, 64}, least_cols{48}, stages{4}, rate{2640, 937}),
      wgmma("wgmma_64", tile{64, 192, 64}, stages{4}, rate{1456, 158}),
      wgmma("wgmma_256", tile{256, 144, 64}, least_cols{96}, split_cols{0}, stages{3},
            rate{2598, 1248}),
      mma_sync("mma_sync_128x128", tile{128, 128, 64}, warp{64, 64}, stages{3}, resident{2},
               rate{952, 1196}),
      mma_sync("mma_sync_64x64", tile{64, 64, 64}, warp{32, 32}, stages{4}, resident{3},
               rate{580, 477}),
      mma_sync("mma_sync_64x64_single", tile{64, 64, 64}, warp{32, 32}, stages{1}, resident{6},
               rate{400, 800}),
      mma_sync("mma_sync_32x32_single", tile{32, 32, 64}, warp{16, 16}, stages{1}, resident{8},
               rate{200, 800}),
      mma_sync("mma_sync_16x64", tile{16, 64, 64}, warp{16, 32}, k_slices{2}, stages{4},
               resident{5}, rate{57.52f, 535}),
      mma_sync("mma_sync_16x16", tile{16, 16, 32}, warp{16, 16}, stages{2}, resident{16},
               rate{164, 642}),
      unaligned("unaligned_64x64", tile{64, 64, 64}, warp{32, 32}, stages{3}, resident{2},
                rate{101.7f, 900}),
      unaligned("unaligned_32x32", tile{32, 32, 64}, warp{16, 16}, stages{3}, resident{4},
                rate{58.05f, 1924}),
      unaligned("unaligned_64x64_single", tile{64, 64, 64}, warp{32, 32}, stages{1}, resident{6},
                rate{254.1f, 3000}),
      unaligned("unaligned_32x32_single", tile{32, 32, 64}, warp{16, 16}, stages{1}, resident{8},
                rate{60, 1900}),
      unaligned("unaligned_32x32_k32", tile{32, 32, 32}, warp{16, 16}, stages{1}, resident{10},
                rate{55, 1200}),
      gathering("gathering_64x64", tile{64, 64, 64}, warp{32, 32}, stages{3}, resident{3},
                rate{104.9f, 5158}),
      converting("converting_64x64", tile{64, 64, 16}, thread{4, 4}, resident{2},
                 rate{35.5f, 5298})};
};

/// f32 rounded to tf32 (precision(tf32)). f32_configs compute what these do not pay for. mma.sync
/// takes any layout and alignment without copies, and is for devices without wgmma: on an H100
/// wgmma ends earlier with its copies, nearly always (6668x97x5950 171 us, 369 by mma.sync, as each
/// element is copied by itself; 2026-11-25).
struct tf32_configs : config_constructors {
  static constexpr gemm_config configs[] = {
      wgmma("tf32_128", tile{128, 256, 32}, least_cols{48}, stages{4}, rate{1439, 1082}),
      wgmma("tf32_64", tile{64, 192, 32}, stages{4}, rate{874.9f, 553}),
      mma_sync("tf32_sync_128x128", tile{128, 128, 32}, warp{64, 64}, stages{3}, resident{2},
               rate{200, 1700}),
      mma_sync("tf32_sync_64x64", tile{64, 64, 32}, warp{32, 32}, stages{4}, resident{3},
               rate{140, 1300}),
      mma_sync("tf32_sync_16x64", tile{16, 64, 32}, warp{16, 32}, k_slices{2}, stages{4},
               resident{5}, rate{80, 1300})};
};

/// f32 as 3xBF16 (precision(fast_f32)): six products of bfloat16 for one.
struct fast_f32_configs : config_constructors {
  static constexpr gemm_config configs[] = {
      wgmma_bf16x3("fast_f32_128x128", tile{128, 128, 32}, stages{4}, rate{220, 1500})};
};

/// float8. Its accumulators leave no registers for 256 columns.
struct float8_configs : config_constructors {
  static constexpr gemm_config configs[] = {
      wgmma("wgmma_128", tile{128, 128, 128}, least_cols{48}, split_cols{64}, stages{6},
            rate{5106, 851}),
      wgmma("wgmma_64", tile{64, 128, 128}, split_cols{64}, stages{4}, rate{2040, 366}),
      converting("converting_64x64", tile{64, 64, 16}, thread{4, 4}, resident{2},
                 rate{12.9f, 8417}),
      converting("converting_16x16", tile{16, 16, 16}, thread{2, 4}, lane_rows{8}, resident{8},
                 rate{3.7f, 5978})};
};

/// 1-byte integers. Eight warps for 128x128 were a quarter slower. Of mma_sync of one stage the
/// rates are set, as those of halves.
struct byte_configs : config_constructors {
  static constexpr gemm_config configs[] = {
      wgmma("wgmma_128", tile{128, 256, 128}, least_cols{48}, stages{4}, rate{3889, 963}),
      wgmma("wgmma_64", tile{64, 192, 128}, stages{4}, rate{1945, 138}),
      mma_sync("mma_sync_128x128", tile{128, 128, 128}, warp{64, 64}, stages{3}, resident{2},
               rate{2279, 801}),
      mma_sync("mma_sync_64x64", tile{64, 64, 128}, warp{32, 32}, stages{4}, resident{3},
               rate{618, 509}),
      mma_sync("mma_sync_64x64_single", tile{64, 64, 128}, warp{32, 32}, stages{1}, resident{6},
               rate{500, 800}),
      mma_sync("mma_sync_32x32_single", tile{32, 32, 128}, warp{16, 16}, stages{1}, resident{8},
               rate{300, 800}),
      mma_sync("mma_sync_16x64", tile{16, 64, 128}, warp{16, 32}, k_slices{2}, stages{4},
               resident{5}, rate{119.2f, 583}),
      mma_sync("mma_sync_16x16", tile{16, 16, 64}, warp{16, 16}, stages{2}, resident{16},
               rate{108, 1169}),
      unaligned("unaligned_64x64", tile{64, 64, 128}, warp{32, 32}, stages{3}, resident{2},
                rate{199.1f, 863}),
      unaligned("unaligned_32x32", tile{32, 32, 128}, warp{16, 16}, stages{3}, resident{4},
                rate{99.61f, 1702}),
      unaligned("unaligned_64x64_single", tile{64, 64, 128}, warp{32, 32}, stages{1}, resident{6},
                rate{308.5f, 1768}),
      unaligned("unaligned_32x32_single", tile{32, 32, 128}, warp{16, 16}, stages{1}, resident{8},
                rate{125.7f, 1308}),
      gathering("gathering_64x64", tile{64, 64, 128}, warp{32, 32}, stages{3}, resident{3},
                rate{326.1f, 10780}),
      converting("converting_64x64", tile{64, 64, 16}, thread{4, 4}, resident{2},
                 rate{51.71f, 1104})};
};

/// Complex doubles. 32x64 of eight 16x16 warp tiles, k = 32, as cuBLAS has it in 8.7 ms at 4096,
/// takes 11.0 here, 64x64 8.9 (H100, 2026-11-22). 32x32 in five stages takes 114 us for
/// 640x2032x568 TT, in four 122; 16x16 in two k slices 3.9 for 100 cubed, without 4.6; 32x16 14.0
/// for 400x300x500 NN, 14.6 in 32x32 (H200, 2026-11-28). 64x48 takes 164 us for 2906x809x401 NN,
/// 185 in 32x64 (2026-11-29).
struct c128_configs : config_constructors {
  static constexpr gemm_config configs[] = {
      complex_dmma("c128_64x64", tile{64, 64, 32}, warp{16, 32}, stages{3}, rate{51.47f, 3254}),
      complex_dmma("c128_64x48", tile{64, 48, 32}, warp{16, 24}, stages{3}, rate{51.63f, 2788}),
      complex_dmma("c128_48x64", tile{48, 64, 32}, warp{24, 16}, stages{3}, rate{53.86f, 3214}),
      complex_dmma("c128_48x32", tile{48, 32, 16}, warp{24, 16}, stages{4}, resident{2},
                   rate{29.19f, 314}),
      complex_dmma("c128_32x64", tile{32, 64, 16}, warp{32, 16}, stages{4}, resident{2},
                   rate{33.96f, 1623}),
      complex_dmma("c128_32x32", tile{32, 32, 16}, warp{16, 16}, stages{4}, resident{3},
                   rate{30.44f, 1054}),
      complex_dmma("c128_32x32_deep", tile{32, 32, 16}, warp{16, 16}, stages{5}, resident{2},
                   rate{33.86f, 828}),
      complex_dmma("c128_32x16", tile{32, 16, 32}, warp{16, 16}, k_slices{2}, stages{3},
                   resident{2}, rate{80.8f, 1258}),
      complex_dmma("c128_16x16_k32", tile{16, 16, 32}, warp{16, 8}, k_slices{2}, stages{3},
                   resident{4}, rate{18.05f, 715}),
      complex_dmma("c128_16x32", tile{16, 32, 32}, warp{16, 16}, k_slices{2}, stages{4},
                   resident{2}, rate{23.64f, 745}),
      complex_dmma("c128_16x16", tile{16, 16, 16}, warp{16, 8}, stages{3}, resident{7},
                   rate{17.13f, 710}),
      simt("simt_64x32", tile{64, 32, 8}, thread{4, 4}, stages{3}, resident{2}, rate{12.3f, 1538}),
      gemv("c128_gemv", tile{1, 8, 64}, thread{1, 1}, resident{2}, rate{1.51f, 332}),
      converting("converting_16x16", tile{16, 16, 16}, thread{2, 4}, lane_rows{8}, resident{8},
                 rate{1.9f, 18240})};
};

/// Complex floats. 4x4 thread tiles leave registers for twice the warps of 8x4 ones, which took 1.1
/// to 1.4 times as long, as did 8x8 (128x64, 128x128). 64x32_k8 is for a short k, of which 16 leave
/// a part of the last stage idle: 921x1712x145 takes 48.3 us, 54.4 in the best of the others; 64x64
/// of k = 8 adds nothing, nor with 8x4 thread tiles and three resident blocks (352x4152x80 NT 29.3
/// us, in 64x64 of 16 28.2, cuBLAS 23.3; H200, 2026-11-29). No better: 32x64, 32x32 of eight
/// resident blocks (H100, 2026-11-26).
struct c64_configs : config_constructors {
  static constexpr gemm_config configs[] = {
      simt("c64_64x64", tile{64, 64, 16}, thread{4, 4}, stages{3}, resident{2}, rate{25.3f, 1201}),
      simt("c64_64x32", tile{64, 32, 16}, thread{4, 4}, stages{3}, resident{4}, rate{27.7f, 1468}),
      simt("c64_64x32_k8", tile{64, 32, 8}, thread{4, 4}, stages{4}, resident{4}, rate{25.3f, 553}),
      simt("c64_32x32", tile{32, 32, 16}, thread{4, 4}, k_slices{4}, stages{4}, resident{2},
           rate{19.9f, 715}),
      simt("c64_16x64", tile{16, 64, 16}, thread{4, 4}, stages{4}, resident{5}, rate{22.3f, 1930}),
      simt("c64_16x16", tile{16, 16, 16}, thread{2, 4}, lane_rows{8}, stages{2}, resident{16},
           rate{19.3f, 1159}),
      gemv("c64_gemv", tile{1, 16, 64}, thread{1, 2}, resident{2}, rate{5.14f, 236}),
      converting("converting_16x16", tile{16, 16, 16}, thread{2, 4}, lane_rows{8}, resident{8},
                 rate{9.33f, 2814})};
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
