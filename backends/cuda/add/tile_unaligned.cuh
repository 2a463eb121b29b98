// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add with operands that run the other way than C, at any address and pitch, by the transposing
// kernels. One such operand: it is turned, and the other is added to a chunk of C before it is
// stored. Both: B is added to a chunk of A as it is read, and the sum is turned. Used for thin
// matrices, and where add/tile_aligned.cuh asks for more alignment. Assumes elements of one size, a power
// of two up to 16, that lie one behind the other along rows or along columns, at multiples of their
// size; both are read.
#pragma once

#include <xpose/backends/core/problems/add_problem.hpp>
#include <xpose/backends/cuda/transpose/kernels/tile_unaligned_bytes.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_unaligned.cuh>
#include <xpose/backends/cuda/transpose/kernels/skinny.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// The sum of what was gathered of one operand and of the other one's chunk at the same place.
/// Which is A is no template argument: add/instances.cu would take twice as long to compile.
template <class Problem>
struct stored_sums {
  using output_type = typename Problem::output_type;
  static constexpr int in_bytes = sizeof(output_type), out_bytes = in_bytes;
  using word = typename word_of<in_bytes>::type;
  using gathered = chunk_words<in_bytes>;
  using beside = two_chunks;

  __device__ char const* row_of_other(unsigned place, int line) const {
    return other + place * place_step + line * row_step;
  }
  __device__ output_type sum(word const& turned, word const& straight) const {
    word const x = turns_a ? turned : straight, y = turns_a ? straight : turned;
    return p.value(reinterpret_cast<typename Problem::a_type const&>(x),
                   reinterpret_cast<typename Problem::b_type const&>(y));
  }
  __device__ beside beside_of(unsigned place, int line, index first, index words) const {
    return load_at_any_address<in_bytes>(row_of_other(place, line), first, words, end_of_other);
  }
  __device__ void store(char* row, index first, index words, gathered const& v,
                        beside const& others) const {
    gathered const other{others.straight()};
    store_elements<output_type>(row, first, words,
                                [&](int k) { return sum(v.words[k], other.words[k]); });
  }
  __device__ void store_one(unsigned place, int line, char* row, index at, word const& v) const {
    word const straight = reinterpret_cast<word const*>(row_of_other(place, line))[at];
    new (reinterpret_cast<output_type*>(row) + at) output_type(sum(v, straight));
  }

  Problem p;
  char const* other;
  index place_step, row_step;  // of the other operand, in bytes
  char const* end_of_other;    // past its last byte
  bool turns_a;
};

/// Rows of A with those of B added, in A's chunks, for operands that are both turned: what is
/// turned is the sum, which costs half the gathers of turning both (f32 0.86, 2 bytes 0.49 of their
/// bytes' time by single elements; H100, 2026-11-21).
template <class Problem>
struct summed_rows {
  using output_type = typename Problem::output_type;
  using a_type = typename Problem::a_type;
  using b_type = typename Problem::b_type;

  Problem p;
  char const* b;
  index place_step, row_step;  // of B, in bytes
  char const* end_of_b;        // past its last byte
  int cols;                    // of A's rows as they lie

  template <class Tile, int W>
  __device__ void load(row_window const& rows, tile_place const& at, int words_in_tile,
                       char* stage) const {
    char const* const b_matrix = b + at.number * place_step;
    index const first_col = index{at.col_tile} * words_in_tile;
#pragma unroll 1
    for (int done = 0; done < Tile::loads; done += at_once<Tile, W>)
      load_some<Tile, W>(rows, b_matrix, first_col, stage, done);
  }

 private:
  // The five of a thread of bytes together leave registers for two blocks, not four: 0.69, not
  // 0.78.
  template <class Tile, int W>
  static constexpr int at_once = W == 1 ? 2 : Tile::loads;

  template <class Tile, int W>
  __device__ void load_some(row_window const& rows, char const* b_matrix, index first_col,
                            char* stage, int done) const {
    uint4 x[at_once<Tile, W>];
    two_chunks y[at_once<Tile, W>];
    int first[at_once<Tile, W>], to[at_once<Tile, W>];
#pragma unroll
    for (int l = 0; l < at_once<Tile, W>; ++l) {
      int const e = threadIdx.x + (done + l) * Tile::threads;
      int const slot = e / Tile::chunks_in_row, c = e - slot * Tile::chunks_in_row;
      int const row = rows.first_row + slot;
      char const* const begin = rows.in + slot * rows.ld;
      char const* const from = chunk_below(begin) + c * chunk_bytes;
      bool const is_wanted =
          slot < Tile::slots && row >= 0 && row < rows.rows && from < begin + rows.bytes;
      to[l] = is_wanted ? Tile::byte_of(slot) + c * chunk_bytes : -1;
      if (!is_wanted) continue;
      first[l] = static_cast<int>(first_col) + static_cast<int>(from - begin) / W;
      x[l] = load_at_chunk<W>(from, first[l], cols);
      y[l] = load_at_any_address<W>(b_matrix + row * row_step, first[l], cols, end_of_b);
    }
#pragma unroll
    for (int l = 0; l < at_once<Tile, W>; ++l) {
      if (to[l] < 0) continue;
      chunk_words<W> const u{x[l]}, v{y[l].straight()};
      store_elements<output_type>(stage + to[l] - index{first[l]} * W, first[l], cols, [&](int k) {
        return p.value(reinterpret_cast<a_type const&>(u.words[k]),
                       reinterpret_cast<b_type const&>(v.words[k]));
      });
    }
  }
};

