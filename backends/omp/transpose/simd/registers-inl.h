// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The in-register transpose: loads, interleaves, cache-line stores, short copies. Compiled once per
// instruction set. 16 / Bytes input rows become 16 bytes of each output row by log2(16 / Bytes)
// interleaves within 16-byte blocks. 4-byte elements, vectors of 32 bytes (| separates blocks):
//   a0 a1 a2 a3|a4 a5 a6 a7                     a0 b0 c0 d0|a4 b4 c4 d4     output rows 0 and 4
//   b0 b1 b2 b3|b4 b5 b6 b7   interleave_rows   a1 b1 c1 d1|a5 b5 c5 d5     output rows 1 and 5
//   c0 c1 c2 c3|c4 c5 c6 c7   ------------->    a2 b2 c2 d2|a6 b6 c6 d6
//   d0 d1 d2 d3|d4 d5 d6 d7                     a3 b3 c3 d3|a7 b7 c7 d7
// Four such quarters fill the 64-byte cache lines of these output rows: transpose_blocks regroups.

#if defined(XPOSE_OMP_REGISTERS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_REGISTERS_INL
#undef XPOSE_OMP_REGISTERS_INL
#else
#define XPOSE_OMP_REGISTERS_INL
#endif

#include <xpose/backends/omp/transpose/simd/moves.hpp>

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr index cache_line = 64;  // bytes; streaming stores must fill all of one

/// Offset of an address in its cache line.
HWY_INLINE index line_offset(char const* at) {
  return static_cast<index>(reinterpret_cast<std::uintptr_t>(at) % cache_line);
}

struct pitched_rows {
  char const* first;
  index pitch;
};

/// width x height elements of the input from (i, j) on: where they lie, or in `scratch` what the
/// element function gives for them.
HWY_INLINE pitched_rows input_at(index bytes, rectangle const& r, index i, index j, index width,
                                 index height, char* scratch) {
  if (r.function == nullptr) return {r.in + i * bytes + j * r.in_pitch, r.in_pitch};
  tile_function const& f = *r.function;
  f.apply(f.f, {r.in + i * f.in_bytes + j * r.in_pitch, f.in_bytes, r.in_pitch, scratch, bytes,
                width * bytes, width, height});
  return {scratch, width * bytes};
}

/// Copies 1 to 64 bytes as two overlapping pieces of a fixed size.
HWY_INLINE void copy_short(char const* from, char* to, index bytes) {
  auto const both_ends = [&](auto piece_bytes) HWY_ATTR {
    constexpr index size = decltype(piece_bytes)::value;
    char first[size];
    char last[size];
    std::memcpy(first, from, size);
    std::memcpy(last, from + bytes - size, size);
    std::memcpy(to, first, size);
    std::memcpy(to + bytes - size, last, size);
  };
  if (bytes >= 32) both_ends(std::integral_constant<index, 32>());
  else if (bytes >= 16) both_ends(std::integral_constant<index, 16>());
  else if (bytes >= 8) both_ends(std::integral_constant<index, 8>());
  else if (bytes >= 4) both_ends(std::integral_constant<index, 4>());
  else if (bytes >= 2) both_ends(std::integral_constant<index, 2>());
  else *to = *from;
}

/// Bytes of an element; Bytes = 0 stands for a run-time size of up to 64.
template <int Bytes>
HWY_INLINE index element_bytes(rectangle const& r) {
  return Bytes != 0 ? Bytes : r.bytes;
}

/// Transposes width x height elements one by one: column i goes to to + i * to_pitch.
template <int Bytes>
HWY_INLINE void move_block(index any_bytes, pitched_rows const& p, index width, index height,
                           char* to, index to_pitch) {
  index const bytes = Bytes != 0 ? Bytes : any_bytes;
  for (index j = 0; j < height; ++j)
    for (index i = 0; i < width; ++i) {
      char const* const from = p.first + i * bytes + j * p.pitch;
      char* const at = to + i * to_pitch + j * bytes;
      if constexpr (Bytes != 0) std::memcpy(at, from, Bytes);
      else copy_short(from, at, bytes);
    }
}

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

