// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the kernels of bit copies are chosen by, and the choice. Host code alone; no device is
// asked.
#pragma once

#include <xpose/backends/core/ceil_div.hpp>
#include <xpose/backends/cuda/memory/pieces.hpp>
#include <xpose/detail/execution.hpp>

#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A bit copy: the plan of its runs, two addresses, and what follows from these. A word is the
/// widest access that runs, strides and addresses allow. Strides in bytes.
struct bit_copy {
  copy_plan plan;  // of runs
  char const* in;
  char* out;
  char const* readable_end = nullptr;  // past the last byte of the input
  int word_bytes = 1;
  index words_in_run = 0;  // a run: an element, or what is contiguous on both sides
  index word_count = 0;    // in all
  index rows = 0;          // of the matrices to transpose; 0 if there are none
  index cols = 0;
  index in_pitch = 0;
  index out_pitch = 0;
  bool is_transposed = false;     // elements are contiguous along cols in, along rows out
  bool is_aligned = false;        // the input to 16 bytes, the output to 32 (small matrices: to 16)
  bool is_batch = false;          // of more than one matrix
  bool has_gaps = false;          // within the batch or between its matrices
  bool is_vec16_aligned = false;  // both addresses
  bool is_in_place = false;       // from and to the same memory

  index element_bytes() const { return words_in_run * word_bytes; }
};

bit_copy plan_bit_copy(tensor_operand const& in, tensor_operand const& out);
/// Of `whole` the part that a plan describes: its words may be narrower, its kernel another.
bit_copy piece_of(bit_copy const& whole, copy_plan const& part);

/// Matrices with a side below 16 and fewer elements leave most of a tile's block idle.
inline constexpr index min_narrow_tile_elements = 2048;

/// A side of a transpose: its own dimension, and those that continue it where it is contiguous; the
/// others have an extent of 1.
struct merged_dimensions {
  static constexpr int most = 3;
  copy_plan::dimension dimensions[most];
  index extent() const {
    return dimensions[0].extent * dimensions[1].extent * dimensions[2].extent;
  }
};

/// Rows with those that continue them in the output, columns with those that do in the input: as
/// many as let both sides fill those of a tile best.
struct merged_sides {
  merged_dimensions rows, cols;
  int others_count;
  copy_plan::dimension others[copy_plan::max_dimensions];
};
merged_sides merged_sides_of(bit_copy const& transposed, int tile_rows, int tile_cols);
/// By how many rows tiles reach beyond the merged ones: a sector's, if any output row is cut.
index extra_rows_of(merged_sides const& sides, bit_copy const& copy);

/// The vec16s, of so many words each, of a side's tile when it is divided equally among tiles of at
/// most `most` words.
inline index vec16s_of_equal_tile(index extent, index most, index words_in_vec16) {
  return ceil_div(ceil_div(extent, ceil_div(extent, most)), words_in_vec16);
}

/// Whether what lies between the rows in the output takes as much as these, or more.
bool are_output_rows_apart(bit_copy const& copy);

/// Whether the dimension that is fastest in the input steps over ranges of the output (planes) that
/// are worth blocks of their own (copy_packed_runs).
bool has_packed_planes(bit_copy const& copy);

/// The bits of a side's address and strides, but for the dimension `along`, in which elements are
/// contiguous, and for `and_along`: a multiple of a power of two, if all of these are.
std::uint64_t address_bits(copy_plan const& plan, void const* first,
                           index copy_plan::dimension::*stride, int along, int and_along = 0);

/// An element of so many bytes fills sectors by itself, in whatever order elements are taken.
inline constexpr index min_long_element_bytes = 32;

/// Bytes of shared memory that the smallest blocks of transpose_small_batched have.
inline constexpr int small_batched_smem_bytes = 8192;
inline constexpr index no_limit = std::numeric_limits<index>::max();

/// The template arguments of a kernel.
struct kernel_arguments {
  int rows = 0, cols = 0;   // of a tile
  int threads = 0;          // of a block
  int cols_per_thread = 0;  // that a thread gathers
  int resident_blocks = 0;  // on a multiprocessor, at least: the limit on registers
  int smem_bytes = 0;       // 0: what the tile needs
};

