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
XPOSE_HOST_DEVICE constexpr int place_of_chunk(int chunk, int row) {
  constexpr int chunks = RowBytes / 16;
  if constexpr (chunks >= 8) return (chunk ^ (row & 7)) * 16;
  else return (chunk ^ (row / (8 / chunks) & (chunks - 1))) * 16;
}

/// Rows along the depth.
template <class T, int Across, int Depth>
struct depth_chunks {
  static constexpr bool is_along_depth = true;
  static constexpr int row_bytes = Depth * static_cast<int>(sizeof(T));
  static constexpr int lines = Across;  // rows of chunks
  static constexpr int depth = Depth;
  static constexpr int elements = Across * Depth;

  static __device__ int byte_of(int across, int depth) {
    return across * row_bytes + place_of_line(across, depth / (16 / static_cast<int>(sizeof(T))));
  }
  static __device__ int place_of_line(int line, int chunk) {
    return place_of_chunk<row_bytes>(chunk, line);
  }
};

/// The same, for operands that lie in any way.
template <class T, int Across, int Depth>
struct gathered_chunks : depth_chunks<T, Across, Depth> {};

/// Rows across the depth. ldmatrix reads 2-byte elements of depths 0 to 7 at once, 1-byte elements
/// of 0, 1, 4, 5, 8, 9, 12 and 13.
template <class T, int Across, int Depth>
struct across_chunks {
  static constexpr bool is_along_depth = false;
  static constexpr int row_bytes = Across * static_cast<int>(sizeof(T));
  static constexpr int lines = Depth;
  static constexpr int depth = Depth;
  static constexpr int elements = Across * Depth;

  static __device__ int byte_of(int across, int depth) {
    return depth * row_bytes + place_of_line(depth, across / (16 / static_cast<int>(sizeof(T))));
  }
  static __device__ int place_of_line(int line, int chunk) {
    return place_of_chunk<row_bytes>(chunk, sizeof(T) == 2 ? line : (line & 1) | (line >> 1 & 6));
  }
};

/// The word at an aligned address, zeros from `end` on.
__device__ inline unsigned word_before(unsigned char const* at, unsigned char const* end) {
  if (end - at >= 4) return *reinterpret_cast<unsigned const*>(at);
  unsigned word = 0;
  for (int b = 0; b < 4 && at + b < end; ++b) word |= static_cast<unsigned>(at[b]) << (8 * b);
  return word;
}

/// 16 bytes of elements `stride` apart, of which `left` exist and the others become zero.
/// Neighbours are read as five aligned words and shifted; the first word may begin before them.
template <class T>
__device__ inline uint4 chunk_at(T const* first, index stride, index left) {
  constexpr int bytes = sizeof(T);
  unsigned words[5] = {};
  if (left <= 0) return {0, 0, 0, 0};
  if (stride == 1) {
    auto const* const at = reinterpret_cast<unsigned char const*>(first);
    auto const* const end = at + left * bytes;
    unsigned const skipped = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(at) & 3);
#pragma unroll
    for (int w = 0; w < 5; ++w)
      if (w < 4 || skipped != 0) words[w] = word_before(at - skipped + 4 * w, end);
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
class chunk_reader {
  static constexpr int in_chunk = 16 / static_cast<int>(sizeof(T));
  static constexpr int in_line = Layout::row_bytes / 16;
  static constexpr int lines_at_once = Threads / in_line;
  static constexpr int passes = (Layout::lines + lines_at_once - 1) / lines_at_once;
  static constexpr index most = index{1} << 30;
  static constexpr int period = sizeof(T) == 1 && !Layout::is_along_depth ? 16 : 8;
  static_assert(Threads % in_line == 0 && (passes == 1 || lines_at_once % period == 0),
                "chunks of a thread's lines change places alike");
  static_assert(Layout::lines % lines_at_once == 0 || passes == 1);

 public:
  __device__ chunk_reader(T const* first, index across_stride, index depth_stride,
                          index across_left, gemm_reading)
      : line_(static_cast<int>(threadIdx.x) / in_line),
        place_(static_cast<int>(threadIdx.x) % in_line * in_chunk),
        to_(static_cast<unsigned>(line_ * Layout::row_bytes +
                                  Layout::place_of_line(line_, place_ / in_chunk))),
        across_left_(static_cast<int>(across_left < most ? across_left : most)),
        from_(reinterpret_cast<char const*>(
            first + line_ * (Layout::is_along_depth ? across_stride : depth_stride) +
            place_ * (Layout::is_along_depth ? depth_stride : across_stride))),
        pass_step_((Layout::is_along_depth ? across_stride : depth_stride) *
                   (lines_at_once * static_cast<int>(sizeof(T)))),
        tile_step_(depth_stride * (Layout::depth * static_cast<int>(sizeof(T)))) {}

  /// Part `part` of `parts` of the copies of a tile; none where nothing is left.
  __device__ void start(T* tile, int depth_left, int part, int parts) const {
    unsigned const to = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + to_;
    int const lines_left = (Layout::is_along_depth ? across_left_ : depth_left) - line_;
    int const left = (Layout::is_along_depth ? depth_left : across_left_) - place_;
    int const count = left >= in_chunk ? 16 : left > 0 ? left * static_cast<int>(sizeof(T)) : 0;
#pragma unroll
    for (int pass = 0; pass < passes; ++pass)
      if (pass % parts == part && (passes > 1 || line_ < Layout::lines))
        copy_async<16>(to + pass * lines_at_once * Layout::row_bytes, from_ + pass * pass_step_,
                       pass * lines_at_once < lines_left ? count : 0);
  }
  /// After all parts of a tile.
  __device__ void advance() {
    from_ += tile_step_;
  }

 private:
  int line_;
  int place_;
  unsigned to_;
  int across_left_;
  char const* from_;
  index pass_step_;
  index tile_step_;
};

/// The same of any operand, in rows along the depth, through registers.
template <class T, class Layout, int Threads>
class chunk_gatherer {
  static constexpr int in_chunk = 16 / static_cast<int>(sizeof(T));
  static constexpr int in_line = Layout::row_bytes / 16;
  static constexpr int chunks = Layout::lines * in_line;
  static_assert(Layout::is_along_depth);

 public:
  __device__ chunk_gatherer(T const* first, index across_stride, index depth_stride,
                            index across_left, gemm_reading)
      : first_(first),
        across_stride_(across_stride),
        depth_stride_(depth_stride),
        lines_(across_left < Layout::lines ? static_cast<int>(across_left) : Layout::lines) {}

  __device__ void start(T* tile, int depth_left, int part, int) const {
    if (part != 0 || depth_left <= 0) return;
#pragma unroll 1
    for (int chunk = static_cast<int>(threadIdx.x); chunk < chunks; chunk += Threads) {
      // Neighbouring threads take what is contiguous.
      int const line = depth_stride_ == 1 ? chunk / in_line : chunk % Layout::lines;
      int const place = (depth_stride_ == 1 ? chunk % in_line : chunk / Layout::lines) * in_chunk;
      *reinterpret_cast<uint4*>(reinterpret_cast<unsigned char*>(tile) +
                                Layout::byte_of(line, place)) =
          chunk_at(first_ + line * across_stride_ + place * depth_stride_, depth_stride_,
                   line < lines_ ? depth_left - place : 0);
    }
  }
  __device__ void advance() {
    first_ += Layout::depth * depth_stride_;
  }

 private:
  T const* first_;
  index across_stride_;
  index depth_stride_;
  int lines_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