/// How elements of one size fill vectors, quarters of cache lines, and cache lines.
template <int Bytes>
struct vector_shape {
  using lane = hwy::UnsignedFromSize<(Bytes < 8 ? Bytes : 8)>;
  using tag = hn::CappedTag<lane, cache_line / sizeof(lane)>;
  using vector = hn::Vec<tag>;
  static constexpr int vector_bytes = static_cast<int>(hn::MaxLanes(tag()) * sizeof(lane));
  static constexpr int blocks = vector_bytes / 16;
  static constexpr int vectors_in_line = 4 / blocks;
  static constexpr int rows_in_block = 16 / Bytes;
  static constexpr int rows = cache_line / Bytes;       // input rows that fill a cache line
  static constexpr int columns = vector_bytes / Bytes;  // input columns in a vector
  // Bounds the input rows read at once: the hardware prefetcher follows about 32 streams, and all
  // four quarters of 1- and 2-byte elements do not fit the registers.
  static constexpr int quarters_at_once = Bytes == 1 ? 1 : Bytes == 2 ? 2 : 4;
  using quarter_lines = vector[rows_in_block];
};

template <int Bytes>
HWY_INLINE auto load(char const* from) {
  using s = vector_shape<Bytes>;
  return hn::LoadU(typename s::tag(), reinterpret_cast<typename s::lane const*>(from));
}

template <int Bytes, store_mode Mode>
HWY_INLINE void store(typename vector_shape<Bytes>::vector v, char* to) {
  using s = vector_shape<Bytes>;
  auto* const lanes = reinterpret_cast<typename s::lane*>(to);
  if constexpr (Mode == store_mode::streamed) hn::Stream(v, typename s::tag(), lanes);
  else hn::StoreU(v, typename s::tag(), lanes);
}

/// Transposes Rows vectors (a power of two) within each 16-byte block. Block b of q[c] becomes
/// 16 / (Rows * Bytes) columns, from column (b * Rows + c) * 16 / (Rows * Bytes) on. With
/// Rows = 16 / Bytes every block holds 16 bytes of a single column.
template <int Bytes, int Rows, class Vector>
HWY_INLINE void interleave_rows(Vector (&q)[Rows]) {
  typename vector_shape<Bytes>::tag const d;
#pragma GCC unroll 4
  for (int step = 1; step < Rows; step *= 2) {
    Vector w[Rows];
#pragma GCC unroll 16
    for (int k = 0; k < Rows / 2; ++k) {
      w[2 * k] = hn::InterleaveLower(d, q[k], q[k + Rows / 2]);
      w[2 * k + 1] = hn::InterleaveUpper(d, q[k], q[k + Rows / 2]);
    }
#pragma GCC unroll 16
    for (int k = 0; k < Rows; ++k) q[k] = w[k];
  }
}

/// Loads rows_in_block rows and transposes them: block b of q[c] is column b * rows_in_block + c.
template <int Bytes>
HWY_INLINE void load_quarter(char const* in, index in_pitch,
                             typename vector_shape<Bytes>::quarter_lines& q) {
#pragma GCC unroll 16
  for (int k = 0; k < vector_shape<Bytes>::rows_in_block; ++k)
    q[k] = load<Bytes>(in + k * in_pitch);
  interleave_rows<Bytes>(q);
}

/// Transposes a matrix of 16-byte blocks: vector b of the result is block b of every v.
template <int Bytes, class Vector>
HWY_INLINE void transpose_blocks(Vector const (&v)[4], Vector (&t)[4]) {
  typename vector_shape<Bytes>::tag const d;
  if constexpr (vector_shape<Bytes>::blocks == 4) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    // Two shuffles a vector. (ConcatLowerLower, SwapAdjacentBlocks and OddEvenBlocks take three.)
    auto const low01 = hn::ConcatLowerLower(d, v[1], v[0]);
    auto const high01 = hn::ConcatUpperUpper(d, v[1], v[0]);
    auto const low23 = hn::ConcatLowerLower(d, v[3], v[2]);
    auto const high23 = hn::ConcatUpperUpper(d, v[3], v[2]);
    t[0] = Vector{_mm512_shuffle_i32x4(low01.raw, low23.raw, 0x88)};
    t[1] = Vector{_mm512_shuffle_i32x4(low01.raw, low23.raw, 0xdd)};
    t[2] = Vector{_mm512_shuffle_i32x4(high01.raw, high23.raw, 0x88)};
    t[3] = Vector{_mm512_shuffle_i32x4(high01.raw, high23.raw, 0xdd)};
#endif
  } else if constexpr (vector_shape<Bytes>::blocks == 2) {
    // t[2 b + h]: half h of the cache line of block b.
    t[0] = hn::ConcatLowerLower(d, v[1], v[0]);
    t[1] = hn::ConcatLowerLower(d, v[3], v[2]);
    t[2] = hn::ConcatUpperUpper(d, v[1], v[0]);
    t[3] = hn::ConcatUpperUpper(d, v[3], v[2]);
  } else {
    for (int k = 0; k < 4; ++k) t[k] = v[k];
  }
}

