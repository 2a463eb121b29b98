// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add with transposed operands at any address and pitch, by the kernels of transpose.
//     one:  transposed operand --> tile --> + other operand's vec16 (epilogue) --> C
//     both: A's vec16 + B's vec16 (load) --> tile --> C
// Used for skinny matrices, and where add/tile_aligned.cuh requires more alignment. Assumes
// elements of one size, 1, 2, 4, 8 or 16 bytes, contiguous along rows or columns, with natural
// alignment; both operands are read.
#pragma once

#include <xpose/backends/core/problems/add_problem.hpp>
#include <xpose/backends/cuda/transpose/kernels/skinny.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_unaligned.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_unaligned_bytes.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// An operand with contiguous rows that is not transposed with the other. Pitches in bytes.
struct row_operand {
  char const* data;
  index batch_pitch, row_pitch;
  char const* end;  // past its last byte

  template <class T>
  row_operand(T const* first, index batch, index batch_stride, index rows, index row_stride,
              index cols)
      : data(reinterpret_cast<char const*>(first)),
        batch_pitch(batch_stride * index{sizeof(T)}),
        row_pitch(row_stride * index{sizeof(T)}),
        end(data + cols * index{sizeof(T)} + std::max<index>(0, (rows - 1) * row_pitch) +
            std::max<index>(0, (batch - 1) * batch_pitch)) {}
  __device__ char const* row(unsigned batch_index, index i) const {
    return data + batch_index * batch_pitch + i * row_pitch;
  }
};

/// Epilogue that adds the other operand, the source, to the words gathered of the transposed one.
/// Which of them is A is no template argument: add/instances.cu would take twice as long to
/// compile.
template <class Problem>
struct add_epilogue {
  using output_type = typename Problem::output_type;
  static constexpr int in_bytes = sizeof(output_type), out_bytes = in_bytes;
  using word = typename word_of<in_bytes>::type;
  using gathered = vec16_words<in_bytes>;
  using source = unaligned_vec16;

  __device__ output_type sum(word const& transposed, word const& added) const {
    word const x = transposes_a ? transposed : added, y = transposes_a ? added : transposed;
    return p.value(reinterpret_cast<typename Problem::a_type const&>(x),
                   reinterpret_cast<typename Problem::b_type const&>(y));
  }
  __device__ source load_source(unsigned batch_index, int output_row, index first,
                                index words) const {
    return load_unaligned_around_row<in_bytes>(other.row(batch_index, output_row), first, words,
                                               other.end);
  }
  __device__ void store(char* row, index first, index words, gathered const& v,
                        source const& others) const {
    gathered const other{others.realigned()};
    store_elements<output_type>(row, first, words,
                                [&](int k) { return sum(v.words[k], other.words[k]); });
  }
  __device__ void store_word(unsigned batch_index, int output_row, char* row, index at,
                             word const& v) const {
    word const added = reinterpret_cast<word const*>(other.row(batch_index, output_row))[at];
    new (reinterpret_cast<output_type*>(row) + at) output_type(sum(v, added));
  }

  Problem p;
  row_operand other;
  bool transposes_a;
};

/// Loads rows of A and adds those of B, for two transposed operands: only the sum is transposed,
/// with half the gathers of transposing both (by single elements f32 0.86 of the bandwidth, 2 bytes
/// 0.49; H100, 2026-11-21).
template <class Problem>
struct adding_row_loader {
  using words = words_in_order;
  using output_type = typename Problem::output_type;
  using a_type = typename Problem::a_type;
  using b_type = typename Problem::b_type;

  Problem p;
  row_operand b;
  int cols;  // elements in a row of A in memory

  template <class Tile, int W>
  __device__ void load(row_window const& rows, tile_coordinates const& at, int words_in_tile,
                       char* smem) const {
    char const* const b_matrix = b.row(at.batch_index, 0);
    index const first_col = index{at.col_tile} * words_in_tile;
#pragma unroll 1
    for (int done = 0; done < Tile::loads; done += at_once<Tile, W>)
      load_some<Tile, W>(rows, b_matrix, first_col, smem, done);
  }

 private:
  // Vec16s in flight. All five of a thread, for 1-byte words, leave registers for two blocks
  // instead of four: 0.69, not 0.78.
  template <class Tile, int W>
  static constexpr int at_once = W == 1 ? 2 : Tile::loads;

  template <class Tile, int W>
  __device__ void load_some(row_window const& rows, char const* b_matrix, index first_col,
                            char* smem, int done) const {
    uint4 x[at_once<Tile, W>];
    unaligned_vec16 y[at_once<Tile, W>];
    int first[at_once<Tile, W>], to[at_once<Tile, W>];
#pragma unroll
    for (int l = 0; l < at_once<Tile, W>; ++l) {
      int const e = threadIdx.x + (done + l) * Tile::threads;
      int const slot = e / Tile::vec16s_in_row, c = e - slot * Tile::vec16s_in_row;
      int const row = rows.first_row + slot;
      char const* const begin = rows.in + slot * rows.ld;
      char const* const from = align_down_16(begin) + c * vec16_bytes;
      bool const is_wanted =
          slot < Tile::slots && row >= 0 && row < rows.rows && from < begin + rows.bytes;
      to[l] = is_wanted ? Tile::byte_of(slot) + c * vec16_bytes : -1;
      if (!is_wanted) continue;
      first[l] = static_cast<int>(first_col) + static_cast<int>(from - begin) / W;
      x[l] = from + vec16_bytes <= rows.end ? load_vec16(from)
                                            : load_aligned_in_row<W>(from, first[l], cols);
      y[l] = load_unaligned_around_row<W>(b_matrix + row * b.row_pitch, first[l], cols, b.end);
    }
#pragma unroll
    for (int l = 0; l < at_once<Tile, W>; ++l) {
      if (to[l] < 0) continue;
      vec16_words<W> const u{x[l]}, v{y[l].realigned()};
      store_elements<output_type>(smem + to[l] - index{first[l]} * W, first[l], cols, [&](int k) {
        return p.value(reinterpret_cast<a_type const&>(u.words[k]),
                       reinterpret_cast<b_type const&>(v.words[k]));
      });
    }
  }
};

