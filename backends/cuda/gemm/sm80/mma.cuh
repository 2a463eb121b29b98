// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Sums of gemm_tiles by mma.sync for float16, bfloat16 and 1-byte integers, of devices of
// capability 80 and up; sums are f32 or int32. Tiles stay in shared memory as the operand lies,
// along the depth or across it, in chunks of 16 bytes; ldmatrix turns what lies across.
#pragma once

#include <xpose/backends/cuda/gemm/block/mainloop.cuh>
#include <xpose/backends/cuda/gemm/sm80/swizzled_tiles.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A row of a table as constants for a kernel, and whether its tiles lie along the depth, as those
/// of a row that is not asynchronous always do.
template <class Table, int Config, class T, bool AKMajor, bool BKMajor>
struct swizzled_tile {
  static constexpr gemm_config row = Table::rows[Config];
  static constexpr int rows = row.rows;
  static constexpr int cols = row.cols;
  static constexpr int k_extent = row.k_extent;
  static constexpr int threads_of_k_slice = detail::threads_of_k_slice(row);
  static constexpr int threads = threads_of(row);
  static constexpr int stages = row.stages;
  template <int MN, bool IsKMajor>
  using layout = std::conditional_t<!row.is_async, k_major_gathered<T, MN, k_extent>,
                                    std::conditional_t<IsKMajor, k_major_swizzled<T, MN, k_extent>,
                                                       mn_major_swizzled<T, MN, k_extent>>>;
  template <class>
  using a_layout = layout<rows, AKMajor>;
  template <class>
  using b_layout = layout<cols, BKMajor>;
  template <class>
  static constexpr int shared_bytes = stages*(rows + cols) * k_extent* static_cast<int>(sizeof(T));
  template <class K>
  static constexpr int shared_elements = shared_bytes<K> / static_cast<int>(sizeof(K));
};

template <class T, int MN, int K_Extent, int Threads>
struct loader_of<T, k_major_swizzled<T, MN, K_Extent>, MN, K_Extent, Threads> {
  using type = vec16_loader<T, k_major_swizzled<T, MN, K_Extent>, Threads>;
};
template <class T, int MN, int K_Extent, int Threads>
struct loader_of<T, mn_major_swizzled<T, MN, K_Extent>, MN, K_Extent, Threads> {
  using type = vec16_loader<T, mn_major_swizzled<T, MN, K_Extent>, Threads>;
};
template <class T, int MN, int K_Extent, int Threads>
struct loader_of<T, k_major_gathered<T, MN, K_Extent>, MN, K_Extent, Threads> {
  using type = gathering_loader<T, k_major_gathered<T, MN, K_Extent>, Threads>;
};

/// Matrix l / 8 of four has its row l % 8, of 16 bytes, where thread l says; thread 4 g + t gets
/// word t of row g of each.
__device__ inline void ldmatrix_x4(unsigned (&to)[4], unsigned from) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from)
               : "memory");
#else
  int const lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int m = 0; m < 4; ++m) {
    unsigned const row = __shfl_sync(all_lanes, from, 8 * m + lane / 4);
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(to[m]) : "r"(row + lane % 4 * 4) : "memory");
  }
#endif
}
/// The same of matrices of 2-byte elements, transposed.
__device__ inline void ldmatrix_x4_trans(unsigned (&to)[4], unsigned from) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from)
               : "memory");
#else
  int const lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int m = 0; m < 4; ++m) {
    unsigned short pair[2];
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      unsigned const row = __shfl_sync(all_lanes, from, 8 * m + lane % 4 * 2 + e);
      asm volatile("ld.shared.u16 %0, [%1];" : "=h"(pair[e]) : "r"(row + lane / 4 * 2) : "memory");
    }
    to[m] = pair[0] | static_cast<unsigned>(pair[1]) << 16;
  }
#endif
}

