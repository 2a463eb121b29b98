// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A contiguous stretch of global memory in shared memory, 16 bytes of pad every 128.
#pragma once

#include <xpose/backends/cuda/words.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

XPOSE_HOST_DEVICE inline int padded(int byte) {
  return byte + (byte >> 7 << 4);
}
inline int padded_size(int bytes) {
  return padded(bytes) + 32;
}

/// [begin, end) lies at padded(byte - origin); origin is a multiple of 16. Reads up to 15 bytes to
/// either side, never past readable_end. At most T * L chunks.
template <int W, int T, int L>
__device__ inline void load_stretch(char* stage, char const* origin, char const* begin,
                                    char const* end, char const* readable_end) {
  char const* const first = chunk_below(begin) + threadIdx.x * 16;
  int const at = static_cast<int>(first - origin);
  uint4 v[L];
#pragma unroll
  for (int l = 0; l < L; ++l) {
    char const* const from = first + l * (T * 16);
    if (from < end && from + 16 <= readable_end) v[l] = load_chunk(from);
  }
#pragma unroll
  for (int l = 0; l < L; ++l) {
    char const* const from = first + l * (T * 16);
    char* const to = stage + padded(at + l * (T * 16));
    if (from < end && from + 16 <= readable_end) *reinterpret_cast<uint4*>(to) = v[l];
    else if (from < end) copy_words<W>(to, from, static_cast<int>(readable_end - from) / W);
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
