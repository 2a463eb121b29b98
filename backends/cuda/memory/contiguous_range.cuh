// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A contiguous stretch of global memory in shared memory, laid out so that what is gathered from it
// meets different banks.
#pragma once

#include <xpose/backends/cuda/memory/vector_access.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

XPOSE_HOST_DEVICE inline int padded(int byte) {
  return byte + (byte >> 7 << 4);
}
inline int padded_size(int bytes) {
  return padded(bytes) + 32;
}

/// triple_at() of a stage with pads.
__device__ inline std::uint32_t padded_triple_at(char const* smem, int at) {
  int const word = at & ~3;
  return __funnelshift_r(*reinterpret_cast<std::uint32_t const*>(smem + padded(word)),
                         *reinterpret_cast<std::uint32_t const*>(smem + padded(word + 4)),
                         static_cast<unsigned>(at) * 8);
}

/// Where bytes of a stretch are kept: with the pads above, or without, the four words of a chunk
/// having changed places by the line of 128 bytes that it is in. Which is better depends on the
/// distance of what is gathered together: bytes of 17x17 matrices lie a chunk apart, so that with
/// pads 32 lanes meet 8 banks.
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

/// Byte `at` of [begin, end) lies at Layout::smem_offset(at - origin); origin is a multiple of 16.
/// Reads up to 15 bytes to either side, never past readable_end. At most T * L chunks.
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

}  // namespace detail
}  // namespace v0
}  // namespace xpose
