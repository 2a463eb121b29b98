// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Tuned numbers of omp's copies, transposes and adds.
#pragma once

#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Tiles of the transpose for one element size, where the output is streamed.
struct cpu_tile_config {
  index bytes;
  char const* kernel;
  // Input columns of a tile. Long enough that the hardware prefetches each row, 4 KB if possible.
  // Few enough that the output rows, one page each, fit the L2 TLB, and that the partial cache
  // lines of small elements fit the L2 cache.
  index columns;
  index columns_unaligned;  // where cache lines of the output are combined in scratch
};

// Xeon (Cascade Lake) 2 cores, 2026-11-21, benchmarks/results/xeon-2-cores.json: 4096x4096 and
// 4097x4099, share of memcpy by columns. 4 bytes: 0.71 with 256, 0.83 with 512, 0.91 with 1024,
// 0.85 with 2048. 2 bytes 0.71 with 2048, 0.81 with 1024 (8192x8192 0.70, 0.79).
inline constexpr cpu_tile_config cpu_tile_table[] = {
    {1, "turn_lines<1>", 2048, 1024},    {2, "turn_lines<2>", 1024, 1024},
    {4, "turn_lines<4>", 1024, 1024},    {8, "turn_lines<8>", 1024, 1024},
    {16, "turn_lines<16>", 512, 512},    {3, "turn_groups<3>", 1024, 1024},
    {6, "turn_groups<6>", 1024, 1024},   {12, "turn_groups<12>", 1024, 1024},
    {24, "turn_groups<24>", 1024, 1024}, {32, "turn_groups<32>", 1024, 1024},
    {0, "turn_groups", 1024, 1024},  // other sizes up to 64
};

/// Tiles of transpose_inplace of square matrices.
struct cpu_in_place_config {
  index bytes;
  char const* kernel;
  index side;  // elements
};
// The same Xeon, 4096x4096, one thread, share of memcpy with sides of 32, 48, 64 and 96: 4 bytes
// 0.52, 0.84, 0.89, 0.72; 8 bytes 0.69, 0.90, 0.79, 0.74; 16 bytes 0.88, 0.92, 0.79, 0.68.
inline constexpr cpu_in_place_config cpu_in_place_table[] = {
    {1, "turn_pairs<1>", 64},   {2, "turn_pairs<2>", 64},   {4, "turn_pairs<4>", 64},
    {8, "turn_pairs<8>", 48},   {16, "turn_pairs<16>", 48}, {3, "turn_pairs<3>", 64},
    {6, "turn_pairs<6>", 64},   {12, "turn_pairs<12>", 48}, {24, "turn_pairs<24>", 32},
    {32, "turn_pairs<32>", 32},
};

struct cpu_tuning {
  // Up to so many bytes, waking a team costs more than one thread's copy.
  index single_thread_bytes = 65536;
  // Streaming stores begin where input and output exceed one L2 cache per thread, and so many L2
  // caches in all. One thread, repeated in the same memory, us cached and streamed: L2 of 1 MB
  // (Cascade Lake) 512x512 of 4 bytes 103, 167; 1000x1000 475, 738; 1400x1400 1871, 1593; L2 of 2
  // MB (Sapphire Rapids) 20000 of 17x17 bytes 1187, 1178.
  index min_l2_caches = 8;
  // Pitches of whole 4 KB pages cause set conflicts: count as so many times the bytes. us cached
  // and streamed, L2 of 2 MB: 1024x1024 of 4 bytes 492, 446; of 8 bytes 1328, 804.
  index set_conflict_factor = 2;
  // Columns and cache lines of a tile within the caches.
  index cached_tile_columns = 256;
  index cached_tile_lines = 64;
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
