// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The tuned configs of bit copies on CUDA devices; the first that fits is taken. A new kernel is a
// file in kernels/, its constructor here, and its configs in the table.
// benchmarks/tune/tune_transpose measures tiles on a GPU and prints such configs.
#pragma once

#include <xpose/backends/cuda/transpose/kernels/contiguous_runs.cuh>
#include <xpose/backends/cuda/transpose/kernels/direct.cuh>
#include <xpose/backends/cuda/transpose/kernels/few_sides.cuh>
#include <xpose/backends/cuda/transpose/kernels/packed_runs.cuh>
#include <xpose/backends/cuda/transpose/kernels/skinny.cuh>
#include <xpose/backends/cuda/transpose/kernels/skinny_bytes.cuh>
#include <xpose/backends/cuda/transpose/kernels/small_batched.cuh>
#include <xpose/backends/cuda/transpose/kernels/small_scattered.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_aligned.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_merged.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_strided.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_tensor.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_tensor_interleaved.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_unaligned.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_unaligned_bytes.cuh>
#include <xpose/backends/cuda/transpose/select.hpp>
#include <xpose/backends/cuda/transpose/skinny.hpp>

#include <array>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace transpose_table {

// Template arguments, as the table writes them: tile<64, 64>, threads<256>.
template <int... Bytes>
struct word_sizes {
  template <int W>
  static constexpr bool has = ((Bytes == W) || ...);
};
template <int Count>
struct number {};
template <int Rows, int Cols>
struct tile_size {};
template <int... Bytes>
inline constexpr word_sizes<Bytes...> words{};
inline constexpr int any = 0;
template <int Words>
inline constexpr number<Words> elements{};
template <int Rows, int Cols>
inline constexpr tile_size<Rows, Cols> tile{};
template <int Count>
inline constexpr number<Count> threads{};
template <int Count>
inline constexpr number<Count> cols_per_thread{};
template <int Count>
inline constexpr number<Count> resident_blocks{};
template <int Kib>
inline constexpr number<(Kib << 10)> smem_kib{};

/// A config for words of W bytes, as explain() shows it: "kernel<4>", or "kernel<4,3>" if elements
/// of three words are named.
template <int W>
constexpr transpose_config config(char const* kernel, int words, transpose_config::launcher* launch,
                                  kernel_arguments const& arguments = {}, int named_words = 1) {
  transpose_config c{{}, W, words, launch, arguments};
  int end = 0;
  for (; kernel[end] != '\0'; ++end) c.name[end] = kernel[end];
  c.name[end++] = '<';
  if (W >= 10) c.name[end++] = '1';
  c.name[end++] = static_cast<char>('0' + W % 10);
  if (named_words > 1) {
    c.name[end++] = ',';
    c.name[end++] = static_cast<char>('0' + named_words);
  }
  c.name[end] = '>';
  return c;
}