/// mma_sync_16x8() for code below capability 80 (all_lanes).
template <class T, class K>
__device__ __noinline__ void mma_by_shuffles(K (&accumulators)[2][2], unsigned const (&a)[4],
                                             unsigned const (&b)[2]) {
  using bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>;
  constexpr int bits_of_element = 8 * static_cast<int>(sizeof(T));
  int const lane = static_cast<int>(threadIdx.x) % 32;
  for (int w = 0; w < 8; ++w)  // words of the depth
    for (int h = 0; h < 2; ++h) {
      unsigned const x = __shfl_sync(all_lanes, a[w / 4 * 2 + h], lane / 4 * 4 + w % 4);
      for (int c = 0; c < 2; ++c) {
        unsigned const y = __shfl_sync(all_lanes, b[w / 4], (lane % 4 * 2 + c) * 4 + w % 4);
        for (int bit = 0; bit < 32; bit += bits_of_element) {
          auto const p = static_cast<bits>(x >> bit), q = static_cast<bits>(y >> bit);
          accumulators[h][c] = plus_times{}.add(
              accumulators[h][c], plus_times{}.multiply(cast<K>{}(reinterpret_cast<T const&>(p)),
                                                        cast<K>{}(reinterpret_cast<T const&>(q))));
        }
      }
    }
}

