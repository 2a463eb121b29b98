// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Vector loads and stores, and the register moves that the copy kernels share.
//   word    1, 2, 4, 8 or 16 bytes; an element is one word or several
//   vec16   16 bytes at a multiple of 16, loaded or stored by one instruction
//   triple  an element of 3 bytes, handled as one although its words have 1 byte
#pragma once

#include <xpose/backends/cuda/memory/access_bytes.hpp>
#include <xpose/config.hpp>

#include <cuda_runtime.h>

#include <cstdint>
#include <tuple>

namespace xpose {
inline namespace v0 {
namespace detail {

/// One of five types, for words of 1, 2, 4, 8 and 16 bytes.
template <int Bytes, class... Types>
using by_word_size = std::tuple_element_t<(Bytes > 1) + (Bytes > 2) + (Bytes > 4) + (Bytes > 8),
                                          std::tuple<Types...>>;

template <int Bytes>
struct word_of {
  using type = by_word_size<Bytes, std::uint8_t, std::uint16_t, std::uint32_t, uint2, uint4>;
};

// Plain accesses. ld.global.nc.L1::no_allocate: 1.5 to 2 % slower, st.global.cs: equal or slower,
// cp.async: 1 to 3 % slower (H100, 2026-11-21).
__device__ inline uint4 load_vec16(char const* p) { return *reinterpret_cast<uint4 const*>(p); }
__device__ inline void store_vec16(char* p, uint4 v) { *reinterpret_cast<uint4*>(p) = v; }

template <int Alignment>
__host__ __device__ inline int bytes_past_alignment(void const* p) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) & (Alignment - 1));
}
/// A pointer made of an integer: its loads are generic (LD), and tiles are faster so. With a
/// difference, or through __cvta_generic_to_global, loads are of global memory (LDG) and take more
/// registers: tile_unaligned_bytes 0.86 of a copy, so 0.71 and 0.77, 2 bytes 0.95, 0.90 and 0.89
/// (H200, 2026-11-30). copy_packed_runs has LDG: 0.69 for runs of 71 bytes, where it had 0.59
/// before that and with comparisons of pointers.
__device__ inline char const* align_down_16(char const* p) {
  return reinterpret_cast<char const*>(reinterpret_cast<std::uintptr_t>(p) & ~std::uintptr_t{15});
}

/// Up to four loads are on their way at once: 16 bytes or less.
template <int W>
__device__ inline void copy_words(char* to, char const* from, int words) {
  using word = typename word_of<W>::type;
  constexpr int at_once = W < 8 ? 4 : vec16_bytes / W;
#pragma unroll 1
  for (int k = 0; k < words; k += at_once) {
    word w[at_once];
#pragma unroll
    for (int m = 0; m < at_once; ++m)
      if (k + m < words) w[m] = reinterpret_cast<word const*>(from)[k + m];
#pragma unroll
    for (int m = 0; m < at_once; ++m)
      if (k + m < words) reinterpret_cast<word*>(to)[k + m] = w[m];
  }
}

template <int W>
union vec16_words {
  uint4 vec16;
  typename word_of<W>::type words[vec16_bytes / W];
};

/// Stores words [from, to) of a vec16.
template <int W>
__device__ inline void store_words(char* at, vec16_words<W> const& v, int from, int to) {
#pragma unroll
  for (int k = 0; k < vec16_bytes / W; ++k)
    if (k >= from && k < to) reinterpret_cast<typename word_of<W>::type*>(at)[k] = v.words[k];
}

/// Stores a vec16 at word `first` of a row of `words`; words outside the row are not written.
template <int W>
__device__ inline void store_in_row(char* row, index first, index words, uint4 v) {
  constexpr int V = vec16_bytes / W;
  char* const to = row + first * W;
  if (first >= 0 && first + V <= words) return store_vec16(to, v);
  index const left = words - first;
  store_words<W>(to, vec16_words<W>{v}, first < 0 ? static_cast<int>(-first) : 0,
                 left < V ? static_cast<int>(left) : V);
}