// The kernels' constructors. A config for other words than W is empty, and its kernel not compiled.
template <int W, class Words>
constexpr transpose_config contiguous_runs(Words) {
  if constexpr (!Words::template has<W>) return {};
  else return config<W>("copy_contiguous_runs", any, run_contiguous_runs<W>).numbering_words();
}
template <int W, class Words>
constexpr transpose_config packed_runs(Words) {
  if constexpr (!Words::template has<W>) return {};
  else
    return config<W>("copy_packed_runs", any, run_packed_runs<W>)
        .numbering_words()
        .when(is_packed_runs);
}
template <int W, class Words>
constexpr transpose_config direct(Words) {
  if constexpr (!Words::template has<W>) return {};
  else return config<W>("copy_direct", any, run_direct<W>).numbering_words();
}
template <int W, class Words>
constexpr transpose_config few_cols(Words) {
  if constexpr (!Words::template has<W>) return {};
  else
    return config<W>("transpose_few_cols", 1, run_few_sides<W, true>)
        .numbering_words()
        .when(are_few_cols);
}
template <int W, class Words>
constexpr transpose_config few_rows(Words) {
  if constexpr (!Words::template has<W>) return {};
  else
    return config<W>("transpose_few_rows", 1, run_few_sides<W, false>)
        .numbering_words()
        .when(are_few_rows);
}
template <int W, class Words, int N, int T, int Smem>
constexpr transpose_config small_batched(Words, number<N>, number<T>, number<Smem>) {
  if constexpr (!Words::template has<W>) return {};
  else
    return config<W>("transpose_small_batched", N, run_small_batched<W, N, T, Smem>,
                     {0, 0, T, 0, 0, Smem})
        .reading_whole_matrices();
}
template <int W, class Words, int T, int Smem>
constexpr transpose_config small_batched_bytes(Words, number<T>, number<Smem>) {
  if constexpr (!Words::template has<W>) return {};
  else
    return config<W>("transpose_small_batched_bytes", 1, run_small_batched_bytes<T, Smem>,
                     {0, 0, T, 0, 0, Smem})
        .reading_whole_matrices();
}
template <int W, class Words, int T, int Smem>
constexpr transpose_config small_batched_quads(Words, number<T>, number<Smem>) {
  if constexpr (!Words::template has<W>) return {};
  else
    return config<W>("transpose_small_batched_quads", 1, run_small_batched_quads<T, Smem>,
                     {0, 0, T, 0, 0, Smem})
        .reading_whole_matrices();
}
template <int W, class Words>
constexpr transpose_config small_scattered(Words) {
  if constexpr (!Words::template has<W>) return {};
  else
    return config<W>("transpose_small_scattered", any, run_small_scattered<W>)
        .reading_whole_matrices()
        .when(is_small_scattered);
}
template <int W, class Words, int N, int T>
constexpr transpose_config skinny_cols(Words, number<N>, number<T>) {
  if constexpr (!Words::template has<W>) return {};
  else
    return config<W>("transpose_skinny_cols", N, run_skinny_cols<W, N, T>, {0, 0, T})
        .when(is_skinny_cols)
        .from(min_skinny_elements);
}
template <int W, class Words, int N, int T>
constexpr transpose_config skinny_rows(Words, number<N>, number<T>) {
  if constexpr (!Words::template has<W>) return {};
  else
    return config<W>("transpose_skinny_rows", N, run_skinny_rows<W, N, T>, {0, 0, T})
        .when(is_skinny_rows)
        .from(min_skinny_elements);
}
template <int W, class Words, int T, int Smem, int Blocks>
constexpr transpose_config skinny_bytes(Words, number<T>, number<Smem>, number<Blocks>) {
  if constexpr (!Words::template has<W>) return {};
  else
    return config<W>("transpose_skinny_bytes", 1, run_skinny_bytes<T, Smem, Blocks>,
                     {0, 0, T, 0, Blocks, Smem})
        .when(is_skinny_bytes);
}
template <int W, class Words, int R, int C, int T, int Blocks>
constexpr transpose_config tile_aligned(Words, tile_size<R, C>, number<T>, number<Blocks>) {
  if constexpr (!Words::template has<W>) return {};
  else
    return config<W>("transpose_tile_aligned", 1, run_tile_aligned<W, R, C, T, Blocks>,
                     {R, C, T, 0, Blocks})
        .when(is_aligned);
}
template <int W, class Words, int N>
constexpr transpose_config tile_strided(Words, number<N>) {
  if constexpr (!Words::template has<W>) return {};
  else return config<W>("transpose_tile_strided", N, run_tile_strided<W>);
}
template <int W, class Words, int N, int R, int C, int T, int P, int Blocks>
constexpr transpose_config tile_unaligned(Words, number<N>, tile_size<R, C>, number<T>, number<P>,
                                          number<Blocks>) {
  if constexpr (!Words::template has<W>) return {};
  else
    return config<W>("transpose_tile_unaligned", N, run_tile_unaligned<W, N, R, C, T, P, Blocks>,
                     {R, C, T, P, Blocks}, N)
        .when(is_transposed);
}
template <int W, class Words, int R, int C, int T, int Blocks>
constexpr transpose_config tile_unaligned_bytes(Words, tile_size<R, C>, number<T>, number<Blocks>) {
  if constexpr (!Words::template has<W>) return {};
  else
    return config<W>("transpose_tile_unaligned_bytes", 1, run_tile_unaligned_bytes<R, C, T, Blocks>,
                     {R, C, T, 0, Blocks})
        .when(is_transposed);
}

template <int W, class Words, int R, int C, int T, int Blocks>
constexpr transpose_config tile_merged(Words, tile_size<R, C>, number<T>, number<Blocks>,
                                       transpose_config::condition* suits) {
  if constexpr (!Words::template has<W>) return {};
  else
    return config<W>("transpose_tile_merged", 1, run_tile_merged<W, R, C, T, Blocks>,
                     {R, C, T, 0, Blocks})
        .when(suits);
}

