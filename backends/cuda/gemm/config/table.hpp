// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The tuned configs of gemm on CUDA devices, by accumulator and its size. gemm/choices.cpp
// chooses among the configs of one table; select.cuh says which table a problem has.
// docs/tuning_log.md says what each config was measured at, and what lost. Rates and latencies are
// the cost model's: fitted with it to the times of random products (H100 SXM, 2026-11-27; of bytes,
// halves, tf32, float8, doubles, complex doubles and what has one stage H200, 2026-11-29 and 30),
// not measured one by one. Those of mma.sync, but for 16x64, stay the H100's, for devices without
// wgmma.
#pragma once

#include <xpose/backends/cuda/gemm/config/constructors.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// f32. Two or three resident blocks of 8x8 thread tiles hide each other's barriers and loads.
/// 256x128 and 128x256 of 16x8 load a quarter less, and yet were 5 to 9 % slower; so were 128x128
/// of 16x8 in four warps, and 64x256 of 8x16 by 3 %. 64x64 of 8x8, six resident blocks: 2 % (H100,
/// 2026-11-25). 32x32_k16 and 32x64, two warps without k slices, are for batches: 8214 of 36x19x58
/// take 87 us, 140 in 64x64. 32x32 of k = 8 is up to 8 % faster or slower. Configs of one stage,
/// for a k that it holds, do not wait for others' barriers: 6679 of 6x19x58 NT take 25.4 us, 38.8
/// in 16x16 of two; 6 of 57x55x20 TN 1.98, 2.48. Larger ones of one stage lost (H200, 2026-11-30).
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
           rate{57.74f, 382}),
      simt("f32_32x32_k16", tile{32, 32, 16}, thread{4, 4}, stages{3}, resident{12},
           rate{71.96f, 672}),
      simt("f32_64x32_k8", tile{64, 32, 8}, thread{8, 4}, stages{4}, resident{8}, rate{69.6f, 555}),
      simt("f32_32x64", tile{32, 64, 8}, thread{8, 4}, stages{4}, resident{8}, rate{73.7f, 571}),
      simt("f32_32x128", tile{32, 128, 16}, thread{8, 4}, stages{4}, resident{4}, rate{86.4f, 518}),
      simt("f32_16x128", tile{16, 128, 16}, thread{4, 4}, stages{4}, resident{5}, rate{49.4f, 517}),
      simt("f32_16x64", tile{16, 64, 32}, thread{4, 4}, k_slices{4}, stages{4}, resident{3},
           rate{59.4f, 694}),
      simt("f32_32x32_single", tile{32, 32, 32}, thread{4, 4}, stages{1}, resident{16},
           rate{52.77f, 768}),
      simt("f32_16x32_single", tile{16, 32, 64}, thread{2, 4}, stages{1}, resident{12},
           rate{68.32f, 1505}),
      simt("f32_16x16", tile{16, 16, 16}, thread{2, 4}, lane_rows{8}, stages{2}, resident{16},
           rate{19.21f, 664}),
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
/// 64x64 (2026-11-29). One stage, for a k that it holds: 6679 of 6x19x58 NT 29.4 us, 39.1 in 16x16;
/// 3000 of 24x24x24 12.6, 19.6 (2026-11-30). No better: k = 64, 64x64 of k = 32 in three and four
/// stages or two k slices, 64x64 of one stage, 16x64 of 16x16 in five.
struct f64_configs : config_constructors {
  static constexpr gemm_config configs[] = {
      dmma("f64_128x64", tile{128, 64, 16}, warp{64, 32}, stages{3}, resident{2},
           rate{167.1f, 1441}, stream_k{0.9891f}),
      dmma("f64_96x64", tile{96, 64, 16}, warp{48, 32}, stages{3}, resident{2}, rate{138, 1126}),
      dmma("f64_80x64", tile{80, 64, 16}, warp{80, 16}, stages{4}, resident{2}, rate{130.5f, 853}),
      dmma("f64_64x64", tile{64, 64, 16}, warp{32, 32}, stages{3}, resident{3}, rate{130, 909},
           stream_k{0.9948f}),
      dmma("f64_64x64_deep", tile{64, 64, 16}, warp{32, 32}, stages{4}, resident{2},
           rate{128.5f, 566}),
      dmma("f64_48x64", tile{48, 64, 16}, warp{48, 16}, stages{4}, resident{3}, rate{113, 554}),
      dmma("f64_32x64", tile{32, 64, 32}, warp{32, 32}, k_slices{2}, stages{4}, rate{89.32f, 147}),
      dmma("f64_32x64_k16", tile{32, 64, 16}, warp{32, 16}, stages{4}, resident{4},
           rate{89.68f, 619}),
      dmma("f64_64x32_k16", tile{64, 32, 16}, warp{32, 16}, stages{4}, resident{4},
           rate{91.29f, 683}),
      dmma("f64_32x32", tile{32, 32, 32}, warp{16, 16}, stages{5}, resident{2}, rate{80.62f, 451}),
      dmma("f64_16x32", tile{16, 32, 32}, warp{16, 16}, k_slices{2}, stages{5}, resident{3},
           rate{50.19f, 329}),
      dmma("f64_16x64", tile{16, 64, 32}, warp{16, 32}, k_slices{2}, stages{4}, resident{2},
           rate{70.43f, 598}),
      dmma("f64_32x32_single", tile{32, 32, 64}, warp{16, 16}, stages{1}, resident{6},
           rate{88.58f, 798}),
      dmma("f64_32x32_single_k32", tile{32, 32, 32}, warp{16, 16}, stages{1}, resident{8},
           rate{250.5f, 97}),
      dmma("f64_16x32_single", tile{16, 32, 64}, warp{16, 16}, stages{1}, resident{7},
           rate{107.3f, 2199}),
      dmma("f64_16x32_single_k32", tile{16, 32, 32}, warp{16, 16}, stages{1}, resident{12},
           rate{89.43f, 536}),
      dmma("f64_16x16", tile{16, 16, 16}, warp{16, 16}, stages{2}, resident{16}, rate{51.9f, 800}),
      simt("simt_64x64", tile{64, 64, 8}, thread{4, 4}, stages{4}, resident{2}, rate{44.93f, 586}),
      gemv("f64_gemv", tile{1, 16, 64}, thread{1, 2}, resident{2}, rate{6.709f, 774})};
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

/// f32 as 3xBF16 (precision(fast_f32)): six products of bfloat16 for one. Its tiles have one size,
/// so that stream-K pays: 752x1360x2848, half a wave of them, takes 77 us, as SIMT 135. Tiles of
/// halves and tf32, whose columns fill a wave better, lost in 12 of 13 products (H200, 2026-11-29);
/// f32's 128x128 and 64x128 too (2026-11-30).
struct fast_f32_configs : config_constructors {
  static constexpr gemm_config configs[] = {wgmma_bf16x3("fast_f32_128x128", tile{128, 128, 32},
                                                         stages{4}, rate{220, 1500}, stream_k{1})};
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
/// 185 in 32x64 (2026-11-29). With one buffer of fragments, whose registers leave room for more
/// warps, those for a short k hide prologues and stores: 1968x1688x64 TN takes 48.5 us, 56.0 in
/// 32x32 of two; 10 to 20 % slower where k is long (2026-11-30). 32x64 and 64x32 of 32x16 warp
/// tiles with one buffer were never the best. Of one stage 3000 of 24x24x24 take 26.3 us, 29.2 in
/// the best of the others.
struct c128_configs : config_constructors {
  static constexpr gemm_config configs[] = {
      complex_dmma("c128_64x64", tile{64, 64, 32}, warp{16, 32}, stages{3}, rate{42.97f, 2896},
                   stream_k{0.984f}),
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
      complex_dmma("c128_64x32_short", tile{64, 32, 16}, warp{16, 16}, fragment_buffers{1},
                   stages{3}, resident{2}, rate{35, 1587}),
      complex_dmma("c128_32x32_short", tile{32, 32, 16}, warp{16, 16}, fragment_buffers{1},
                   stages{3}, resident{4}, rate{28.08f, 1111}),
      complex_dmma("c128_32x16", tile{32, 16, 32}, warp{16, 16}, k_slices{2}, stages{3},
                   resident{2}, rate{80.8f, 1258}),
      complex_dmma("c128_16x16_k32", tile{16, 16, 32}, warp{16, 8}, k_slices{2}, stages{3},
                   resident{4}, rate{20.5f, 462}),
      complex_dmma("c128_16x32", tile{16, 32, 32}, warp{16, 16}, k_slices{2}, stages{4},
                   resident{2}, rate{23.64f, 745}),
      complex_dmma("c128_32x32_single", tile{32, 32, 32}, warp{16, 16}, fragment_buffers{1},
                   stages{1}, resident{5}, rate{28.58f, 873}),
      complex_dmma("c128_16x16_single", tile{16, 16, 32}, warp{16, 8}, fragment_buffers{1},
                   stages{1}, resident{12}, rate{21.93f, 352}),
      complex_dmma("c128_16x16", tile{16, 16, 16}, warp{16, 8}, stages{3}, resident{7},
                   rate{22.55f, 840}),
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
/// resident blocks (H100, 2026-11-26). Of one stage 3000 of 24x24x24 take 24.6 us, 31.8 in the best
/// of the others, 43x50x36 NT 2.87, 3.75 (2026-11-30).
struct c64_configs : config_constructors {
  static constexpr gemm_config configs[] = {
      simt("c64_64x64", tile{64, 64, 16}, thread{4, 4}, stages{3}, resident{2}, rate{25.3f, 1201},
           stream_k{1.01f}),
      simt("c64_64x32", tile{64, 32, 16}, thread{4, 4}, stages{3}, resident{4}, rate{27.7f, 1468},
           stream_k{1}),
      simt("c64_64x32_k8", tile{64, 32, 8}, thread{4, 4}, stages{4}, resident{4},
           rate{27.23f, 452}),
      simt("c64_32x32", tile{32, 32, 16}, thread{4, 4}, k_slices{4}, stages{4}, resident{2},
           rate{19.9f, 715}),
      simt("c64_16x64", tile{16, 64, 16}, thread{4, 4}, stages{4}, resident{5}, rate{22.3f, 1930}),
      simt("c64_16x32_single", tile{16, 32, 64}, thread{2, 4}, stages{1}, resident{7},
           rate{16.41f, 3885}),
      simt("c64_16x32_single_k32", tile{16, 32, 32}, thread{2, 4}, stages{1}, resident{12},
           rate{20.34f, 532}),
      simt("c64_16x16", tile{16, 16, 16}, thread{2, 4}, lane_rows{8}, stages{2}, resident{16},
           rate{19.9f, 1602}),
      gemv("c64_gemv", tile{1, 16, 64}, thread{1, 2}, resident{2}, rate{5.14f, 236}),
      converting("converting_16x16", tile{16, 16, 16}, thread{2, 4}, lane_rows{8}, resident{8},
                 rate{9.33f, 2814})};
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