/// Tiles for one transposed operand; small, since the source takes registers. Shares of bandwidth:
/// f32 64x32 0.939, 64x64 0.908, 32x64 0.887, one column a thread 0.876; 2 bytes 64x64 0.829,
/// 128x64 0.799; 8 bytes 0.968, 32x64 0.912. 1 byte takes
/// transpose/kernels/tile_unaligned_bytes.cuh: single columns 0.627, 128x128 0.618 (H100,
/// 2026-11-21).
template <int Bytes>
using sum_tile_unaligned =
    by_word_size<Bytes, void, unaligned_tile<2, 2, 1, 64, 64, 256, 2>,
                 unaligned_tile<4, 4, 1, 64, 32, 256, 2>, unaligned_tile<8, 8, 1, 32, 32, 256, 2>,
                 unaligned_tile<16, 16, 1, 16, 32, 256, 2>>;

/// Tiles for two transposed operands. Shares of bandwidth beyond the L2 cache and at 4097x4097:
/// 2 bytes 0.87, 0.87 (128x64 of 512 threads 0.85, 0.76; 128x128 0.88, 0.75), 4 bytes 0.96, 1.02
/// (64x64 of 512 0.96, 0.94; 64x32 0.94, 0.98), 8 bytes 0.97 (H100, 2026-11-21).
template <int Bytes>
using transposed_sum_tile =
    by_word_size<Bytes, void, unaligned_tile<2, 2, 1, 64, 64, 256, 2>,
                 unaligned_tile<4, 4, 1, 32, 64, 256, 2>, unaligned_tile<8, 8, 1, 32, 64, 512, 2>,
                 unaligned_tile<16, 16, 1, 32, 32, 512, 1>>;

/// Transposing the operand's rows to those of C.
template <class Problem, class Operand>
transpose_problem transposed_rows(Problem const& p, Operand const& transposed) {
  constexpr index bytes = sizeof(typename Problem::output_type);
  transpose_problem rows(
      reinterpret_cast<char const*>(transposed.data), reinterpret_cast<char*>(p.c.data),
      {p.cols, transposed.col_stride * bytes, bytes}, {p.rows, bytes, p.c.row_stride * bytes});
  copy_plan::dimension const batch{p.batch, transposed.batch_stride * bytes,
                                   p.c.batch_stride * bytes};
  if (p.batch > 1) rows.add_outer(batch);
  return rows;
}

/// Both operands are read and transposed.
template <class Problem>
void launch_add_both_transposed(execution const& where, Problem const& p) {
  constexpr index bytes = sizeof(typename Problem::output_type);
  adding_row_loader<Problem> const sums{
      p,
      {p.b.data, p.batch, p.b.batch_stride, p.cols, p.b.col_stride, p.rows},
      static_cast<int>(p.rows)};
  transpose_problem const rows = transposed_rows(p, p.a);
  if constexpr (bytes == 1)
    launch_tile_unaligned_bytes<128, 128, 4>(where, "add_both_transposed", rows, copy_epilogue<1>{},
                                             sums);
  else
    launch_tile_unaligned<transposed_sum_tile<bytes>, bytes <= 4 ? 4 : 2>(
        where, "add_both_transposed", rows, copy_epilogue<bytes>{}, sums);
}

/// Both operands are read, one of them is transposed.
template <class Problem>
void launch_add_one_transposed(execution const& where, skinny_side side, Problem const& p) {
  constexpr int threads = 256;
  bool const transposes_a = p.is_transposed(p.a);
  constexpr index bytes = sizeof(typename Problem::output_type);
  auto const launch = [&](auto const& transposed, auto const& other) {
    transpose_problem const rows = transposed_rows(p, transposed);
    add_epilogue<Problem> const stored{
        p,
        {other.data, p.batch, other.batch_stride, p.rows, other.row_stride, p.cols},
        transposes_a};
    if (side != skinny_side::none) {
      bool const is_out_contiguous = p.c.row_stride == p.cols && other.row_stride == p.cols;
      launch_skinny<threads>(where, "add_skinny", side, rows, is_out_contiguous, stored);
    } else if constexpr (bytes == 1) {
      launch_tile_unaligned_bytes<128, 128, 3>(where, "add_unaligned", rows, stored);
    } else {
      launch_tile_unaligned<sum_tile_unaligned<bytes>, 4>(where, "add_unaligned", rows, stored);
    }
  };
  if (transposes_a) launch(p.a, p.b);
  else launch(p.b, p.a);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
