// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The tuned numbers of omp's copies, transposes and adds, and the one way to choose from a table.
// All were measured on 2026-11-21, where nothing else is said on a Xeon (Cascade Lake) of 2 cores
// with an L2 cache of 1 MB: benchmarks/results/xeon-2-cores.json.
#pragma once

#include <xpose/config.hpp>

#include <cstddef>

namespace xpose {
inline namespace v0 {
namespace detail {

/// The first entry of a table that takes the case. The last entry takes all that no other does.
template <class Entry, std::size_t Count, class Case>
constexpr Entry const& first_that_takes(Entry const (&table)[Count], Case const& c) {
  std::size_t at = 0;
  while (at + 1 < Count && !table[at].takes(c)) ++at;
  return table[at];
}

/// The element size that an entry is for.
struct element_size {
  index bytes;

  constexpr bool takes(index wanted) const { return bytes == wanted; }
};
inline constexpr element_size any_size{0};

/// Input columns of a tile of a streamed transpose. Long enough that the hardware prefetches each
/// row, 4 KB if possible. Few enough that the output rows, one page each, fit the L2 TLB, and that
/// the partial cache lines of small elements fit the L2 cache.
struct aligned_output {
  index columns;
};
struct unaligned_output {  // its cache lines are combined in scratch
  index columns;
};
/// Of a transpose within the caches of at least min_wide_columns columns of the input: tiles go by
/// single cache lines, whose input rows the hardware prefetches if they are long. us of one
/// thread by 128 columns in groups, and so; the same operands again and from memory (Emerald
/// Rapids, AVX-512, 2026-11-29): bytes 2000x1280 730, 443 and 2150, 1350; 2 bytes 1500x1500 995,
/// 714 and 3730, 2360; f32 658x658 312, 209 and 918, 740, 1000x1000 631, 464 and 1740, 1360; f64
/// 658x658 559, 402 and 1880, 1390, 1500x1200 2140, 1620 and 6200, 5000; 16 bytes 600x700 1190, 742
/// and 2650, 2670. Of 128 columns single lines gain nothing (f32 1000x1000 621 and 1790); bytes
/// lose by more than 384 (1000x1003 379 from memory by 256 columns, 447 by 512). Fewer than 640
/// columns lose from memory: f64 300x560 124, 126 and 380, 453, 700x300 181, 200 and 475, 810.
struct wide_tile {
  index columns;
};

struct cpu_tile_config : element_size {
  char const* kernel;  // as explain() shows it
  aligned_output aligned;
  unaligned_output unaligned;
  wide_tile wide{0};  // 0: this size has none
};
// 4096x4096 and 4097x4099, fraction of memcpy by columns. 4 bytes: 0.71 with 256, 0.83 with 512,
// 0.91 with 1024, 0.85 with 2048. 2 bytes 0.71 with 2048, 0.81 with 1024 (8192x8192 0.70, 0.79).
inline constexpr cpu_tile_config cpu_tile_table[] = {
    {element_size{1}, "transpose_tile<1>", aligned_output{2048}, unaligned_output{1024},
     wide_tile{384}},
    {element_size{2}, "transpose_tile<2>", aligned_output{1024}, unaligned_output{1024},
     wide_tile{512}},
    {element_size{4}, "transpose_tile<4>", aligned_output{1024}, unaligned_output{1024},
     wide_tile{768}},
    {element_size{8}, "transpose_tile<8>", aligned_output{1024}, unaligned_output{1024},
     wide_tile{1024}},
    {element_size{16}, "transpose_tile<16>", aligned_output{512}, unaligned_output{512},
     wide_tile{768}},
    {element_size{3}, "transpose_odd_size<3>", aligned_output{1024}, unaligned_output{1024}},
    {element_size{6}, "transpose_odd_size<6>", aligned_output{1024}, unaligned_output{1024}},
    {element_size{12}, "transpose_odd_size<12>", aligned_output{1024}, unaligned_output{1024}},
    {element_size{24}, "transpose_odd_size<24>", aligned_output{1024}, unaligned_output{1024}},
    {element_size{32}, "transpose_odd_size<32>", aligned_output{1024}, unaligned_output{1024}},
    {any_size, "transpose_odd_size", aligned_output{1024}, unaligned_output{1024}},
};

/// Of batches of small matrices, as explain() shows it.
inline constexpr char const* small_batch_kernel = "transpose_small_batched";

/// Tiles of transpose_inplace of square matrices.
struct tile_side {
  index elements;
};
struct cpu_in_place_config : element_size {
  char const* kernel;
  tile_side side;
};
// 4096x4096, one thread, fraction of memcpy with sides of 32, 48, 64 and 96: 4 bytes 0.52, 0.84,
// 0.89, 0.72; 8 bytes 0.69, 0.90, 0.79, 0.74; 16 bytes 0.88, 0.92, 0.79, 0.68.
inline constexpr cpu_in_place_config cpu_in_place_table[] = {
    {element_size{1}, "transpose_tile_pairs<1>", tile_side{64}},
    {element_size{2}, "transpose_tile_pairs<2>", tile_side{64}},
    {element_size{4}, "transpose_tile_pairs<4>", tile_side{64}},
    {element_size{8}, "transpose_tile_pairs<8>", tile_side{48}},
    {element_size{16}, "transpose_tile_pairs<16>", tile_side{48}},
    {element_size{3}, "transpose_tile_pairs<3>", tile_side{64}},
    {element_size{6}, "transpose_tile_pairs<6>", tile_side{64}},
    {element_size{12}, "transpose_tile_pairs<12>", tile_side{48}},
    {element_size{24}, "transpose_tile_pairs<24>", tile_side{32}},
    {element_size{32}, "transpose_tile_pairs<32>", tile_side{32}},
    {any_size, "swap_elements", tile_side{32}},
};

struct cpu_tuning {
  // Up to so many bytes a transpose is one tile.
  index single_tile_bytes = 4096;
  // Matrices of so many in all need no plan (transpose/small.hpp): input and output fit a
  // first-level cache.
  index most_unplanned_bytes = 16 << 10;
  // Streaming stores begin where input and output exceed one L2 cache per thread, and so many L2
  // caches in all; of a single matrix, also half of the L3 cache, or what tune() found
  // (runtime/settings.hpp); and beyond so many bytes in any case.
  // One thread, us cached and streamed: 512x512 of 4 bytes 103, 167; 1000x1000 475, 738; 1400x1400
  // 1871, 1593 (Cascade Lake). Zen 5, L3 of 32 MB, the same operands again, and operands from
  // memory: 1000x1000 of 4 bytes 94, 153 and 384, 421; 1500x1500 333, 379 and 987, 916; 2000x2000
  // 870, 463 and 1127, 786; 1000x1000 of 8 bytes 187, 189 and 485, 361. From memory streamed stores
  // win, but who reads the output next then waits for memory, and operands that another core has
  // just written take 20 to 60 % longer. Batches of small matrices gain nothing: 5000 of 16x16 of 4
  // bytes 458, 120 and 490, 250.
  // Sapphire Rapids, L2 of 2 MB, L3 of 300: 1000x1003 of 8 bytes 1160, 2580 and 2880, 2960; of 4
  // bytes 1500x2000 2040, 1440 and 4510, 1380, and 4580, 2950 if others write and read; 2048x2048
  // of 4 bytes 3050, 1640 and 7960, 1860. 16 threads: 1500x2000 of 8 bytes 1030 and 1370 cached,
  // while 3000x2000 took 310 and 520 streamed.
  index min_l2_caches = 8;
  index most_cached_bytes = 16 << 20;
  // Columns and cache lines of a tile within the caches.
  index cached_tile_columns = 128;
  index cached_tile_lines = 64;
  // Columns of a tile where register_lines_pay() (simd/moves.hpp).
  index register_tile_columns = 1024;
  // Columns of the input, and cache lines of its height for each thread, from which tiles are wide.
  index min_wide_columns = 640;
  index min_wide_lines = 4;
  // add with streaming stores, one operand transposed: bytes of its columns in a strip, and scratch
  // for that. 4096x4096 with 1024 and 2048 bytes was up to 0.1 of a sum of rows slower; 1000000x16
  // of 8 bytes with 512 had 0.75 of Eigen's rate. The last is for two transposed operands.
  index min_add_strip_bytes = 512;
  index max_add_strip_bytes = 4096;
  index add_scratch_bytes = 256 << 10;
  index add_both_strip_bytes = 2048;
  // Least batch of small matrices that is worth one call for all.
  index min_batch_count = 4;
  // Bytes of the rows that reorder_rows takes.
  index min_reordered_bytes = 17;
  index max_reordered_bytes = 8192;
  // Output rows of a strip of reorder_rows. Rows of 256 bytes, fraction of memcpy in the order of
  // the output, of the input, and in streamed strips of 4: 8x1024x12 to 0213 0.63, 1.09, 0.89;
  // 64x4096 to 102 0.69, 0.66, 1.05. Strips of 16 are within 0.05, of 64 as slow as the output's
  // order. The input's order lost on the 16-core Xeon: 368x64x384 to 102 0.79, strips 1.14.
  index strip_rows = 4;
  // Side of a tile of elements that are copied one by one.
  index element_tile = 64;
  // Bytes of a piece of a contiguous row, and of a tile of rows.
  index piece_bytes = 1 << 20;
};
inline constexpr cpu_tuning tuning;

}  // namespace detail
}  // namespace v0
}  // namespace xpose
