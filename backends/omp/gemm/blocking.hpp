// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The blocking of a GEMM (MR NR KC MC NC, kernel/kernel.hpp), chosen before anything is packed:
// pure arithmetic on extents, strides and cache sizes. The order of a sum depends on the blocks and
// parts of k alone, which neither the number of threads nor a cache size changes.
#pragma once

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/omp/gemm/driver.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Tuned numbers. Xeon (Cascade Lake) 2 cores, 2026-11-21; EPYC (Zen 3, AVX2) 2 cores, 2026-11-23.
struct gemm_tuning_numbers {
  // Where accumulators stay in a workspace until all k is done: at most so many rows and columns.
  index workspace_c_side = 2048;
  // An operand of up to this many bytes is read in place, if it can be. 128x128x128 of f32: 0.66 of
  // peak in place and 0.61 packed; 192x192x192: 0.61 and 0.70.
  index in_place_bytes = 64 << 10;
  // Columns of B for which A is not worth packing. f32 and f64, packed over in place: AVX-512
  // (Sapphire Rapids) 2592x104x4400 1.24, 1.22, 2000x128x2000 1.14, 1.13, 2000x256x2000 1.02, 1.07,
  // 1000x1000x1000 1.00, 1.01; AVX2 there 1.13, 1.24, then 1.13, 1.19, 1.06, 1.12, but
  // 2000x400x2000 0.95, 0.92; AVX2 (Zen 3) 4096x48x1000 1.28, 1.24.
  index cols_in_place = 256;
  // Up to so many rows of A, such a narrow B is read in place too, if its pitch is at most so many
  // bytes: 16x16x100000 1.5 times as fast, 64x64x65536 1.13 times.
  index rows_of_b_in_place = 128;
  index pitch_of_b_in_place = 512;
  // A larger B is read in place if A has so few rows: KC is then so many rows of B, which a
  // processor streams side by side, and so many panels at a time stay in the cache for the next
  // rows of A. f32 on Zen 5 from memory, ms packed and in place: 24x4000x4000 7.0, 4.2;
  // 64x4000x4000 11.8, 9.3; 128x4000x4000 19.3, 17.2. KC 24, 48, 96 and 192: 24x4000x4000 4.6, 4.2,
  // 4.5, 4.2; 128x4000x4000 21.0, 18.0, 17.8, 17.2; 16x4096x4096, whose rows of B share sets of a
  // cache, 4.8, 5.7, 5.2, 5.2. 256 is level with 192 (Sapphire Rapids), and no less than the k of
  // small products, which have the same bits by the driver of their own.
  index skinny_rows = 128;
  index skinny_bytes = 1 << 20;
  index skinny_kc = 256;
  index skinny_panels = 8;
  // The same of any B, if a column of C has at most so many bytes; where C has fewer columns than
  // above, of k up to so much: parts of a longer k keep threads busy. Gflop/s of a C with rows of
  // so few bytes and an A with contiguous columns, packed and as C' = B' A', Sapphire Rapids: f32
  // 500x8x500 TT 42, 148, 200x12x200 56, 104, 500x16x3000 74, 107, 500x40x500 107, 135,
  // 3000x40x3000 88, 112; f64 500x8x500 29, 68, 100x20x1000 37, 60, 3000x20x500 42, 45. Longer ones
  // lose: 2504x72x80 of f32 132, 101, of f64 74, 58 (300x60x300 of f32 134, 146).
  index fewest_row_bytes = 160;
  index k_of_fewest_rows = 2048;
  // Of an A of doubles: 3000x16x3000 on two threads 80, 64.
  index most_bytes_transposed = 16 << 20;
  // Of an A and a B with contiguous columns, up to cols_in_place rows of A and so much k for each
  // of them, C' = B' A' packs nothing, or one operand by rows. us from memory and again, as C and
  // as C', Zen 5, 2026-11-29: f32 96x96x10152 1753, 836 and 960, 759; 64x1000x200 226, 164 and 126,
  // 132; 250x250x500 417, 340 and 288, 292; f64 200x60x2000 934, 639 and 515, 456. 250x2000x250
  // loses: 1319, 1361 and 1066, 1233. Of long rows of C, from memory: f32 64x16384x200 2778, 2544,
  // f64 8x200000x32 6098, 2896.
  index k_per_row_transposed = 3;
  // The same of more rows of A, few columns of B, and such a k: both are read where they are. us
  // from memory: f32 2152x72x1264 3423, 1964, 1500x60x300 442, 359, 2000x128x2000 5963, 4838; f64
  // 1500x60x300 775, 627, 2152x72x1264 5339, 5494; in the caches 5000x48x200 973, 1085.
  index k_in_place = 256;
  // An A with contiguous columns is packed twelve rows at a time, of k-groups by masked loads, and
  // as the B of C' = B' A' a vector or two at a time. From so much k for each column of C; below,
  // C' costs more to store. us from memory and again, as C and as C', Zen 5, 2026-11-29: bytes
  // 3000x40x3000 TN 6436, 4107 and 2049, 1036; 1500x200x1500 2212, 1126 and 1540, 1059; bf16
  // 912x40x280 TT 214, 81 and 113, 71; f64 333x33x999 TN 544, 298 and 334, 211; f32 1000x128x1000
  // 1643, 1252 and 1402, 1181. Loses: bytes 1000x500x1000 1629, 1101 and 1735, 1217; 2000x128x64
  // 129, 47 and 234, 118. Without k-groups from so many bytes of A on: complex floats 200x16x200
  // 61, 29 and 52, 30, on two threads 39, 17 and 38, 21; 333x33x999 818, 590 and 570, 427.
  index k_per_col_transposed = 7;
  index least_bytes_transposed = 512 << 10;
  // Panels that a thread packs side by side, and k-groups of each at a time, where a panel's width
  // is contiguous: rows are then read in long pieces, which are prefetched first. 16 k-groups
  // without a prefetch, and 32 with it, us, Zen 5, 2026-11-29: from memory bytes 912x40x280 TT 104,
  // 85, bf16 212, 195, f32 200x200x200 TN 113, 100; 64 lose for bytes of a long k, 3000x40x3000 TN
  // 5100, 6300.
  index panels_side_by_side = 8;
  index k_groups_side_by_side = 32;
  // The same of the row panels of A that a thread packs for itself: bytes of a row of A, panels.
  // One by one, in four, eight and sixteen, ms, Sapphire Rapids: f32 3000x40x3000 TN 18.0, 16.8,
  // 10.3, 8.2, 2592x104x4400 31, 30, 26, 21, 500x500x500 1.95, 1.53, 1.50, 1.49; f64 3000x40x3000
  // 17.8, 16.5, 13.4, 14.3; complex doubles 57, 56, 49, 50. Rows of elements
  // of which a lane takes several are shorter; sixteen and 64 panels, us from memory, Zen 5: bf16
  // 912x40x280 TT 230, 221, 3000x40x3000 TN 8480, 8200.
  index own_row_bytes = 2048;
  index most_own_row_panels = 16;
  index most_own_row_panels_of_groups = 64;
  // Split-K: at most so many parts, whose C has up to so many bytes of accumulators. A larger C has
  // tiles enough for all threads.
  index split_k_bytes = 256 << 10;
  index most_split_k = 32;
  // A thread packs panels for itself alone if its part of C has at most so many elements, although
  // others pack the same: panels that another core has written come slowly, and no thread waits for
  // another. 16 cores, all packing for all and each for itself, us: f32 256 60 to 77 and 40, 512
  // 350 and 260; f64 128 38 and 17, 256 144 and 95; bytes 256 29 and 16, 512 103 and 71. At 2048 no
  // difference. Two threads: f64 128 63 and 47, the others equal, but bytes 512 290 and 470: below
  // four threads not for kernels with several elements a k-group, whose products are cheaper than
  // packing.
  index most_of_own_cell = 400 * 400;
  // Packing an element of A, and of B, in multiply-adds.
  index products_of_packing_a = 12;
  index products_of_packing_b = 6;
  // Products below which a second thread costs more than it saves, with AMX (without: `tuned`):
  // 128x128x128 of bytes in 3 us (16 threads 8, 256x256x256 12 and 19).
  double serial_products_of_amx = 1 << 22;
  // Products of a matrix up to which AMX tiles cost more to configure and to fill with zeros than
  // vectors take: 1000 of 16x16x16 of bytes 780 us, by vectors 330.
  double least_products_of_amx = 24 * 24 * 24;
  // GEMV: bytes of the matrix below which a second thread costs more than it saves.
  double serial_gemv_bytes = 256 << 10;
  // GEMV by columns: bytes of a column that are read at a time. Short pieces cost memory its speed
  // (4 KB: 5 % for float, 8 % for bfloat16); long ones have more accumulators than an L1 cache
  // holds.
  index gemv_part_bytes = 16 << 10;
  // Columns of up to so many bytes are read whole, and each thread takes groups of so many columns
  // (split-K), rather than pieces of all: 1x4096x4096 of f32 on 16 cores 630 us, a matrix of as
  // many bytes by rows 365.
  index short_column_bytes = 64 << 10;
  index gemv_columns_of_split_k = 128;
};
inline constexpr gemm_tuning_numbers gemm_tuning;