/// Stores block b of a vector to the 16 bytes at to + b * step.
template <int Bytes>
HWY_INLINE void store_blocks(typename vector_shape<Bytes>::vector v, char* to, index step) {
  using s = vector_shape<Bytes>;
  using lane = typename s::lane;
  hn::FixedTag<lane, 16 / sizeof(lane)> const block;
  auto const put = [=](auto w, int b)
                       HWY_ATTR { hn::StoreU(w, block, reinterpret_cast<lane*>(to + b * step)); };
  if constexpr (s::blocks == 1) {
    put(v, 0);
  } else if constexpr (s::blocks == 2) {
    put(hn::LowerHalf(block, v), 0);
    put(hn::UpperHalf(block, v), 1);
  } else {
    hn::FixedTag<lane, 32 / sizeof(lane)> const half;
    put(hn::LowerHalf(block, hn::LowerHalf(half, v)), 0);
    put(hn::UpperHalf(block, hn::LowerHalf(half, v)), 1);
    put(hn::LowerHalf(block, hn::UpperHalf(half, v)), 2);
    put(hn::UpperHalf(block, hn::UpperHalf(half, v)), 3);
  }
}

/// Copies a cache line; with a streaming store, `to` is aligned to it.
template <store_mode Mode = store_mode::cached>
HWY_INLINE void copy_line(char const* from, char* to) {
#pragma GCC unroll 4
  for (int h = 0; h < cache_line; h += vector_shape<1>::vector_bytes)
    store<1, Mode>(load<1>(from + h), to + h);
}

/// Combines four quarters (vectors at(quarter, c)) into cache lines of `Columns` columns of every
/// block, from column `first` on. Calls sink(column, vectors of its cache line).
template <int Bytes, int Columns = vector_shape<Bytes>::rows_in_block, class At, class Sink>
HWY_INLINE void assemble_lines(At const& at, Sink const& sink, int first = 0) {
  using s = vector_shape<Bytes>;
#pragma GCC unroll 16
  for (int k = 0; k < Columns; ++k) {
    int const c = first + k;
    typename s::vector const quarters[4] = {at(0, c), at(1, c), at(2, c), at(3, c)};
    typename s::vector lines[4];
    transpose_blocks<Bytes>(quarters, lines);
#pragma GCC unroll 4
    for (int b = 0; b < s::blocks; ++b)
      sink(b * s::rows_in_block + c, lines + b * s::vectors_in_line);
  }
}

template <int Bytes, store_mode Mode>
HWY_INLINE void store_line(typename vector_shape<Bytes>::vector const* v, char* to) {
  using s = vector_shape<Bytes>;
#pragma GCC unroll 4
  for (int h = 0; h < s::vectors_in_line; ++h) store<Bytes, Mode>(v[h], to + h * s::vector_bytes);
}

inline void copy_row_cached(char const* from, char* to, index bytes) {
  if (bytes > cache_line) std::memcpy(to, from, static_cast<std::size_t>(bytes));
  else if (bytes > 0) copy_short(from, to, bytes);
}

/// Streaming stores for every full aligned cache line, ordinary stores for both ends.
inline void copy_row_streamed(char const* from, char* to, index bytes) {
  index const offset = line_offset(to);
  index at = std::min(bytes, offset == 0 ? 0 : cache_line - offset);
  if (at > 0) copy_short(from, to, at);
  for (; at + cache_line <= bytes; at += cache_line)
    copy_line<store_mode::streamed>(from + at, to + at);
  if (at < bytes) copy_short(from + at, to + at, bytes - at);
}

/// First column of step n along a width; the last step overlaps the one before.
template <int Bytes>
HWY_INLINE index step_start(index n, index width) {
  return std::min<index>(n * vector_shape<Bytes>::columns, width - vector_shape<Bytes>::columns);
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