/// Stores the first, or the last, `count` bytes of a vec16 at an aligned address, in accesses of 8,
/// 4, 2 and 1 bytes.
template <int W>
__device__ inline void store_end_of_vec16(char* at, uint4 v, unsigned count, bool is_last) {
  auto const word_at = [&](unsigned byte) {
    std::uint32_t const low = byte & 4 ? v.y : v.x, high = byte & 4 ? v.w : v.z;
    return byte & 8 ? high : low;
  };
  // The widest lies at the end that all words share with the vec16.
  auto const byte_of = [&](unsigned size) {
    return is_last ? vec16_bytes - (count & ~(size - 1)) : count & ~(2 * size - 1);
  };
  if (count & 8)
    *reinterpret_cast<uint2*>(at + byte_of(8)) =
        is_last ? make_uint2(v.z, v.w) : make_uint2(v.x, v.y);
  if (count & 4) *reinterpret_cast<std::uint32_t*>(at + byte_of(4)) = word_at(byte_of(4));
  if (count & 2) {
    unsigned const byte = byte_of(2);
    *reinterpret_cast<std::uint16_t*>(at + byte) =
        static_cast<std::uint16_t>(word_at(byte) >> byte % 4 * 8);
  }
  if constexpr (W == 1)
    if (count & 1) {
      unsigned const byte = byte_of(1);
      at[byte] = static_cast<char>(word_at(byte) >> byte % 4 * 8);
    }
}

/// As store_in_row(), of an aligned vec16, where rows are so short that many vec16s hold their
/// ends: in L2 each access takes as long as that of a whole vec16. Shares of a copy so and word by
/// word, bytes in tiles of 64x128: 165x82900 0.67, 0.43; 201x33691 0.90, 0.69; 571x38842 0.83,
/// 0.74; merged, 29x12x26x8x38x44 by 350421 0.67, 0.60. Where registers are few, it loses:
/// aligned tiles 0.1 to 0.3, 2 bytes of 89x40x769x128 by 0132 0.86, 0.91 (H200, 2026-11-30).
template <int W>
__device__ inline void store_in_short_row(char* row, index first, index words, uint4 v) {
  constexpr int V = vec16_bytes / W;
  if constexpr (W <= 2) {
    bool const is_last = first < 0;
    if (is_last != (first + V > words)) {
      index const count = is_last ? first + V : words - first;
      return store_end_of_vec16<W>(row + first * W, v,
                                   static_cast<unsigned>(max(count, index{0}) * W), is_last);
    }
  }
  store_in_row<W>(row, first, words, v);
}

/// The load to store_in_row; words outside the row are unspecified.
template <int W>
__device__ inline uint4 load_in_row(char const* row, int first, int words) {
  constexpr int V = vec16_bytes / W;
  char const* const from = row + index{first} * W;
  if (first + V <= words) return load_vec16(from);
  vec16_words<W> v;
#pragma unroll
  for (int k = 0; k < V; ++k)
    if (first + k < words) v.words[k] = reinterpret_cast<typename word_of<W>::type const*>(from)[k];
  return v.vec16;
}

/// Loads the vec16 at the aligned address `from`, which is word `first` of a row of `words`; words
/// outside are unspecified. Word by word at both ends of a row, so that it never reads beyond.
template <int W>
__device__ inline uint4 load_aligned_in_row(char const* from, int first, int words) {
  constexpr int V = vec16_bytes / W;
  if (first >= 0 && first + V <= words) return load_vec16(from);
  vec16_words<W> v{};
#pragma unroll
  for (int k = 0; k < V; ++k)
    if (first + k >= 0 && first + k < words)
      v.words[k] = reinterpret_cast<typename word_of<W>::type const*>(from)[k];
  return v.vec16;
}