template <int W, class Words>
constexpr transpose_config tile_tensor_interleaved(Words) {
  if constexpr (!Words::template has<W>) return {};
  else
    return config<W>("transpose_tile_tensor_interleaved", 1, run_tile_tensor_interleaved<W>)
        .when(is_interleaved_tensor_tile);
}

template <int W, class Words, int Smem>
constexpr transpose_config tile_tensor(Words, number<Smem>, transpose_config::condition* suits) {
  if constexpr (!Words::template has<W>) return {};
  else
    return config<W>("transpose_tile_tensor", any, run_tile_tensor<W, Smem>, {0, 0, 0, 0, 0, Smem})
        .when(suits);
}

// Below, a launch costs more than the bytes, and the kernel of the shortest path wins: 256 and 512
// square 2.8-3.1 us for every word where cudaMemcpy takes 3.5.
inline constexpr index small = index{1} << 18;
inline constexpr index small_unaligned = index{1} << 20;

// Of words of W bytes. Configs of sm90: H100 80GB SXM, CUDA 13.0, 2026-11-21 to 28, and the H200,
// where it is named, 2026-11-28; numbers behind them are shares of a copy, by word size. The others
// serve any other GPU, unmeasured, and on the H100 what is smaller than the config before. Resident
// blocks: registers are granted 8 a thread; unrelated edits let kernels drift from 40 to 42 and
// lost 10 %, so every config pins the blocks that fit a multiprocessor. Words of 4 bytes and more
// gain by more of them on the H200. Tiles want 256 bytes along both sides: 128 cost 2 to 4 %.
// clang-format off
template <int W>
inline constexpr auto table = std::array{
  few_cols<W>(words<1, 2, 4, 8>),
  few_rows<W>(words<1, 2, 4, 8>),
  direct<W>(words<1, 2, 4, 8, 16>).when(is_small),
  packed_runs<W>(words<1, 2, 4, 8>),
  packed_runs<W>(words<16>).from(1 << 21),  // 128x25x40x80 bytes by 0213, 10 MB, 0.90, as contiguous runs 0.92
  contiguous_runs<W>(words<1, 2, 4, 8, 16>).when(is_long_run),
  direct<W>(words<1, 2, 4, 8, 16>).when(is_in_order),
  direct<W>(words<1, 2, 4, 8>).when(are_few_narrow_tiles).below(1 << 19),
  tile_strided<W>(words<1, 2, 4, 8>, elements<1>).when(has_few_strided_tiles).below(1 << 19),
  direct<W>(words<1, 2, 4, 8, 16>).when(is_small_batch_or_skinny).below(1 << 18),
  direct<W>(words<8>).when(are_few_rows_of_wide_words).below(1 << 20),
  tile_tensor<W>(words<16>, smem_kib<16>, is_tensor_tile_of_pairs).from(1 << 20),
  direct<W>(words<16>).when(are_few_rows_of_wide_words).below(1 << 24),
  small_batched_quads<W>(words<1>, threads<256>, smem_kib<8>).when(are_quads_for_small_blocks).below(1 << 23),  // 1541 of 576x4 H200 1.22, by vec4s 1.08; 6*64 of 96x80 0.85, 0.77
  small_batched_bytes<W>(words<1>, threads<256>, smem_kib<16>).when(is_small_batch_of_vec4s),  // 0.998-1.004
  small_batched_quads<W>(words<1>, threads<512>, smem_kib<32>).when(are_quads_for_larger_blocks).from(1 << 25),  // 7000 of 100x50 H200 0.83, byte by byte 0.78
  small_batched_quads<W>(words<1>, threads<256>, smem_kib<8>).when(is_small_batch_of_quads),  // 2000 of 127x64 H200 0.73, 0.62
  tile_tensor_interleaved<W>(words<1, 2>),
  small_batched<W>(words<1>, elements<1>, threads<512>, smem_kib<32>).when(is_batch_for_larger_blocks).from(1 << 25),
  small_batched<W>(words<1>, elements<3>, threads<512>, smem_kib<32>).when(is_batch_for_larger_blocks).from(1 << 25),
  small_batched<W>(words<2, 4>, elements<1>, threads<512>, smem_kib<32>).when(is_batch_for_larger_blocks).from(1 << 23),
  small_batched<W>(words<1, 2, 4, 8, 16>, elements<1>, threads<256>, smem_kib<8>).when(is_small_batch),  // 1: 0.95-1.00, 63x65 0.81; 2: 0.98-1.00; 4: 0.99-1.016; 8: 1.00-1.014; 16: 1.00-1.015
  small_batched<W>(words<1, 2, 4, 8>, elements<any>, threads<256>, smem_kib<8>).when(is_small_batch),  // 1: 3 bytes 0.99-1.01, 5 bytes 0.70; 2: 6 bytes 0.99; 4: 12 bytes 1.00
  small_batched_bytes<W>(words<1>, threads<512>, smem_kib<32>).when(is_batch_of_vec4s_for_whole_blocks),
  small_batched_bytes<W>(words<1>, threads<1024>, smem_kib<64>).when(is_batch_of_vec4s_for_whole_blocks),
  small_batched_quads<W>(words<1>, threads<512>, smem_kib<16>).when(are_quads_for_whole_blocks),  // 500 of 255x64 H200 0.66, in 32 KB 0.59, byte by byte 0.52
  small_batched_quads<W>(words<1>, threads<512>, smem_kib<32>).when(are_quads_for_whole_blocks),
  small_batched_quads<W>(words<1>, threads<1024>, smem_kib<48>).when(are_quads_for_whole_blocks).sm90(),  // 3840 of 589x80 H200 0.70, 0.57; 506 of 101x532 in 64 KB 0.58, 0.62
  small_batched<W>(words<1, 2, 4, 8, 16>, elements<1>, threads<512>, smem_kib<32>).when(is_batch_for_whole_blocks),
  small_batched<W>(words<1, 2, 4, 8, 16>, elements<1>, threads<1024>, smem_kib<64>).when(is_batch_for_whole_blocks),
  small_batched<W>(words<1>, elements<3>, threads<512>, smem_kib<32>).when(is_batch_for_whole_blocks),  // 64x64 0.977
  small_batched<W>(words<1>, elements<3>, threads<1024>, smem_kib<64>).when(is_batch_for_whole_blocks),
  small_batched<W>(words<1, 2, 4, 8, 16>, elements<1>, threads<1024>, smem_kib<128>).when(is_batch_in_place).sm90(),
  small_batched<W>(words<1, 2, 4, 8, 16>, elements<1>, threads<1024>, smem_kib<192>).when(is_batch_in_place).sm90(),
  direct<W>(words<4>).when(is_narrow_batch).below(1 << 19),  // 78x37x15x11 by 1032 H200 1.05, by tensor tiles 0.74; 9x79x31x12 by 2130 1.26, merged 0.69
  tile_tensor<W>(words<4, 8>, smem_kib<16>, is_large_tensor_tile).from(1 << 20),
  tile_tensor<W>(words<8>, smem_kib<8>, is_tensor_tile_of_wide_words).from(3 << 17),
  tile_tensor<W>(words<1, 2, 4>, smem_kib<8>, is_tensor_tile).from(3 << 17),  // 2 bytes of 11x16x89x23 by 0321 H200 0.45, merged 0.56; 500x2x9x3x19 by 40321 0.38, as scattered 0.26
  tile_merged<W>(words<1>, tile<128, 64>, threads<256>, resident_blocks<4>, is_merged_tile).from(small).below(1 << 21),  // 27 of up to 6 us H200 1.08 times as fast as by 160; from 2^22 on 0.83 to 0.95
  tile_merged<W>(words<1>, tile<128, 64>, threads<160>, resident_blocks<8>, is_merged_tile).from(small),
  tile_merged<W>(words<2>, tile<64, 64>, threads<160>, resident_blocks<8>, is_merged_tile).from(small),
  tile_merged<W>(words<4>, tile<64, 64>, threads<384>, resident_blocks<3>, is_merged_tile).from(small),
  tile_tensor<W>(words<1, 2, 4>, smem_kib<8>, is_tensor_of_long_elements).from(3 << 17),
  contiguous_runs<W>(words<1, 2>).when(is_small_scattered_of_runs),
  small_scattered<W>(words<1, 2, 4, 8, 16>),
  direct<W>(words<8>).when(has_rows_in_pieces),
  tile_strided<W>(words<4, 8>, elements<1>).when(has_rows_of_a_strided_tile),
  tile_aligned<W>(words<2>, tile<128, 32>, threads<256>, resident_blocks<6>).when(are_cols_of_narrow_tiles).from(1 << 19).below(1 << 21),  // 92752x16 H200 1.31, as skinny columns 1.13, 27664x32 1.41, 1.28
  skinny_cols<W>(words<1, 2, 4, 8, 16>, elements<1>, threads<256>),  // 1: 0.94-1.00; 2: 0.95-1.04; 4: 0.97-1.01; 8: 0.97-1.01; 16: 0.97-1.01
  skinny_cols<W>(words<1, 2, 4, 8>, elements<any>, threads<256>),
  skinny_bytes<W>(words<1>, threads<256>, smem_kib<16>, resident_blocks<5>).from(1 << 21),  // 140x13001 H200 0.72, by tile_strided 0.91; 96x20001 0.62, as skinny rows 0.65
  skinny_rows<W>(words<1, 2, 4, 8, 16>, elements<1>, threads<256>),  // 1: 0.90-0.99; 2: 0.94-1.03; 4: 0.96-1.00; 8: 0.96-1.00; 16: 0.96-1.00
  skinny_rows<W>(words<1, 2, 4, 8>, elements<any>, threads<256>),
  direct<W>(words<1, 2, 4, 8>).when(is_skinny_multiword).from(min_skinny_elements),

  tile_strided<W>(words<2, 8>, elements<1>).when(is_transposed).below(small),
  tile_strided<W>(words<4>, elements<1>).when(is_transposed).below(1 << 20),  // 424x1256 H200 1.12 of the speed of aligned tiles
  tile_strided<W>(words<1>, elements<1>).when(is_aligned).below(small),
  tile_aligned<W>(words<1>, tile<64, 64>, threads<64>, resident_blocks<16>).from(1 << 22).when(has_few_aligned_cols),  // 378976x64 H200 0.96, by 128x128 0.88
  tile_aligned<W>(words<1>, tile<128, 128>, threads<256>, resident_blocks<6>).from(1 << 22).sides(64).filled_better_than(64, 256),
  tile_aligned<W>(words<4>, tile<64, 32>, threads<256>, resident_blocks<8>).from(small).filled_better_than(64, 64),  // 320 of 3456x80 H200 0.99, 6 blocks 0.89
  tile_aligned<W>(words<1>, tile<64, 128>, threads<128>, resident_blocks<16>).from(1 << 22).below(1 << 24).sides(64),  // 4160x2080 0.971, by 64x256 0.957
  tile_aligned<W>(words<1>, tile<64, 128>, threads<128>, resident_blocks<16>).from(1 << 24).sides(64).filled_better_than(64, 256),  // 2690 of 288x576, by 256x256 H200 0.62; this and the next not measured
  tile_aligned<W>(words<1>, tile<64, 256>, threads<256>, resident_blocks<8>).from(1 << 24).sides(64).filled_better_than(128, 128),
  tile_aligned<W>(words<1>, tile<128, 128>, threads<256>, resident_blocks<6>).from(1 << 24).sides(64),  // 5 blocks 0.01 to 0.05 less, 8 up to 0.09; 6112x12192 H200 0.96, by 256x256 0.88; 67936x22656 0.91, 0.83; 7200 sq 0.95, by 64x256 0.93
  tile_aligned<W>(words<1>, tile<256, 256>, threads<1024>, resident_blocks<2>).from(1 << 26).sides(256).sm90(),  // by a tuning file alone: 0.950, H200 0.83-0.94
  tile_aligned<W>(words<1>, tile<64, 64>, threads<64>, resident_blocks<16>),  // 2624x1312 0.93, H200 0.86; 128x64 by 128 threads 0.84, 0.79; 64x46496 0.89, 0.84; 0.71, 0.66
  tile_aligned<W>(words<2>, tile<64, 128>, threads<256>, resident_blocks<8>).from(1 << 24).sides(512),  // 8192x4096 H200 0.95, by 64x64 and 128x128 0.93
  tile_aligned<W>(words<2>, tile<64, 64>, threads<256>, resident_blocks<8>),  // 200 of 232x232 H200 1.03, by 64x128 0.99, by 128x128 0.97; 33x64x272x179 by 0231 0.98, 0.99, 0.88
  tile_aligned<W>(words<4>, tile<64, 64>, threads<512>, resident_blocks<4>).from(1 << 25).sides(512).sm90(),  // 0.961-0.967, H200 0.946-0.97; 3 blocks 0.968-0.975, H200 0.923
  tile_aligned<W>(words<4>, tile<32, 64>, threads<256>, resident_blocks<8>),  // 2296 sq H200 1.10, by 64x64 of 256 threads 1.02, of 512 1.09; 72x699472 0.91, 0.80, 0.82
  tile_aligned<W>(words<8>, tile<32, 32>, threads<256>, resident_blocks<6>).from(1 << 21).sides(512),  // 0.966-0.979, H200 0.946-1.00; 32x64 by 512 threads 0.968-0.978, H200 0.908-0.99
  tile_aligned<W>(words<8>, tile<32, 32>, threads<256>, resident_blocks<8>),  // 1000 sq 0.947, H200 0.912; 6 blocks 0.931, 0.885; 1540 of 232x232 0.98, 0.89

  tile_strided<W>(words<1, 16>, elements<1>).when(is_transposed).below(1 << 21),  // 1: 1023x1025 0.90, tile_unaligned_bytes 0.68
  tile_strided<W>(words<8>, elements<1>).when(is_transposed).below(small_unaligned),
  tile_merged<W>(words<1>, tile<128, 64>, threads<160>, resident_blocks<8>, is_transposed).from(small).filled_better_than(64, 128),  // H200 205*8 of 1343x64 0.80, by 256x32 0.54, 8644*3 of 558x58 0.58, 0.41
  tile_unaligned<W>(words<2>, elements<1>, tile<128, 32>, threads<256>, cols_per_thread<2>, resident_blocks<6>).from(small).filled_better_than(64, 64),
  tile_unaligned<W>(words<4>, elements<1>, tile<64, 32>, threads<256>, cols_per_thread<2>, resident_blocks<8>).from(small).filled_better_than(32, 64),
  tile_unaligned_bytes<W>(words<1>, tile<128, 128>, threads<320>, resident_blocks<4>).from(1 << 23).when(has_long_rows),  // 8191x8193 0.943, H200 0.87, by 64x128 0.85; 42570 sq 0.875, by 128x256 0.857
  tile_unaligned_bytes<W>(words<1>, tile<64, 128>, threads<192>, resident_blocks<8>),  // H200 571x38842 0.83, by 128x128 0.81; 300 of 298x243 0.71, 0.70; 500 of 150x151 0.58, 0.48
  tile_strided<W>(words<1>, elements<3>).when(is_transposed).below(1 << 19),  // from 2^17 words on 1.15 of the speed of tiles, from 2^18 1.07, 2^19 1.00 (H200)
  tile_unaligned<W>(words<1>, elements<2>, tile<64, 64>, threads<128>, cols_per_thread<2>, resident_blocks<8>),
  tile_unaligned<W>(words<1>, elements<3>, tile<64, 128>, threads<384>, cols_per_thread<2>, resident_blocks<4>).from(3 << 23).when(fills_wide_tiles).sm90(),  // 10001x20003 0.932, H200 0.917; 64x64 by 128 threads 0.920, 0.816
  tile_unaligned<W>(words<1>, elements<3>, tile<64, 32>, threads<192>, cols_per_thread<1>, resident_blocks<10>),  // 301x20001 H200 0.95, 8 blocks 0.90; 2001x1999 0.842, H200 0.776; 64x64 by 128 threads 0.812, 0.709; 200001x65 0.736, 0.624
  tile_unaligned<W>(words<1>, elements<5>, tile<64, 64>, threads<128>, cols_per_thread<2>, resident_blocks<6>),
  tile_unaligned<W>(words<1>, elements<6>, tile<64, 64>, threads<128>, cols_per_thread<2>, resident_blocks<5>),
  tile_unaligned<W>(words<1>, elements<7>, tile<64, 64>, threads<128>, cols_per_thread<2>, resident_blocks<5>),
  tile_unaligned<W>(words<2>, elements<1>, tile<128, 128>, threads<512>, cols_per_thread<2>, resident_blocks<3>).from(3 << 23).sides(256).sm90(),  // 0.914-0.933, H200 0.849-0.940; 4 columns and 2 blocks 0.914-0.938, H200 0.805-0.922; 404x27465 0.94, by 64x64 0.99
  tile_unaligned<W>(words<2>, elements<1>, tile<64, 64>, threads<256>, cols_per_thread<2>, resident_blocks<6>),  // 2001x1999 0.946, H200 0.881; 8 blocks 0.943, 0.874
  tile_unaligned<W>(words<2>, elements<2>, tile<64, 64>, threads<256>, cols_per_thread<2>, resident_blocks<5>),
  tile_unaligned<W>(words<2>, elements<3>, tile<64, 64>, threads<256>, cols_per_thread<2>, resident_blocks<4>),  // 0.931-0.940
  tile_unaligned<W>(words<2>, elements<5>, tile<64, 32>, threads<128>, cols_per_thread<2>, resident_blocks<8>),
  tile_unaligned<W>(words<2>, elements<6>, tile<64, 32>, threads<128>, cols_per_thread<2>, resident_blocks<8>),
  tile_unaligned<W>(words<2>, elements<7>, tile<64, 32>, threads<128>, cols_per_thread<2>, resident_blocks<7>),
  tile_unaligned<W>(words<4>, elements<1>, tile<64, 128>, threads<512>, cols_per_thread<4>, resident_blocks<3>).from(1 << 23).sides(256).sm90(),  // 0.929-0.950, H200 0.883-0.972; 2 blocks 0.940-0.960, H200 0.876-0.954; 4 blocks, with stack, 0.872-0.904
  tile_unaligned<W>(words<4>, elements<1>, tile<32, 64>, threads<256>, cols_per_thread<2>, resident_blocks<8>),  // 7001x901 0.957, H200 0.938; 64x128 0.925, 0.893
  tile_unaligned<W>(words<4>, elements<2>, tile<32, 32>, threads<256>, cols_per_thread<1>, resident_blocks<6>),
  tile_strided<W>(words<4>, elements<3>).when(is_transposed).below(1 << 17),  // 28x114 of 12 bytes 1.19 of the speed of tiles, 190x190 1.09 (H200)
  tile_unaligned<W>(words<4>, elements<3>, tile<32, 32>, threads<256>, cols_per_thread<1>, resident_blocks<5>),  // 0.931-0.950
  tile_unaligned<W>(words<4>, elements<5>, tile<32, 32>, threads<256>, cols_per_thread<1>, resident_blocks<5>),
  tile_unaligned<W>(words<4>, elements<7>, tile<32, 32>, threads<256>, cols_per_thread<1>, resident_blocks<4>),
  tile_strided<W>(words<8>, elements<1>).when(fills_tiles_badly),
  tile_unaligned<W>(words<8>, elements<1>, tile<32, 64>, threads<512>, cols_per_thread<2>, resident_blocks<4>).from(1 << 22).sides(256).sm90(),  // 0.938-0.956, H200 0.927-0.967; 3 blocks 0.938-0.957, H200 0.868-0.899
  tile_unaligned<W>(words<8>, elements<1>, tile<32, 32>, threads<256>, cols_per_thread<2>, resident_blocks<8>),
  tile_unaligned<W>(words<8>, elements<2>, tile<32, 32>, threads<256>, cols_per_thread<2>, resident_blocks<5>),
  tile_unaligned<W>(words<8>, elements<3>, tile<32, 32>, threads<256>, cols_per_thread<2>, resident_blocks<4>),  // 0.944-0.958
  tile_strided<W>(words<16>, elements<1>).when(fills_tiles_badly),  // 48x200000 0.974, H200 0.974; 32x32 0.970, 0.882
  tile_unaligned<W>(words<16>, elements<1>, tile<16, 32>, threads<256>, cols_per_thread<1>, resident_blocks<8>),  // H200: 8192x4096 0.98, 8191x4095 0.94, 2650 sq 0.99, by 32x32 of 512 threads and 4 blocks the same, by 16x16 0.86 to 0.92; 40000x80 0.96, 0.95
  tile_unaligned<W>(words<16>, elements<2>, tile<16, 16>, threads<256>, cols_per_thread<1>, resident_blocks<6>),  // 0.946-0.964
  tile_unaligned<W>(words<16>, elements<3>, tile<16, 16>, threads<256>, cols_per_thread<1>, resident_blocks<5>),  // 0.953

  contiguous_runs<W>(words<1, 2, 4, 8, 16>).when(is_long_element),
  tile_strided<W>(words<1, 2, 4, 8, 16>, elements<any>).when(is_any),
};
// clang-format on

}  // namespace transpose_table
}  // namespace detail
}  // namespace v0
}  // namespace xpose
