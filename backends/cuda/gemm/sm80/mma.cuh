// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// float16, bfloat16, tf32 and 1-byte integers on tensor cores by mma.sync (capability 80),
// accumulated in f32 or int32: accumulators for the main loop of gemm/block/mainloop.cuh. Tiles
// stay K-major or MN-major in shared memory, swizzled; ldmatrix transposes what is MN-major. Those
// of tf32 are K-major.
#pragma once

#include <xpose/backends/cuda/gemm/block/mainloop.cuh>
#include <xpose/backends/cuda/gemm/sm80/swizzled_tiles.cuh>
#include <xpose/backends/cuda/ptx/mma_sync.cuh>
#include <xpose/backends/cuda/ptx/shared_memory.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A config with swizzled tiles of A and B, K-major or MN-major. Those of a config without cp.async
/// and of 4-byte elements are always K-major; of these, AKMajor says that A has vec16s along k.
template <class Table, int Config, class T, bool AKMajor, bool BKMajor>
struct swizzled_tile : block_tile<Table, Config> {
  using base = block_tile<Table, Config>;
  static constexpr int k_extent = base::k_extent;
  template <int MN, bool IsKMajor>
  using copied_layout =
      std::conditional_t<sizeof(T) == 4 && !IsKMajor, k_major_words<T, MN, k_extent>,
                         ldmatrix_layout<T, MN, k_extent, IsKMajor>>;
  template <int MN, bool IsKMajor>
  using layout = std::conditional_t<base::config.uses_cp_async, copied_layout<MN, IsKMajor>,
                                    k_major_gathered<T, MN, k_extent>>;
  template <class>
  using a_layout = layout<base::rows, AKMajor>;
  template <class>
  using b_layout = layout<base::cols, BKMajor>;
  template <class>
  static constexpr int shared_bytes =
      base::config.stages*(base::rows + base::cols) * k_extent* static_cast<int>(sizeof(T));
  template <class K>
  static constexpr int shared_elements = shared_bytes<K> / static_cast<int>(sizeof(K));
};

template <class T, int MN, int TileK, int Threads, bool IsKMajor>
struct loader_of<T, ldmatrix_layout<T, MN, TileK, IsKMajor>, MN, TileK, Threads> {
  using type = vec16_loader<T, ldmatrix_layout<T, MN, TileK, IsKMajor>, Threads>;
};
template <class T, int MN, int TileK, int Threads>
struct loader_of<T, k_major_words<T, MN, TileK>, MN, TileK, Threads> {
  using type = word_loader<T, k_major_words<T, MN, TileK>, Threads>;
};
template <class T, int MN, int TileK, int Threads>
struct loader_of<T, k_major_gathered<T, MN, TileK>, MN, TileK, Threads> {
  using type = gathering_loader<T, k_major_gathered<T, MN, TileK>, Threads>;
};

/// Loads a fragment of 16 rows of A (columns of B) and 32 bytes of k by one ldmatrix:
/// words[half][d] is this thread's word of row g (half 0) or g + 8, vec16 d along k. MN-major
/// 1-byte elements give rows 2 g and 2 g + 1 instead: ldmatrix transposes pairs of bytes, and the k
/// of its matrices are chosen so that one byte permutation makes a word along k.
template <class T, class Layout>
class fragment_loader {
  static constexpr bool is_k_major = Layout::is_k_major;
  static constexpr bool transposes_bytes = !is_k_major && sizeof(T) == 1;
  static constexpr int bytes = sizeof(T);

 public:
  static constexpr int k_extent = 32 / bytes;
  static constexpr bool pairs = transposes_bytes;  // rows 2 g and 2 g + 1, not g and g + 8

  /// `first` row in the tile: a multiple of the warp tile's, a power of two.
  __device__ explicit fragment_loader(int first) {
    int const lane = static_cast<int>(threadIdx.x) % 32;
    int const row = lane % 8;
    int const half = lane / 8 % 2;
    int const vec16 = lane / 16;
    if constexpr (is_k_major) lane_ = Layout::byte_of(first + row + half * 8, vec16 * (16 / bytes));
    else if constexpr (transposes_bytes)
      lane_ = Layout::byte_of(first, row / 2 * 4 + row % 2 + half * 2 + vec16 * 16);
    else lane_ = Layout::byte_of(first + half * 8, row + vec16 * 8);
  }

  /// Fragment f of the warp, step `step` along k.
  __device__ void load(unsigned (&words)[2][2], unsigned tile, int f, int step) const {
    unsigned held[4];
    if constexpr (is_k_major) {
      ldmatrix_x4<false>(held,
                         tile + (static_cast<unsigned>(lane_) ^ static_cast<unsigned>(step * 32)) +
                             f * 16 * Layout::row_bytes);
    } else {
      unsigned const mn = static_cast<unsigned>(f * 16 * bytes);
      ldmatrix_x4<true>(
          held, tile + (static_cast<unsigned>(lane_) ^ mn) + step * k_extent * Layout::row_bytes);
    }
    if constexpr (transposes_bytes) {
#pragma unroll
      for (int d = 0; d < 2; ++d) {
        words[0][d] = __byte_perm(held[2 * d], held[2 * d + 1], 0x6420);
        words[1][d] = __byte_perm(held[2 * d], held[2 * d + 1], 0x7531);
      }
    } else {
#pragma unroll
      for (int m = 0; m < 4; ++m)
        if constexpr (std::is_same_v<T, tf32_element>) words[m % 2][m / 2] = as_tf32(held[m]);
        else words[m % 2][m / 2] = held[m];
    }
  }