/// Bytes [shift, shift + 16) of two consecutive vec16: a funnel shift by 0 to 15 bytes.
__device__ inline uint4 realign(uint4 a, uint4 b, unsigned shift) {
  std::uint32_t w[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
  for (int i = 0; i < 6; ++i) w[i] = shift & 8 ? w[i + 2] : w[i];
#pragma unroll
  for (int i = 0; i < 5; ++i) w[i] = shift & 4 ? w[i + 1] : w[i];
  unsigned const bits = (shift & 3) * 8;
  return make_uint4(__funnelshift_r(w[0], w[1], bits), __funnelshift_r(w[1], w[2], bits),
                    __funnelshift_r(w[2], w[3], bits), __funnelshift_r(w[3], w[4], bits));
}

/// 16 bytes at any address, kept as the two vec16 that cover them. realigned() shifts at the use,
/// so the loads stay in flight until then.
///     low |........aaaaaaaa|  high |aaaaaaaa........|  shift = 8
struct unaligned_vec16 {
  uint4 low, high;
  unsigned shift;

  __device__ uint4 realigned() const { return shift == 0 ? low : realign(low, high, shift); }
};

/// As load_in_row, at any address; words outside the row are zero. Reads no vec16 past `end`.
template <int W>
__device__ inline unaligned_vec16 load_unaligned_in_row(char const* row, index first, index words,
                                                        char const* end) {
  constexpr int V = vec16_bytes / W;
  char const* const from = row + first * W;
  char const* const low = align_down_16(from);
  unsigned const shift = static_cast<unsigned>(bytes_past_alignment<vec16_bytes>(from));
  if (first >= 0 && first + V <= words && (shift == 0 || low + 2 * vec16_bytes <= end))
    return {load_vec16(low), shift == 0 ? uint4{} : load_vec16(low + vec16_bytes), shift};
  vec16_words<W> v{};
#pragma unroll
  for (int k = 0; k < V; ++k)
    if (first + k >= 0 && first + k < words)
      v.words[k] = reinterpret_cast<typename word_of<W>::type const*>(from)[k];
  return {v.vec16, uint4{}, 0};
}

/// The same where words outside the row may be anything: those that share a vec16 with the row are
/// read with it. Word by word, as above, the ends of short rows took half of the time of a warp in
/// tile_merged.cuh: bytes of 33x32x35x51x6x49 by 035124, rows of 49 (H100, 2026-11-26).
template <int W>
__device__ inline unaligned_vec16 load_unaligned_around_row(char const* row, index first,
                                                            index words, char const* end) {
  char const* const from = row + first * W;
  char const* const row_end = row + words * W;
  char const* const low = align_down_16(from);
  char const* const high = low + vec16_bytes;
  unsigned const shift = static_cast<unsigned>(bytes_past_alignment<vec16_bytes>(from));
  bool const wants_low = high > row && low < row_end;
  bool const wants_high = shift != 0 && high + vec16_bytes > row && high < row_end;
  if ((wants_low && high > end) || (wants_high && high + vec16_bytes > end))
    return load_unaligned_in_row<W>(row, first, words, end);
  return {wants_low ? load_vec16(low) : uint4{}, wants_high ? load_vec16(high) : uint4{}, shift};
}

/// load_unaligned_around_row() for 0 <= first < words: 29 instructions with both loads, not 40.
template <int W>
__device__ inline unaligned_vec16 load_unaligned_within_row(char const* row, int first, int words,
                                                            char const* end) {
  char const* const from = row + index{first} * W;
  int const shift = bytes_past_alignment<vec16_bytes>(from);
  char const* const low = from - shift;
  bool const wants_high = shift != 0 && (words - first) * index{W} > vec16_bytes - shift;
  if (low + (wants_high ? 2 : 1) * vec16_bytes > end)
    return load_unaligned_in_row<W>(row, first, words, end);
  return {load_vec16(low), wants_high ? load_vec16(low + vec16_bytes) : uint4{},
          static_cast<unsigned>(shift)};
}

/// Transposes 4x4 bytes in registers by eight byte permutes: byte k of out[j] = byte j of r<k>.
__device__ inline void transpose_bytes_4x4(std::uint32_t r0, std::uint32_t r1, std::uint32_t r2,
                                           std::uint32_t r3, std::uint32_t (&out)[4]) {
  std::uint32_t const low01 = __byte_perm(r0, r1, 0x5140), low23 = __byte_perm(r2, r3, 0x5140);
  std::uint32_t const high01 = __byte_perm(r0, r1, 0x7362), high23 = __byte_perm(r2, r3, 0x7362);
  out[0] = __byte_perm(low01, low23, 0x5410);
  out[1] = __byte_perm(low01, low23, 0x7632);
  out[2] = __byte_perm(high01, high23, 0x5410);
  out[3] = __byte_perm(high01, high23, 0x7632);
}

/// Columns that share one 4-byte word of shared memory, where words are smaller than that.
template <int W>
inline constexpr int columns_in_word = W < 4 ? 4 / W : 1;

/// Transposes 16 / W rows of 4 / W columns, a 4-byte register a row, to a vec16 a column. W = 2:
///     r[0..7] = (a0 b0) (a1 b1) .. (a7 b7)  ->  out[0] = a0 a1 .. a7, out[1] = b0 b1 .. b7
template <int W>
__device__ inline void columns_to_vec16(std::uint32_t const (&r)[vec16_bytes / W],
                                        uint4 (&out)[columns_in_word<W>]) {
  if constexpr (W == 4) out[0] = make_uint4(r[0], r[1], r[2], r[3]);
  if constexpr (W == 2) {
    constexpr unsigned select[2] = {0x5410, 0x7632};
#pragma unroll
    for (int j = 0; j < 2; ++j)
      out[j] = make_uint4(__byte_perm(r[0], r[1], select[j]), __byte_perm(r[2], r[3], select[j]),
                          __byte_perm(r[4], r[5], select[j]), __byte_perm(r[6], r[7], select[j]));
  }
  if constexpr (W == 1) {
    std::uint32_t c[4][4];
#pragma unroll
    for (int b = 0; b < 4; ++b)
      transpose_bytes_4x4(r[4 * b], r[4 * b + 1], r[4 * b + 2], r[4 * b + 3], c[b]);
#pragma unroll
    for (int j = 0; j < 4; ++j) out[j] = make_uint4(c[0][j], c[1][j], c[2][j], c[3][j]);
  }
}

/// Six consecutive 3-byte elements of the output, each in the lower 24 bits of its register; they
/// hold a vec16 at any of three offsets. Word loads and shifts take 12 loads and 6 index sums for a
/// vec16; byte by byte it takes 16 of each.
struct six_triples {
  static constexpr int count = 6;

  /// The 16 bytes that start at byte `part` (0 to 2) of the first element.
  __device__ uint4 vec16(int part) const {
    std::uint32_t const w0 = __byte_perm(words[0], words[1], 0x4210);
    std::uint32_t const w1 = __byte_perm(words[1], words[2], 0x5421);
    std::uint32_t const w2 = __byte_perm(words[2], words[3], 0x6542);
    std::uint32_t const w3 = __byte_perm(words[4], words[5], 0x4210), w4 = words[5] >> 8;
    unsigned const bits = static_cast<unsigned>(part) * 8;
    return make_uint4(__funnelshift_r(w0, w1, bits), __funnelshift_r(w1, w2, bits),
                      __funnelshift_r(w2, w3, bits), __funnelshift_r(w3, w4, bits));
  }

  std::uint32_t words[count];
};

/// Three bytes, from byte `at` modulo 4 of the 4-byte word at `low` on, some in the word at `high`,
/// in the lower 24 bits; the upper 8 bits are unspecified.
__device__ inline std::uint32_t triple_of(char const* low, char const* high, unsigned at) {
  return __funnelshift_r(*reinterpret_cast<std::uint32_t const*>(low),
                         *reinterpret_cast<std::uint32_t const*>(high), at * 8);
}

/// Those at offset `at` of shared memory. Reads up to byte `at` + 7.
__device__ inline std::uint32_t triple_at(char const* smem, int at) {
  char const* const word = smem + (at & ~3);
  return triple_of(word, word + 4, static_cast<unsigned>(at));
}

/// A vec16 whose word w is word w ^ bits / 4 of another, of 0, 4, 8 or 12 `bits`.
__device__ inline uint4 permute_words(uint4 v, unsigned bits) {
  if (bits & 4) v = make_uint4(v.y, v.x, v.w, v.z);
  if (bits & 8) v = make_uint4(v.z, v.w, v.x, v.y);
  return v;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