/// Small tiles, since what is beside them takes registers: f32 64x32 0.939 of its bytes' time,
/// 64x64 0.908, 32x64 0.887, one column a thread 0.876; 2 bytes 64x64 0.829, 128x64 0.799; 8 bytes
/// 0.968, 32x64 0.912. 1 byte goes by packed columns: single ones 0.627, 128x128 0.618 (H100,
/// 2026-11-21).
template <int Bytes>
struct sum_tile_skewed;
template <>
struct sum_tile_skewed<2> : skewed_tile<2, 2, 1, 64, 64, 256, 2> {};
template <>
struct sum_tile_skewed<4> : skewed_tile<4, 4, 1, 64, 32, 256, 2> {};
template <>
struct sum_tile_skewed<8> : skewed_tile<8, 8, 1, 32, 32, 256, 2> {};
template <>
struct sum_tile_skewed<16> : skewed_tile<16, 16, 1, 16, 32, 256, 2> {};

/// Of sums that are turned, beyond the second-level cache and at 4097x4097: 2 bytes 0.87, 0.87
/// (128x64 of 512 threads 0.85, 0.76; 128x128 0.88, 0.75), 4 bytes 0.96, 1.02 (64x64 of 512 0.96,
/// 0.94; 64x32 0.94, 0.98), 8 bytes 0.97 (H100, 2026-11-21).
template <int Bytes>
struct turned_sum_tile;
template <>
struct turned_sum_tile<2> : skewed_tile<2, 2, 1, 64, 64, 256, 2> {};
template <>
struct turned_sum_tile<4> : skewed_tile<4, 4, 1, 32, 64, 256, 2> {};
template <>
struct turned_sum_tile<8> : skewed_tile<8, 8, 1, 32, 64, 512, 2> {};
template <>
struct turned_sum_tile<16> : skewed_tile<16, 16, 1, 32, 32, 512, 1> {};

/// A turned operand's rows as the input, C's as the output.
template <class Problem, class Operand>
transpose_problem turned_rows(Problem const& p, Operand const& turned) {
  constexpr index bytes = sizeof(typename Problem::output_type);
  transpose_problem rows{reinterpret_cast<char const*>(turned.data),
                         reinterpret_cast<char*>(p.c.data),
                         turned.col_stride * bytes,
                         p.c.row_stride * bytes,
                         bytes,
                         bytes,
                         static_cast<int>(p.cols),
                         static_cast<int>(p.rows),
                         p.batch,
                         {}};
  copy_plan::dimension const batch{p.batch, turned.batch_stride * bytes, p.c.batch_stride * bytes};
  if (p.batch > 1) rows.outer.add(batch);
  return rows;
}

/// Past the last byte of an operand whose elements lie one behind the other in lines.
inline char const* end_of_lines(char const* first, index in_line, index lines, index line_step,
                                index batch, index batch_step) {
  return first + in_line + std::max<index>(0, (lines - 1) * line_step) +
         std::max<index>(0, (batch - 1) * batch_step);
}

/// Both operands are read, and both are turned.
template <class Problem>
void launch_add_both_turned(execution const& where, Problem const& p) {
  constexpr index bytes = sizeof(typename Problem::output_type);
  auto const* const b = reinterpret_cast<char const*>(p.b.data);
  index const batch_step = p.b.batch_stride * bytes, row_step = p.b.col_stride * bytes;
  summed_rows<Problem> const sums{
      p,
      b,
      batch_step,
      row_step,
      end_of_lines(b, p.rows * bytes, p.cols, row_step, p.batch, batch_step),
      static_cast<int>(p.rows)};
  transpose_problem const rows = turned_rows(p, p.a);
  if constexpr (bytes == 1)
    launch_packed<128, 128, 4>(where, "add_both_turned", rows, stored_as_read<1>{}, sums);
  else
    launch_skewed<turned_sum_tile<bytes>, bytes <= 4 ? 4 : 2>(where, "add_both_turned", rows,
                                                              stored_as_read<bytes>{}, sums);
}

/// Both operands are read, and one of them is turned.
template <class Problem>
void launch_add_rows(execution const& where, thin_side side, bool turns_a, Problem const& p) {
  constexpr int threads = 256;
  constexpr index bytes = sizeof(typename Problem::output_type);
  auto const launch = [&](auto const& turned, auto const& other) {
    transpose_problem const rows = turned_rows(p, turned);
    auto const* const beside = reinterpret_cast<char const*>(other.data);
    index const batch_step = other.batch_stride * bytes, row_step = other.row_stride * bytes;
    stored_sums<Problem> const stored{
        p,
        beside,
        batch_step,
        row_step,
        end_of_lines(beside, p.cols * bytes, p.rows, row_step, p.batch, batch_step),
        turns_a};
    if (side != thin_side::none) {
      bool const is_stretch = p.c.row_stride == p.cols && other.row_stride == p.cols;
      launch_thin<threads>(where, "add_thin", side, rows, is_stretch, stored);
    } else if constexpr (bytes == 1) {
      launch_packed<128, 128, 3>(where, "add_skewed", rows, stored, rows_as_read{});
    } else {
      launch_skewed<sum_tile_skewed<bytes>, 4>(where, "add_skewed", rows, stored);
    }
  };
  if (turns_a) launch(p.a, p.b);
  else launch(p.b, p.a);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