/// `count` things in order, in nearly equal parts.
struct even_parts {
  index size;
  index longer;  // parts that have one more, the first ones

  static constexpr even_parts of(index count, index parts) {
    if (parts == 1) return {count, 0};
    index const size = quotient(count, parts);
    return {size, count - size * parts};
  }
  constexpr index begin(index n) const { return n * size + (n < longer ? n : longer); }
};

struct range {
  index first;
  index end;

  index count() const { return end - first; }
  range part(index parts, index n) const {
    auto const even = even_parts::of(count(), parts);
    return {first + even.begin(n), first + even.begin(n + 1)};
  }
};

/// How threads share the tiles of a block: a grid of nearly equal cells.
struct thread_grid {
  index rows;
  index cols;
};
/// What a panel that a thread packs for itself costs, in 1 / `tile` of a microkernel.
struct panel_costs {
  index tile = 1;
  index a = 0;
  index b = 0;
  bool each_packs = false;  // for itself, or else all pack for all
};
thread_grid choose_thread_grid(index row_panels, index col_panels, int threads,
                               panel_costs const& costs);

/// How threads share split-K: so many ranges of parts of k, each on a grid of threads.
struct split_k_grid {
  index ranges;
  thread_grid grid;
};
split_k_grid choose_split_k_grid(index parts, index row_panels, index col_panels, int threads);

