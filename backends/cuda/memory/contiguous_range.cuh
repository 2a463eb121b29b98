// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Copies a contiguous range of global memory to shared memory, in a layout that avoids bank
// conflicts when elements are gathered from it.
#pragma once

#include <xpose/backends/cuda/memory/vector_access.cuh>

#include <algorithm>
#include <type_traits>

namespace xpose {
inline namespace v0 {
namespace detail {

XPOSE_HOST_DEVICE inline int padded(int byte) { return byte + (byte >> 7 << 4); }
/// Of shared memory for so many bytes, padded or in whole rows of 128.
inline int padded_size(int bytes) { return padded(bytes) + 128; }

/// triple_at() in the padded layout.
__device__ inline std::uint32_t padded_triple_at(char const* smem, int at) {
  int const word = at & ~3;
  return triple_of(smem + padded(word), smem + padded(word + 4), static_cast<unsigned>(at));
}

/// Layouts of the range in shared memory: the byte at which a byte of the range lies.
/// padded: 16 bytes of padding after every 128.
/// swizzled: no padding; the words of a vec16 are permuted by the index r of their 128-byte row:
///     word w of a vec16 lies at word w ^ (r & 3)
/// row-swizzled: no padding; words of 4 bytes are permuted within their row by bits of r
/// hashed: words of W bytes are permuted within their 128-byte row by more bits of r, so that rows
///     of any power of two meet all banks.
/// Which one has fewer conflicts depends on the distance of the gathered elements: bytes of 17x17
/// matrices lie 16 bytes apart, so that with padding 32 lanes meet only 8 banks; 8 rows of 128
/// bytes, 1024 apart, meet one: 1585 of 255x64 of 2 bytes had 0.35 of a copy (H100, 2026-11-27).
struct padded_layout {
  XPOSE_HOST_DEVICE static int smem_offset(int byte) { return padded(byte); }
};
struct swizzled_layout {
  XPOSE_HOST_DEVICE static int smem_offset(int byte) { return byte ^ (byte >> 5 & 12); }
};
struct row_swizzled_layout {
  XPOSE_HOST_DEVICE static int smem_offset(int byte) {
    return byte ^ ((byte >> 6 ^ byte >> 7) & 124);
  }
};
template <int W>
struct hashed_layout {
  static constexpr int word = W < 4 ? 4 : W;
  static constexpr int log_word = word == 4 ? 2 : word == 8 ? 3 : 4, bits = 7 - log_word;
  XPOSE_HOST_DEVICE static int smem_offset(int byte) {
    int const row = byte >> 7;
    return byte ^ (((row ^ row >> bits ^ row >> 2 * bits) << log_word) & (128 - word));
  }
};

/// A vec16 of the range as it lies in a layout: without padding, its words are permuted as its
/// offset is.
template <class Layout>
__device__ inline uint4 permute_words(uint4 v, int byte) {
  if constexpr (std::is_same_v<Layout, padded_layout>) return v;
  else return permute_words(v, static_cast<unsigned>(Layout::smem_offset(byte) ^ byte));
}

/// How many rounds the banks take for what the lanes of a warp read first, of matrices without gaps
/// between them: lane l the word of W bytes at element l * V of the columns that follow each other.
/// Lanes go together as far as they read 128 bytes. Two that read one word are told from others if
/// no third has asked the bank in between.
template <class Layout, int W, int V>
int bank_rounds(int rows, int row_bytes, int matrix_bytes) {
  constexpr int banks = 32, lanes = 32;
  constexpr int words = W < 4 ? 1 : W / 4, lanes_at_once = lanes / words;
  int sum = 0, row = 0, at = 0, column = 0;
  for (int first = 0; first < lanes; first += lanes_at_once) {
    int rounds[banks] = {}, last[banks] = {}, most = 0;
    for (int lane = 0; lane < lanes_at_once; ++lane) {
      for (int w = 0; w < words; ++w) {
        int const word = Layout::smem_offset(at + row * row_bytes) / 4 + w, bank = word % banks;
        if (last[bank] == word + 1) continue;
        last[bank] = word + 1;
        most = std::max(most, ++rounds[bank]);
      }
      for (row += V; row >= rows; row -= rows) {
        at += W;
        column += W;
        if (column < row_bytes) continue;
        column = 0;
        at += matrix_bytes - row_bytes;
      }
    }
    sum += most;
  }
  return sum;
}

/// Whether words of W bytes that V rows of a column give to each lane take fewer rounds hashed than
/// in another layout. Rows of whole vec16s alone: others were not measured.
template <class Other, int W, int V = vec16_bytes / W>
bool suits_hash(int rows, int row_bytes, int matrix_bytes) {
  return row_bytes % vec16_bytes == 0 &&
         bank_rounds<hashed_layout<W>, W, V>(rows, row_bytes, matrix_bytes) <
             bank_rounds<Other, W, V>(rows, row_bytes, matrix_bytes);
}

/// Byte p of [begin, end) goes to smem + Layout::smem_offset(p - origin); origin is a multiple
/// of 16. Reads up to 15 bytes to either side, never past readable_end. T threads load at most L
/// vec16 each.
template <int W, int T, int L, class Layout = padded_layout>
__device__ inline void load_contiguous_range(char* smem, char const* origin, char const* begin,
                                             char const* end, char const* readable_end) {
  char const* const first = align_down_16(begin) + threadIdx.x * 16;
  int const at = static_cast<int>(first - origin);
  // From `first` on: where the range ends, and where whole vec16s can no longer be read. Offsets
  // take fewer registers than pointers do.
  int const length = static_cast<int>(end - first);
  int const whole = static_cast<int>(min(index{length}, readable_end - first - (vec16_bytes - 1)));
  uint4 v[L];
#pragma unroll
  for (int l = 0; l < L; ++l)
    if (l * (T * 16) < whole) v[l] = load_vec16(first + l * (T * 16));
#pragma unroll
  for (int l = 0; l < L; ++l) {
    int const from = l * (T * 16), byte = at + from;
    int const to_offset = Layout::smem_offset(byte) & ~(vec16_bytes - 1);
    if (from < whole)
      *reinterpret_cast<uint4*>(smem + to_offset) = permute_words<Layout>(v[l], byte);
    else if (from < length)
#pragma unroll 1
      for (int k = 0; k < whole + (vec16_bytes - 1) - from; k += W)
        copy_words<W>(smem + Layout::smem_offset(byte + k), first + from + k, 1);
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
