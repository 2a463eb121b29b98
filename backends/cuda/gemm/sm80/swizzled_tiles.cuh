// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Tiles of 1- and 2-byte elements in shared memory for ldmatrix: chunks of 16 bytes, along the
// depth or across it as the operand lies, which change places within their row so that the eight
// that ldmatrix reads at once touch all banks. Chunks are copied asynchronously where the operand
// has them at multiples of 16 bytes, else put together from aligned words.
#pragma once

#include <xpose/backends/cuda/gemm/block/load_tiles.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Where chunk `chunk` of row `row` lies, in bytes from the row's start.
template <int RowBytes>
XPOSE_HOST_DEVICE constexpr int swizzled_offset(int vec16, int row) {
  constexpr int vec16s = RowBytes / 16;
  if constexpr (vec16s >= 8) return (vec16 ^ (row & 7)) * 16;
  else return (vec16 ^ (row / (8 / vec16s) & (vec16s - 1))) * 16;
}

/// Rows along the depth.
template <class T, int MN, int K_Extent>
struct k_major_swizzled {
  static constexpr bool is_k_major = true;
  static constexpr int row_bytes = K_Extent * static_cast<int>(sizeof(T));
  static constexpr int lines = MN;  // rows of chunks
  static constexpr int k_extent = K_Extent;
  static constexpr int elements = MN * K_Extent;

  static __device__ int byte_of(int mn, int k_extent) {
    return mn * row_bytes + swizzled_vec16(mn, k_extent / (16 / static_cast<int>(sizeof(T))));
  }
  static __device__ int swizzled_vec16(int line, int vec16) {
    return swizzled_offset<row_bytes>(vec16, line);
  }
};

/// The same, for operands that lie in any way.
template <class T, int MN, int K_Extent>
struct k_major_gathered : k_major_swizzled<T, MN, K_Extent> {};

/// Rows across the depth. ldmatrix reads 2-byte elements of depths 0 to 7 at once, 1-byte elements
/// of 0, 1, 4, 5, 8, 9, 12 and 13.
template <class T, int MN, int K_Extent>
struct mn_major_swizzled {
  static constexpr bool is_k_major = false;
  static constexpr int row_bytes = MN * static_cast<int>(sizeof(T));
  static constexpr int lines = K_Extent;
  static constexpr int k_extent = K_Extent;
  static constexpr int elements = MN * K_Extent;

  static __device__ int byte_of(int mn, int k_extent) {
    return k_extent * row_bytes + swizzled_vec16(k_extent, mn / (16 / static_cast<int>(sizeof(T))));
  }
  static __device__ int swizzled_vec16(int line, int vec16) {
    return swizzled_offset<row_bytes>(vec16, sizeof(T) == 2 ? line : (line & 1) | (line >> 1 & 6));
  }
};

/// The word at an aligned address, zeros from `end` on.
__device__ inline unsigned word_or_zeros(unsigned char const* at, unsigned char const* end) {
  if (end - at >= 4) return *reinterpret_cast<unsigned const*>(at);
  unsigned word = 0;
  for (int b = 0; b < 4 && at + b < end; ++b) word |= static_cast<unsigned>(at[b]) << (8 * b);
  return word;
}

/// 16 bytes of elements `stride` apart, of which `left` exist and the others become zero.
/// Neighbours are read as five aligned words and shifted; the first word may begin before them.
template <class T>
__device__ inline uint4 gather_vec16(T const* first, index stride, index left) {
  constexpr int bytes = sizeof(T);
  unsigned words[5] = {};
  if (left <= 0) return {0, 0, 0, 0};
  if (stride == 1) {
    auto const* const at = reinterpret_cast<unsigned char const*>(first);
    auto const* const end = at + left * bytes;
    unsigned const skipped = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(at) & 3);
#pragma unroll
    for (int w = 0; w < 5; ++w)
      if (w < 4 || skipped != 0) words[w] = word_or_zeros(at - skipped + 4 * w, end);
#pragma unroll
    for (int w = 0; w < 4; ++w) words[w] = __funnelshift_r(words[w], words[w + 1], 8 * skipped);
  } else {
    using bits = std::conditional_t<bytes == 2, std::uint16_t, std::uint8_t>;
#pragma unroll
    for (int e = 0; e < 16 / bytes; ++e)
      if (e < left)
        words[e * bytes / 4] |=
            static_cast<unsigned>(*reinterpret_cast<bits const*>(first + e * stride))
            << (e * bytes % 4 * 8);
  }
  return {words[0], words[1], words[2], words[3]};
}