 private:
  int lane_;
};

/// A thread's position in the block tile.
template <class Tile>
class mma_lane {
 public:
  __device__ mma_lane() {
    int const thread = static_cast<int>(threadIdx.x) % Tile::threads_of_k_slice;
    k_slice_ = static_cast<int>(threadIdx.x) / Tile::threads_of_k_slice;
    group_ = thread % 32 / 4;
    in_group_ = thread % 4;
    // Of lane 0, so that the compiler knows it to be the warp's, and needs no register of a thread.
    int const warp = __shfl_sync(0xFFFFFFFFu, thread / 32, 0);
    first_row_ = warp / warp_cols * config.inner_rows;
    first_col_ = warp % warp_cols * config.inner_cols;
  }
  __device__ int k_slice() const { return config.k_slices == 1 ? 0 : k_slice_; }
  /// Of the warp's tile, in the block's.
  __device__ int first_row() const { return first_row_; }
  __device__ int first_col() const { return first_col_; }

 protected:
  static constexpr gemm_config config = Tile::config;
  static constexpr int warp_cols = config.block_cols / config.inner_cols;

  int k_slice_, group_, in_group_, first_row_;
  int first_col_;
};

template <class Tile, class Problem>
class mma_sync_accumulators : public mma_lane<Tile> {
  using T = typename Problem::a_type;
  using K = typename Problem::accumulate_type;
  using a_layout = typename Tile::template a_layout<T>;
  using b_layout = typename Tile::template b_layout<T>;
  using a_loader = fragment_loader<T, a_layout>;
  using b_loader = fragment_loader<T, b_layout>;
  static constexpr gemm_config config = Tile::config;
  static constexpr int row_fragments = config.inner_rows / 16;
  static constexpr int col_fragments = config.inner_cols / 16;  // of two products each

 public:
  using element = T;
  static constexpr int rows = 2 * row_fragments;
  static constexpr int cols = 4 * col_fragments;
  static constexpr int vector_rows = 1;
  static constexpr int vector_cols = b_loader::pairs ? 4 : 2;
  static constexpr int fragment_rows = 16;
  static constexpr int fragment_cols = config.inner_cols;
  static constexpr int k_per_step = a_loader::k_extent;
  static constexpr int buffers = config.block_k / config.k_slices == k_per_step ? 1 : 2;
  static constexpr bool has_unpredicated_loop = false;
  static constexpr bool can_end_early = false;

  __device__ explicit mma_sync_accumulators(Problem const&)
      : load_a_(this->first_row_), load_b_(this->first_col_) {
    for (auto& row : acc_)
      for (auto& product : row)
        for (auto& pair : product) pair[0] = pair[1] = K(0);
  }

  __device__ int row_of(int r) const {
    int const group = static_cast<int>(threadIdx.x) % 32 / 4;
    return this->first_row_ + r / 2 * 16 +
           (a_loader::pairs ? group * 2 + r % 2 : group + r % 2 * 8);
  }
  /// With pairs a thread has four neighbouring columns, else two.
  __device__ int col_of(int c) const {
    int const in_group = static_cast<int>(threadIdx.x) % 4;
    return this->first_col_ + c / 4 * 16 +
           (b_loader::pairs ? in_group * 4 + c % 4 : c / 2 % 2 * 8 + in_group * 2 + c % 2);
  }
  __device__ K value(int r, int c) const {
    return acc_[r / 2][product_of(c)][r % 2][element_of(c)];
  }
  __device__ void set(int r, int c, K sum) {
    acc_[r / 2][product_of(c)][r % 2][element_of(c)] = sum;
  }

  template <int Buffer>
  __device__ void load(T const* a_tile, T const* b_tile, int step) {
    int const at = this->k_slice() * (config.block_k / config.k_slices / k_per_step) + step;
    unsigned const a = smem_address(a_tile);
    unsigned const b = smem_address(b_tile);
#pragma unroll
    for (int f = 0; f < row_fragments; ++f) load_a_.load(a_[Buffer][f], a, f, at);
#pragma unroll
    for (int f = 0; f < col_fragments; ++f) load_b_.load(b_[Buffer][f], b, f, at);
  }

  /// Up one column of fragments and down the next: consecutive products share an operand.
  template <int Buffer>
  __device__ void multiply(Problem const&) {
#pragma unroll
    for (int c = 0; c < 2 * col_fragments; ++c)
#pragma unroll
      for (int i = 0; i < row_fragments; ++i) {
        int const r = c % 2 == 0 ? i : row_fragments - 1 - i;
        auto const& a = a_[Buffer][r];
        mma_m16n8<T>(acc_[r][c], {a[0][0], a[1][0], a[0][1], a[1][1]}, b_[Buffer][c / 2][c % 2]);
      }
  }

 private:
  static constexpr __device__ int product_of(int c) {
    return c / 4 * 2 + (b_loader::pairs ? c % 2 : c / 2 % 2);
  }
  static constexpr __device__ int element_of(int c) { return b_loader::pairs ? c / 2 % 2 : c % 2; }

  a_loader load_a_;
  b_loader load_b_;
  K acc_[row_fragments][2 * col_fragments][2][2];
  unsigned a_[buffers][row_fragments][2][2];  // [half][vec16 along k]
  unsigned b_[buffers][col_fragments][2][2];
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