/// A kernel and the copies that it is for. The table reads, of words, of words, and of elements:
/// kernel(template arguments).when(condition).from(10).below(20).sides(64).sm90().
struct transpose_config {
  using condition = bool(bit_copy const& copy, transpose_config const& config);
  using launcher = void(execution const& where, transpose_config const& config,
                        bit_copy const& copy);

  char name[40];     // as explain() shows it
  int word_bytes;    // 0: not for words of this table
  int words_in_run;  // 0: any number
  launcher* launch;  // defined with the kernel
  kernel_arguments kernel;
  bool numbers_tiles = true;          // of 16 words at least; else words or vec16s
  bool reads_whole_matrices = false;  // a block, before it writes them
  condition* suits = nullptr;
  index min_words = 0;
  index words_below = no_limit;
  int min_side = 0;     // of the matrices, in elements
  int capability = 80;  // 80 or 90: of the device, at least
  // Of a tile that the matrix must fill less by a tenth; 0: no matter.
  int rival_rows = 0;
  int rival_cols = 0;

  constexpr transpose_config when(condition* c) const { return with(&transpose_config::suits, c); }
  constexpr transpose_config from(index n) const { return with(&transpose_config::min_words, n); }
  constexpr transpose_config below(index n) const {
    return with(&transpose_config::words_below, n);
  }
  constexpr transpose_config sides(int n) const { return with(&transpose_config::min_side, n); }
  constexpr transpose_config filled_better_than(int rows, int cols) const {
    return with(&transpose_config::rival_rows, rows).with(&transpose_config::rival_cols, cols);
  }
  constexpr transpose_config sm90() const { return with(&transpose_config::capability, 90); }
  constexpr transpose_config numbering_words() const {
    return with(&transpose_config::numbers_tiles, false);
  }
  constexpr transpose_config reading_whole_matrices() const {
    return with(&transpose_config::reads_whole_matrices, true);
  }
  constexpr transpose_config smem(int bytes) const {
    transpose_config changed = *this;
    changed.kernel.smem_bytes = bytes;
    return changed;
  }

 private:
  template <class T>
  constexpr transpose_config with(T transpose_config::*member, T value) const {
    transpose_config changed = *this;
    changed.*member = value;
    return changed;
  }
};

namespace transpose_table {

// What a config can ask of a copy.
transpose_config::condition is_long_run;     // in the same order on both sides, or one run
transpose_config::condition is_in_order;     // short runs in the same order
transpose_config::condition is_packed_runs;  // of 16 bytes and more, to an output without gaps
transpose_config::condition is_small_batch;  // without gaps, of matrices that fit shared memory; or
                                             // one rectangle in place
transpose_config::condition is_batch_for_larger_blocks;  // the same, not in place
transpose_config::condition is_small_batch_of_vec4s;     // the same, of extents divisible by 4
transpose_config::condition is_small_batch_of_quads;     // the same, of many rows or whole words
transpose_config::condition are_quads_for_small_blocks;
transpose_config::condition are_quads_for_larger_blocks;
transpose_config::condition are_quads_for_whole_blocks;
transpose_config::condition is_batch_for_whole_blocks;  // that fills tiles badly, or is in place
transpose_config::condition is_batch_of_vec4s_for_whole_blocks;
transpose_config::condition is_batch_in_place;
transpose_config::condition is_small_scattered;          // a batch of small matrices with gaps
transpose_config::condition is_small_scattered_of_runs;  // the same, elements of 16 bytes and more
transpose_config::condition has_few_strided_tiles;       // of small or skinny matrices
transpose_config::condition are_few_narrow_tiles;        // of these, with a side of half a tile
transpose_config::condition has_rows_of_a_strided_tile;  // with gaps between them in the output
transpose_config::condition is_small;                    // of few words
transpose_config::condition is_small_batch_or_skinny;    // few words are for copy_direct
transpose_config::condition is_narrow_batch;             // with a side below 32
transpose_config::condition are_few_rows_of_wide_words;  // of one word each
transpose_config::condition is_tensor_of_long_elements;  // of several words that fill no tile
transpose_config::condition has_rows_in_pieces;          // few, which others continue in the output
transpose_config::condition is_merged_tile;  // few rows, which others continue in out, or few
                                             // columns, which others continue in the input
transpose_config::condition is_tensor_tile;  // of dimensions that are short, or on both sides
transpose_config::condition is_tensor_tile_of_pairs;  // of 16 bytes, in words of 8
transpose_config::condition is_large_tensor_tile;     // of matrices that a block holds several of
transpose_config::condition is_interleaved_tensor_tile;    // of bytes or halves, to long runs
transpose_config::condition is_tensor_tile_of_wide_words;  // that fills tiles of 32x32 badly
transpose_config::condition are_few_cols;                  // 2 to 4 without gaps, in aligned units
transpose_config::condition are_few_rows;
transpose_config::condition is_skinny_cols;       // few columns
transpose_config::condition is_skinny_rows;       // few rows
transpose_config::condition is_skinny_bytes;      // few rows of bytes, whose output has no gaps
transpose_config::condition is_skinny_multiword;  // so few that tiles lose, of several words each
transpose_config::condition is_long_element;
transpose_config::condition fills_tiles_badly;         // of 32x32 words
transpose_config::condition has_few_aligned_cols;      // 64 at most
transpose_config::condition are_cols_of_narrow_tiles;  // 16 or 32 aligned ones, of one matrix
transpose_config::condition has_long_rows;             // of the output: 1024 elements and more
transpose_config::condition fills_wide_tiles;          // of 64 rows and 128 columns
inline bool is_aligned(bit_copy const& c, transpose_config const&) {
  return c.is_transposed && c.is_aligned;
}
inline bool is_transposed(bit_copy const& c, transpose_config const&) { return c.is_transposed; }
inline bool is_any(bit_copy const&, transpose_config const&) { return true; }

/// Whether transpose_few_cols, or _rows, computes the copy, also where another kernel is faster.
bool can_be_few_cols(bit_copy const& copy);
bool can_be_few_rows(bit_copy const& copy);

struct config_range {
  transpose_config const *first, *last;
};

/// table<W> of kernel_table.cuh: instances/words_<W>.cu defines it, which compiles the kernels of
/// the table (nvcc 13.0 compiles none for an explicit instantiation alone).
template <int W>
config_range configs();

}  // namespace transpose_table

