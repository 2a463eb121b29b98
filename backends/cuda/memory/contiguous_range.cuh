// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Copies a contiguous range of global memory to shared memory, in a layout that avoids bank
// conflicts when elements are gathered from it.
#pragma once

#include <xpose/backends/cuda/memory/vector_access.cuh>

namespace xpose::detail {

XPOSE_HOST_DEVICE inline int padded(int byte) { return byte + (byte >> 7 << 4); }
inline int padded_size(int bytes) { return padded(bytes) + 32; }

/// triple_at() in the padded layout.
__device__ inline std::uint32_t padded_triple_at(char const* smem, int at) {
  int const word = at & ~3;
  return __funnelshift_r(*reinterpret_cast<std::uint32_t const*>(smem + padded(word)),
                         *reinterpret_cast<std::uint32_t const*>(smem + padded(word + 4)),
                         static_cast<unsigned>(at) * 8);
}

/// Layouts of the range in shared memory. Padded: 16 bytes of padding after every 128. Swizzled: no
/// padding; the four words of a vec16 are permuted by the index r of their 128-byte row:
///     word w of a vec16 lies at word w ^ (r & 3)
/// Which one has fewer conflicts depends on the distance of the gathered elements: bytes of 17x17
/// matrices lie 16 bytes apart, so that with padding 32 lanes meet only 8 banks.
struct padded_layout {
  static __device__ int smem_offset(int byte) { return padded(byte); }
  static __device__ uint4 permute_words(uint4 vec16, int) { return vec16; }
};
struct swizzled_layout {
  static __device__ int smem_offset(int byte) { return byte ^ (byte >> 5 & 12); }
  static __device__ uint4 permute_words(uint4 vec16, int byte) {
    int const bank_row = byte >> 7;
    uint4 const by_one = bank_row & 1 ? make_uint4(vec16.y, vec16.x, vec16.w, vec16.z) : vec16;
    return bank_row & 2 ? make_uint4(by_one.z, by_one.w, by_one.x, by_one.y) : by_one;
  }
};

/// Byte p of [begin, end) goes to smem + Layout::smem_offset(p - origin); origin is a multiple
/// of 16. Reads up to 15 bytes to either side, never past readable_end. T threads load at most L
/// vec16 each.
template <int W, int T, int L, class Layout = padded_layout>
__device__ inline void load_contiguous_range(char* smem, char const* origin, char const* begin,
                                             char const* end, char const* readable_end) {
  char const* const first = align_down_16(begin) + threadIdx.x * 16;
  int const at = static_cast<int>(first - origin);
  uint4 v[L];
#pragma unroll
  for (int l = 0; l < L; ++l) {
    char const* const from = first + l * (T * 16);
    if (from < end && from + 16 <= readable_end) v[l] = load_vec16(from);
  }
#pragma unroll
  for (int l = 0; l < L; ++l) {
    char const* const from = first + l * (T * 16);
    int const byte = at + l * (T * 16), to_offset = Layout::smem_offset(byte) & ~(vec16_bytes - 1);
    if (from < end && from + 16 <= readable_end)
      *reinterpret_cast<uint4*>(smem + to_offset) = Layout::permute_words(v[l], byte);
    else if (from < end)
#pragma unroll 1
      for (int k = 0; k < static_cast<int>(readable_end - from); k += W)
        copy_words<W>(smem + Layout::smem_offset(byte + k), from + k, 1);
  }
}

}  // namespace xpose::detail