struct gemm_blocking {
  // Row panels of nearly equal heights, with AMX of MR rows; column panels of NR columns. The last
  // is smaller.
  index row_panels;
  index col_panels;
  even_parts rows;
  // Blocks of k, nearly equal, in k-groups.
  index k_group_count;
  index k_blocks;
  even_parts k_groups;
  index kc_groups;  // KC: k-groups of the longest block
  index mc_panels;  // MC and NC
  index nc_panels;
  index col_panels_in_l2;  // of a block, for one thread
  bool a_in_place;         // the microkernel reads A where it is
  bool a_by_rows;          // panels of A are rows, as the microkernel takes them with B in place
  bool b_in_place;
  bool prefetches_a;  // where it is in place and comes from memory
  // All of B's panels fit in an L2 cache: each row panel goes through all k at once, so that rows
  // of A are read in one piece.
  bool keeps_b_in_l2;
  // Accumulators that C cannot hold stay in a workspace if there are several blocks of k.
  bool accumulates_in_c;
  bool accumulates_in_workspace;
  // Split-K, where C is small: parts of k whose partial sums are reduced in ascending k. Their
  // number does not depend on the number of threads, so that the result does not.
  index split_k;
  even_parts k_blocks_of_split;
  split_k_grid split_k_threads;
  bool uses_split_k;  // else one chain over all blocks gives the same sums
  // Each thread has matrices of the batch of its own; else `threads` share each matrix.
  bool threads_share_batch;
  int threads;
};

/// Whether a kernel multiplies AMX tiles, whose operands come in whole blocks of k-groups.
inline bool uses_amx_tiles(gemm_kernel const& kernel) { return kernel.k_groups_per_block > 1; }

/// For a block of so many panels: each thread packs its own where it has few tiles.
panel_costs costs_of_packing(gemm_kernel const& kernel, gemm_blocking const& blocking,
                             index row_panels, index col_panels);

/// Whether C' = B' A' packs less, or nothing, and is to be multiplied instead: by extents and
/// strides alone, so that results do not depend on threads.
bool is_cheaper_transposed(gemm_call const& call);

/// Whether a matrix is multiplied by a vector row by row: its rows are contiguous, and not also its
/// columns (one of the extents is 1 then, as a rule) where these are longer. Steps in bytes.
constexpr bool gemv_goes_by_rows(index rows, index k_extent, index step, index k_step,
                                 index element_bytes) {
  return k_step == element_bytes && !(step == element_bytes && k_extent < rows);
}

/// For a call whose C has contiguous rows, if anything of it is contiguous.
gemm_blocking choose_blocking(gemm_call const& call, int threads);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