/// Configs that tune() found faster on a GPU than those of the table, by the words of matrices
/// whose sides have `min_tuned_side` elements of one word, their alignment, and their bytes. Null:
/// the table's.
inline constexpr index min_tuned_side = 256;
inline constexpr int tuned_words[] = {1, 2, 4, 8, 16};
inline constexpr index tuned_bytes_below[] = {4 << 20, 32 << 20, 256 << 20, no_limit};
struct tuned_moves {
  transpose_config const* configs[std::size(tuned_words)][2][std::size(tuned_bytes_below)] = {};
};

/// What of a GPU decides.
struct move_gpu {
  int capability;
  tuned_moves const* tuned;  // null: the table alone

  constexpr move_gpu(int c, tuned_moves const* t = nullptr) : capability(c), tuned(t) {}
};

/// The first config of kernel_table.cuh that fits; for transposes in tiles, the tuned one.
transpose_config const& select_transpose_kernel(bit_copy const& copy, move_gpu const& gpu);

/// The configs of transposes in tiles of words of so many bytes, each kernel once, that a GPU of
/// the capability can run.
XPOSE_EXPORT std::vector<transpose_config const*> tile_configs(int word_bytes, int capability);

/// Where tuned_moves has the config for such a transpose.
struct tuned_move_class {
  std::size_t word;
  bool is_aligned;
  std::size_t size;
};
tuned_move_class class_of(bit_copy const& copy);

/// What launches can number; tests ask for less.
struct transpose_limits {
  index extent = index{1} << 30;
  index words = index{1} << 30;           // of kernels that number words or vec16s
  index words_in_tiles = index{1} << 33;  // of those that number tiles, of 16 words at least
};
piece_limits limits_of(transpose_config const& config, transpose_limits const& most = {});

/// launch(piece, config) for pieces that one launch can number. A piece may lie at other addresses
/// than the whole, or have narrower words, so its kernel is selected anew.
template <class Launch>
void for_each_transpose_piece(bit_copy const& whole, move_gpu const& gpu, Launch const& launch,
                              transpose_limits const& most = {}) {
  transpose_config const& config = select_transpose_kernel(whole, gpu);
  piece_limits const limits = limits_of(config, most);
  if (is_one_piece(whole.plan, limits)) return launch(whole, config);
  for (copy_plan const& half : cut_in_two(whole.plan, limits))
    for_each_transpose_piece(piece_of(whole, half), gpu, launch, most);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