/// sums += a (16 rows) b (8 columns), 32 bytes deep. Thread 4 g + t has word t of rows g and g + 8
/// of a, then the words 16 bytes on, and of column g of b; of the sums columns 2 t and 2 t + 1 of
/// rows g and g + 8.
template <class T, class K>
__device__ inline void mma_sync_16x8(K (&accumulators)[2][2], unsigned const (&a)[4],
                                     unsigned const (&b)[2]) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, float16>)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(accumulators[0][0]), "+f"(accumulators[0][1]), "+f"(accumulators[1][0]),
          "+f"(accumulators[1][1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else if constexpr (std::is_same_v<T, bfloat16>)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(accumulators[0][0]), "+f"(accumulators[0][1]), "+f"(accumulators[1][0]),
          "+f"(accumulators[1][1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else if constexpr (std::is_signed_v<T>)
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+r"(accumulators[0][0]), "+r"(accumulators[0][1]), "+r"(accumulators[1][0]),
          "+r"(accumulators[1][1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  else
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+r"(accumulators[0][0]), "+r"(accumulators[0][1]), "+r"(accumulators[1][0]),
          "+r"(accumulators[1][1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
  mma_by_shuffles<T>(accumulators, a, b);
#endif
}

/// Loads 16 neighbours across, 32 bytes deep: words[half][d] are those of neighbours g (half 0) or
/// g + 8, chunk d of the depth. Where 1-byte elements lie across, they are neighbours 2 g and
/// 2 g + 1: ldmatrix turns pairs of neighbours, in depths that are chosen so that one permutation
/// of bytes makes a word of a depth.
template <class T, class Layout>
class fragment_loader {
  static constexpr bool is_k_major = Layout::is_k_major;
  static constexpr bool transposes_bytes = !is_k_major && sizeof(T) == 1;
  static constexpr int bytes = sizeof(T);

 public:
  static constexpr int k_extent = 32 / bytes;
  static constexpr bool pairs = transposes_bytes;  // neighbours 2 g and 2 g + 1

  /// `first` is a multiple of what a warp takes, a power of two.
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

  /// Fragment f of the warp, at `step` times `depth`.
  __device__ void load(unsigned (&words)[2][2], unsigned tile, int f, int step) const {
    unsigned held[4];
    if constexpr (is_k_major) {
      ldmatrix_x4(held, tile + (static_cast<unsigned>(lane_) ^ static_cast<unsigned>(step * 32)) +
                            f * 16 * Layout::row_bytes);
    } else {
      unsigned const across = static_cast<unsigned>(f * 16 * bytes);
      ldmatrix_x4_trans(held, tile + (static_cast<unsigned>(lane_) ^ across) +
                                  step * k_extent * Layout::row_bytes);
    }
    if constexpr (transposes_bytes) {
#pragma unroll
      for (int d = 0; d < 2; ++d) {
        words[0][d] = __byte_perm(held[2 * d], held[2 * d + 1], 0x6420);
        words[1][d] = __byte_perm(held[2 * d], held[2 * d + 1], 0x7531);
      }
    } else {
#pragma unroll
      for (int m = 0; m < 4; ++m) words[m % 2][m / 2] = held[m];
    }
  }

 private:
  int lane_;
};

template <class Tile, class Problem>
class mma_sync_accumulators {
  using T = typename Problem::a_type;
  using K = typename Problem::accumulate_type;
  using a_layout = typename Tile::template a_layout<T>;
  using b_layout = typename Tile::template b_layout<T>;
  using a_loader = fragment_loader<T, a_layout>;
  using b_loader = fragment_loader<T, b_layout>;
  static constexpr gemm_config tile = Tile::row;
  static constexpr int row_fragments = tile.inner_rows / 16;
  static constexpr int col_fragments = tile.inner_cols / 16;  // of two products
  static constexpr int warp_cols = tile.cols / tile.inner_cols;

 public:
  using element = T;
  static constexpr int rows = 2 * row_fragments;
  static constexpr int cols = 4 * col_fragments;
  static constexpr int vector_rows = 1;
  static constexpr int vector_cols = b_loader::pairs ? 4 : 2;
  static constexpr int k_per_step = a_loader::k_extent;
  static constexpr int sets = tile.k_extent / tile.k_slices == k_per_step ? 1 : 2;
  static constexpr bool has_unpredicated_loop = false;

  __device__ explicit mma_sync_accumulators(Problem const&)
      : k_slice_(static_cast<int>(threadIdx.x) / Tile::threads_of_k_slice),
        first_row_(warp() / warp_cols * tile.inner_rows),
        first_col_(warp() % warp_cols * tile.inner_cols),
        load_a_(first_row_),
        load_b_(first_col_) {
    for (auto& row : acc_)
      for (auto& product : row)
        for (auto& line : product) line[0] = line[1] = K(0);
  }

  __device__ int k_slice() const { return tile.k_slices == 1 ? 0 : k_slice_; }
  __device__ int row_of(int r) const {
    int const group = static_cast<int>(threadIdx.x) % 32 / 4;
    return first_row_ + r / 2 * 16 + (a_loader::pairs ? group * 2 + r % 2 : group + r % 2 * 8);
  }
  /// Neighbours in memory are neighbours here: of pairs, a thread has four columns side by side.
  __device__ int col_of(int c) const {
    int const in_group = static_cast<int>(threadIdx.x) % 4;
    return first_col_ + c / 4 * 16 +
           (b_loader::pairs ? in_group * 4 + c % 4 : c / 2 % 2 * 8 + in_group * 2 + c % 2);
  }
  __device__ K value(int r, int c) const { return acc_[r / 2][product_of(c)][r % 2][lane_of(c)]; }
  __device__ void set(int r, int c, K sum) { acc_[r / 2][product_of(c)][r % 2][lane_of(c)] = sum; }

  template <int Set>
  __device__ void load(T const* a_tile, T const* b_tile, int step) {
    int const at = k_slice() * (tile.k_extent / tile.k_slices / k_per_step) + step;
    unsigned const a = static_cast<unsigned>(__cvta_generic_to_shared(a_tile));
    unsigned const b = static_cast<unsigned>(__cvta_generic_to_shared(b_tile));
#pragma unroll
    for (int f = 0; f < row_fragments; ++f) load_a_.load(a_[Set][f], a, f, at);
#pragma unroll
    for (int f = 0; f < col_fragments; ++f) load_b_.load(b_[Set][f], b, f, at);
  }

  /// Up one column of products and down the next: neighbours share an operand.
  template <int Set>
  __device__ void multiply(Problem const&) {
#pragma unroll
    for (int c = 0; c < 2 * col_fragments; ++c)
#pragma unroll
      for (int i = 0; i < row_fragments; ++i) {
        int const r = c % 2 == 0 ? i : row_fragments - 1 - i;
        auto const& a = a_[Set][r];
        mma_sync_16x8<T>(acc_[r][c], {a[0][0], a[1][0], a[0][1], a[1][1]}, b_[Set][c / 2][c % 2]);
      }
  }

 private:
  static __device__ int warp() {
    return static_cast<int>(threadIdx.x) % Tile::threads_of_k_slice / 32;
  }
  static constexpr __device__ int product_of(int c) {
    return c / 4 * 2 + (b_loader::pairs ? c % 2 : c / 2 % 2);
  }
  static constexpr __device__ int lane_of(int c) {
    return b_loader::pairs ? c / 2 % 2 : c % 2;
  }

  int k_slice_;
  int first_row_;
  int first_col_;
  a_loader load_a_;
  b_loader load_b_;
  K acc_[row_fragments][2 * col_fragments][2][2];
  unsigned a_[sets][row_fragments][2][2];  // [half][chunk of the depth]
  unsigned b_[sets][col_fragments][2][2];
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
