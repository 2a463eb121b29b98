// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Swizzled tiles of 1-, 2- and 4-byte elements in shared memory for ldmatrix. A tile stays K-major
// or MN-major as its operand is. The 16-byte vectors (vec16) of a row are permuted by the row's
// number, so that the eight that ldmatrix reads at once touch all banks without conflict:
//
//   row 0   v0 v1 v2 v3 v4 v5 v6 v7        128 bytes a row: vec16 v of row l is stored at
//   row 1   v1 v0 v3 v2 v5 v4 v7 v6        slot v XOR l % 8
//   row 2   v2 v3 v0 v1 v6 v7 v4 v5
//
// cp.async fills them where the operand has vec16s at multiples of 16 bytes (vec16_loader); else
// registers gather them from aligned words (gathering_loader), or rows at any address are shifted
// (unaligned_tiles.cuh). Tiles of 4-byte elements are always
// K-major; cp.async fills them by elements where they have no vec16s along k (word_loader).
#pragma once

#include <xpose/backends/cuda/gemm/block/load_tiles.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A row has the k of one index of M or N, or the M or N of one k. Of the latter, one ldmatrix
/// reads 2-byte elements of k 0 to 7, 1-byte elements of k 0, 1, 4, 5, 8, 9, 12 and 13: the swizzle
/// takes other bits of the row for these.
template <class T, int MN, int TileK, bool IsKMajor>
struct ldmatrix_layout {
  static constexpr bool is_k_major = IsKMajor;
  static constexpr int rows = IsKMajor ? MN : TileK;
  static constexpr int row_bytes = (IsKMajor ? TileK : MN) * static_cast<int>(sizeof(T));
  static constexpr int k_extent = TileK;
  static constexpr int elements = MN * TileK;

  static __device__ int byte_of(int mn, int k) {
    int const row = IsKMajor ? mn : k;
    int const in_row = IsKMajor ? k : mn;
    return row * row_bytes + offset_in_row(row, in_row / (16 / static_cast<int>(sizeof(T))));
  }
  /// Where vec16 number `vec16` of a row is stored, in bytes from the start of the row.
  static __device__ int offset_in_row(int row, int vec16) {
    constexpr int vec16s = row_bytes / 16;
    int const bits = IsKMajor || sizeof(T) == 2 ? row : (row & 1) | (row >> 1 & 6);
    if constexpr (vec16s >= 8) return (vec16 ^ (bits & 7)) * 16;
    else return (vec16 ^ (bits / (8 / vec16s) & (vec16s - 1))) * 16;
  }
};

/// The same layout, of an operand of any strides and alignment: gathering_loader fills it.
template <class T, int MN, int TileK>
struct k_major_gathered : ldmatrix_layout<T, MN, TileK, true> {};

/// The same layout, of 4-byte elements of any strides: word_loader fills it.
template <class T, int MN, int TileK>
struct k_major_words : ldmatrix_layout<T, MN, TileK, true> {};

/// The word at an aligned address, its bytes from `end` on zero.
__device__ inline unsigned word_or_zeros(unsigned char const* at, unsigned char const* end) {
  if (end - at >= 4) return *reinterpret_cast<unsigned const*>(at);
  unsigned word = 0;
  for (int b = 0; b < 4 && at + b < end; ++b) word |= static_cast<unsigned>(at[b]) << (8 * b);
  return word;
}

/// 16 bytes of elements `stride` apart; `left` of them exist, the others become zero. Contiguous
/// elements are read as five aligned words and shifted; the first word may begin before them.
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

/// Copies tiles of an operand with aligned vec16s by cp.async, row by row of the layout. It has
/// no branch, so the compiler spreads the copies among the previous tile's mma.sync; all of them at
/// once after a barrier were 7 to 9 % slower at 4096 (H100, 2026-11-21).
template <class T, class Layout, int Threads>
class vec16_loader {
  static constexpr int elements = 16 / static_cast<int>(sizeof(T));
  static constexpr int vec16s_in_row = Layout::row_bytes / 16;
  static constexpr int rows_at_once = Threads / vec16s_in_row;
  static constexpr int passes = ceil_div(Layout::rows, rows_at_once);
  static constexpr index most = index{1} << 30;
  static constexpr int period = sizeof(T) == 1 && !Layout::is_k_major ? 16 : 8;
  static_assert(Threads % vec16s_in_row == 0 && (passes == 1 || rows_at_once % period == 0),
                "all rows of a thread have the same swizzle");
  static_assert(Layout::rows % rows_at_once == 0 || passes == 1);

 public:
  __device__ vec16_loader(T const* first, index mn_stride, index k_stride, index mn_left,
                          operand_access)
      : row_(static_cast<int>(threadIdx.x) / vec16s_in_row),
        first_(static_cast<int>(threadIdx.x) % vec16s_in_row * elements),
        to_(static_cast<unsigned>(row_ * Layout::row_bytes +
                                  Layout::offset_in_row(row_, first_ / elements))),
        mn_left_(static_cast<int>(mn_left < most ? mn_left : most)),
        from_(reinterpret_cast<char const*>(first +
                                            row_ * (Layout::is_k_major ? mn_stride : k_stride) +
                                            first_ * (Layout::is_k_major ? k_stride : mn_stride))),
        pass_step_((Layout::is_k_major ? mn_stride : k_stride) *
                   (rows_at_once * static_cast<int>(sizeof(T)))),
        tile_step_(k_stride * (Layout::k_extent * static_cast<int>(sizeof(T)))) {}