/// Copies tiles of an operand whose chunks are aligned, line by line of its layout: without a
/// branch, so that the compiler spreads the copies among the products of the tile before. All of
/// them at once after a barrier: 7 to 9 % slower at 4096 (H100, 2026-11-21).
template <class T, class Layout, int Threads>
class vec16_loader {
  static constexpr int elements_in_vec16 = 16 / static_cast<int>(sizeof(T));
  static constexpr int in_line = Layout::row_bytes / 16;
  static constexpr int lines_at_once = Threads / in_line;
  static constexpr int passes = (Layout::lines + lines_at_once - 1) / lines_at_once;
  static constexpr index most = index{1} << 30;
  static constexpr int period = sizeof(T) == 1 && !Layout::is_k_major ? 16 : 8;
  static_assert(Threads % in_line == 0 && (passes == 1 || lines_at_once % period == 0),
                "chunks of a thread's lines change places alike");
  static_assert(Layout::lines % lines_at_once == 0 || passes == 1);

 public:
  __device__ vec16_loader(T const* first, index mn_stride, index k_stride, index mn_left,
                          operand_access)
      : line_(static_cast<int>(threadIdx.x) / in_line),
        offset_(static_cast<int>(threadIdx.x) % in_line * elements_in_vec16),
        to_(static_cast<unsigned>(line_ * Layout::row_bytes +
                                  Layout::swizzled_vec16(line_, offset_ / elements_in_vec16))),
        mn_left_(static_cast<int>(mn_left < most ? mn_left : most)),
        from_(reinterpret_cast<char const*>(first +
                                            line_ * (Layout::is_k_major ? mn_stride : k_stride) +
                                            offset_ * (Layout::is_k_major ? k_stride : mn_stride))),
        pass_step_((Layout::is_k_major ? mn_stride : k_stride) *
                   (lines_at_once * static_cast<int>(sizeof(T)))),
        tile_step_(k_stride * (Layout::k_extent * static_cast<int>(sizeof(T)))) {}

  /// Part `part` of `parts` of the copies of a tile; none where nothing is left.
  __device__ void start(T* tile, int k_left, int part, int parts) const {
    unsigned const to = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + to_;
    int const lines_left = (Layout::is_k_major ? mn_left_ : k_left) - line_;
    int const left = (Layout::is_k_major ? k_left : mn_left_) - offset_;
    int const count = left >= elements_in_vec16 ? 16
                      : left > 0                ? left * static_cast<int>(sizeof(T))
                                                : 0;
#pragma unroll
    for (int pass = 0; pass < passes; ++pass)
      if (pass % parts == part && (passes > 1 || line_ < Layout::lines))
        cp_async<16>(to + pass * lines_at_once * Layout::row_bytes, from_ + pass * pass_step_,
                     pass * lines_at_once < lines_left ? count : 0);
  }
  /// After all parts of a tile.
  __device__ void advance() {
    from_ += tile_step_;
  }

 private:
  int line_;
  int offset_;
  unsigned to_;
  int mn_left_;
  char const* from_;
  index pass_step_;
  index tile_step_;
};

/// The same of any operand, in rows along the depth, through registers.
template <class T, class Layout, int Threads>
class gathering_loader {
  static constexpr int elements_in_vec16 = 16 / static_cast<int>(sizeof(T));
  static constexpr int in_line = Layout::row_bytes / 16;
  static constexpr int vec16s = Layout::lines * in_line;
  static_assert(Layout::is_k_major);

 public:
  __device__ gathering_loader(T const* first, index mn_stride, index k_stride, index mn_left,
                              operand_access)
      : first_(first),
        mn_stride_(mn_stride),
        k_stride_(k_stride),
        lines_(mn_left < Layout::lines ? static_cast<int>(mn_left) : Layout::lines) {}

  __device__ void start(T* tile, int k_left, int part, int) const {
    if (part != 0 || k_left <= 0) return;
#pragma unroll 1
    for (int vec16 = static_cast<int>(threadIdx.x); vec16 < vec16s; vec16 += Threads) {
      // Neighbouring threads take what is contiguous.
      int const line = k_stride_ == 1 ? vec16 / in_line : vec16 % Layout::lines;
      int const offset =
          (k_stride_ == 1 ? vec16 % in_line : vec16 / Layout::lines) * elements_in_vec16;
      *reinterpret_cast<uint4*>(reinterpret_cast<unsigned char*>(tile) +
                                Layout::byte_of(line, offset)) =
          gather_vec16(first_ + line * mn_stride_ + offset * k_stride_, k_stride_,
                       line < lines_ ? k_left - offset : 0);
    }
  }
  __device__ void advance() {
    first_ += Layout::k_extent * k_stride_;
  }

 private:
  T const* first_;
  index mn_stride_;
  index k_stride_;
  int lines_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
