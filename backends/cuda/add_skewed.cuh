// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add with one operand that runs the other way than C, at any address and pitch: the transposing
// kernels turn that operand, and the other is added to a chunk of C before it is stored. Used for
// thin matrices, and where add_chunks.cuh asks for more alignment. Assumes elements of one size, a
// power of two up to 16, that lie one behind the other along rows or along columns, at multiples of
// their size; both are read.
#pragma once

#include <xpose/backends/add_problem.hpp>
#include <xpose/backends/cuda/transpose_skewed.cuh>
#include <xpose/backends/cuda/transpose_thin.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// The sum of what was gathered of one operand and of the other one's chunk at the same place.
/// Which is A is no template argument: add.cu would take twice as long to compile.
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

/// Small tiles, since what is beside them takes registers: f32 64x32 0.939 of its bytes' time,
/// 64x64 0.908, 32x64 0.887, one column a thread 0.876; 2 bytes 64x64 0.829, 128x64 0.799; 1 byte
/// 0.627, 128x128 0.618; 8 bytes 0.968, 32x64 0.912 (H100, 2026-11-21).
template <int Bytes>
struct sum_tile_skewed;
template <>
struct sum_tile_skewed<1> : skewed_tile<1, 1, 1, 128, 64, 256, 2> {};
template <>
struct sum_tile_skewed<2> : skewed_tile<2, 2, 1, 64, 64, 256, 2> {};
template <>
struct sum_tile_skewed<4> : skewed_tile<4, 4, 1, 64, 32, 256, 2> {};
template <>
struct sum_tile_skewed<8> : skewed_tile<8, 8, 1, 32, 32, 256, 2> {};
template <>
struct sum_tile_skewed<16> : skewed_tile<16, 16, 1, 16, 32, 256, 2> {};

/// Both operands are read, and one of them is turned.
template <class Problem>
void launch_add_rows(execution const& where, thin_side side, bool turns_a, Problem const& p) {
  constexpr int threads = 256;
  constexpr index bytes = sizeof(typename Problem::output_type);
  auto const launch = [&](auto const& turned, auto const& other) {
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
    copy_plan::dimension const batch{p.batch, turned.batch_stride * bytes,
                                     p.c.batch_stride * bytes};
    if (p.batch > 1) rows.outer.add(batch);
    index const last = p.cols - 1 + std::max<index>(0, (p.rows - 1) * other.row_stride) +
                       std::max<index>(0, (p.batch - 1) * other.batch_stride);
    auto const* const beside = reinterpret_cast<char const*>(other.data);
    stored_sums<Problem> const stored{p,
                                      beside,
                                      other.batch_stride * bytes,
                                      other.row_stride * bytes,
                                      beside + (last + 1) * bytes,
                                      turns_a};
    constexpr int min_blocks = 4;
    if (side == thin_side::none)
      return launch_skewed<sum_tile_skewed<bytes>, min_blocks>(where, "add_skewed", rows, stored);
    bool const is_stretch = p.c.row_stride == p.cols && other.row_stride == p.cols;
    launch_thin<threads>(where, "add_thin", side, rows, is_stretch, stored);
  };
  if (turns_a) launch(p.a, p.b);
  else launch(p.b, p.a);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