  /// Issues part `part` of `parts` of the next tile's copies. Elements that do not exist become
  /// zero.
  __device__ void issue(T* tile, int k_left, int part, int parts) const {
    unsigned const to = smem_address(tile) + to_;
    int const rows_left = (Layout::is_k_major ? mn_left_ : k_left) - row_;
    int const left = (Layout::is_k_major ? k_left : mn_left_) - first_;
    int const count = left >= elements ? 16 : left > 0 ? left * static_cast<int>(sizeof(T)) : 0;
#pragma unroll
    for (int pass = 0; pass < passes; ++pass)
      if (pass % parts == part && (passes > 1 || row_ < Layout::rows))
        cp_async<16>(to + pass * rows_at_once * Layout::row_bytes, from_ + pass * pass_step_,
                     pass * rows_at_once < rows_left ? count : 0);
  }
  __device__ void advance() { from_ += tile_step_; }

 private:
  int row_, first_;
  unsigned to_;
  int mn_left_;
  char const* from_;
  index pass_step_, tile_step_;
};

/// Copies K-major tiles of 4-byte elements by cp.async, element by element, coalesced along
/// whichever dimension is contiguous. Of MN-major operands a warp takes 8 rows and 4 k, which are
/// whole sectors of global memory and all banks of shared memory.
template <class T, class Layout, int Threads>
class word_loader {
  static_assert(sizeof(T) == 4 && Layout::row_bytes == 128);
  static constexpr int passes = Layout::rows * Layout::k_extent / Threads;
  static_assert(passes * Threads == Layout::rows * Layout::k_extent && Layout::rows % 8 == 0);

 public:
  __device__ word_loader(T const* first, index mn_stride, index k_stride, index mn_left,
                         operand_access how)
      : first_(first),
        mn_stride_(mn_stride),
        k_stride_(k_stride),
        rows_(mn_left < Layout::rows ? static_cast<int>(mn_left) : Layout::rows),
        is_k_major_(how == operand_access::k_major || how == operand_access::k_major_vec16) {}

  __device__ void issue(T* tile, int k_left, int part, int parts) const {
    if (k_left <= 0) return;
    unsigned const to = smem_address(tile);
#pragma unroll 4
    for (int pass = part; pass < passes; pass += parts) {
      int const element = static_cast<int>(threadIdx.x) + pass * Threads;
      int const lane = element % 32;
      int const group = element / 32;
      int const row = is_k_major_ ? group : group % (Layout::rows / 8) * 8 + lane % 8;
      int const k = is_k_major_ ? lane : group / (Layout::rows / 8) * 4 + lane / 8;
      bool const exists = row < rows_ && k < k_left;
      T const* const from = exists ? first_ + row * mn_stride_ + k * k_stride_ : first_;
      cp_async<4>(to + static_cast<unsigned>(Layout::byte_of(row, k) + k % 4 * 4), from,
                  exists ? 4 : 0);
    }
  }
  __device__ void advance() { first_ += Layout::k_extent * k_stride_; }

 private:
  T const* first_;
  index mn_stride_, k_stride_;
  int rows_;
  bool is_k_major_;
};

/// Gathers K-major tiles of any operand through registers.
template <class T, class Layout, int Threads>
class gathering_loader {
  static constexpr int elements = 16 / static_cast<int>(sizeof(T));
  static constexpr int vec16s_in_row = Layout::row_bytes / 16;
  static constexpr int vec16s = Layout::rows * vec16s_in_row;
  static_assert(Layout::is_k_major);

 public:
  __device__ gathering_loader(T const* first, index mn_stride, index k_stride, index mn_left,
                              operand_access)
      : first_(first),
        mn_stride_(mn_stride),
        k_stride_(k_stride),
        rows_(mn_left < Layout::rows ? static_cast<int>(mn_left) : Layout::rows) {}

  __device__ void issue(T* tile, int k_left, int part, int) const {
    if (part != 0 || k_left <= 0) return;
#pragma unroll 1
    for (int vec16 = static_cast<int>(threadIdx.x); vec16 < vec16s; vec16 += Threads) {
      // Coalesced: neighbouring threads take contiguous elements.
      int const row = k_stride_ == 1 ? vec16 / vec16s_in_row : vec16 % Layout::rows;
      int const offset = (k_stride_ == 1 ? vec16 % vec16s_in_row : vec16 / Layout::rows) * elements;
      *reinterpret_cast<uint4*>(reinterpret_cast<unsigned char*>(tile) +
                                Layout::byte_of(row, offset)) =
          gather_vec16(first_ + row * mn_stride_ + offset * k_stride_, k_stride_,
                       row < rows_ ? k_left - offset : 0);
    }
  }
  __device__ void advance() { first_ += Layout::k_extent * k_stride_; }

 private:
  T const* first_;
  index mn_stride_, k_stride_;
  int rows_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
