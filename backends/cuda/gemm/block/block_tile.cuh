// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a block of gemm computes: the grid, the block tile as compile-time constants, the
// coordinates of a block's tile of C, and how blocks read A and B and write C.
#pragma once

#include <xpose/backends/core/problems/gemm_problem.hpp>
#include <xpose/backends/cuda/gemm/block/load_tiles.cuh>
#include <xpose/backends/cuda/gemm/config/config.hpp>
#include <xpose/backends/cuda/runtime/plain_number.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// How a thread stores C: by elements, or by vectors of up to 16 bytes of its rows or columns.
enum class c_access : int { scalar, row_vectors, col_vectors };

/// A launch that the device may call off. It runs if there is no flag, or if the flag is zero
/// (for_zero) or not zero (!for_zero).
struct gemm_condition {
  int const* flag = nullptr;
  bool for_zero = false;

  __device__ bool holds() const { return flag == nullptr || (*flag == 0) == for_zero; }
};

/// The grid and how operands are accessed: the same for all blocks of a launch.
struct gemm_grid {
  index first_batch;
  unsigned row_tiles, col_tiles, split_k;
  bool splits_in_cluster;  // the blocks of a tile's splits are a cluster, else tiles apart
  // Binary logarithms of a multicast_cluster's rows and columns; tiles are numbered cluster by
  // cluster. Divisors would be prepared ahead of the loop over tiles, and held in registers.
  unsigned log_cluster_rows, log_cluster_cols;
  index k_per_split;
  operand_access a, b;
  c_access c;
  bool shifts_rows;  // whether the last row of tiles is shifted_inside() C
  bool shifts_cols;
  void* partials;  // [batch][split][row][partials_pitch(cols)]; null where kernels store C
  gemm_condition condition;
};

/// A config as constants for a kernel.
template <class Table, int Config>
struct block_tile {
  static constexpr gemm_config config = Table::configs[Config];
  static constexpr int rows = config.block_rows;
  static constexpr int cols = config.block_cols;
  static constexpr int k_extent = config.block_k;
  static constexpr int threads_of_k_slice = detail::threads_of_k_slice(config);
  static constexpr int threads = threads_of(config);
  template <class K>
  static constexpr int stages = config.stages;
  template <class>
  static constexpr int shared_bytes = 0;  // of dynamic size
};

/// With padded tiles of A and B in shared memory, K-major or MN-major; SIMT has MN-major ones of
/// K-major operands too.
template <class Table, int Config, bool AKMajor = false, bool BKMajor = false>
struct padded_tile : block_tile<Table, Config> {
  using base = block_tile<Table, Config>;
  static constexpr bool both_mn_major = !AKMajor && !BKMajor;
  static constexpr int pad = base::config.kind == gemm_kernel_kind::complex_dmma ? 2 : 4;
  // f64 128x64 would spill 48 bytes.
  static constexpr bool hides_k = base::config.kind == gemm_kernel_kind::dmma && !AKMajor &&
                                  BKMajor &&
                                  base::config.inner_rows * base::config.inner_cols > 1024;
  template <class K, int MN, bool IsKMajor>
  using layout = std::conditional_t<IsKMajor && base::config.kind != gemm_kernel_kind::simt,
                                    k_major_tile<K, MN, base::k_extent>,
                                    mn_major_tile<K, MN, base::k_extent, pad, IsKMajor, hides_k>>;
  template <class K>
  using a_layout = layout<K, base::rows, AKMajor>;
  template <class K>
  using b_layout = layout<K, base::cols, BKMajor>;
  // K-major tiles take more shared memory: with a stage less, they leave room for as many blocks.
  template <class K>
  static constexpr int stages = [] {
    constexpr int of_multiprocessor = 228 << 10, of_each_block = 1 << 10;
    constexpr int most = of_multiprocessor / base::config.resident_blocks - of_each_block;
    constexpr int stage =
        (a_layout<K>::elements + b_layout<K>::elements) * static_cast<int>(sizeof(K));
    bool const has_spare = base::config.kind != gemm_kernel_kind::simt && base::config.stages > 3;
    return base::config.stages - (has_spare && base::config.stages * stage > most ? 1 : 0);
  }();
  template <class K>
  static constexpr int shared_elements = stages<K>*(a_layout<K>::elements + b_layout<K>::elements);
  template <class K>
  static constexpr int shared_bytes = shared_elements<K>* static_cast<int>(sizeof(K));
};

/// The loader of a layout.
template <class K, class Layout, int MN, int TileK, int Threads, bool RepeatsElements = false>
struct loader_of {
  using type = mn_major_loader<K, MN, TileK, Layout::pitch, Threads, RepeatsElements, false,
                               Layout::hides_k>;
};
template <class K, int MN, int TileK, int Pad, int Threads>
struct loader_of<K, mn_major_tile<K, MN, TileK, Pad, true>, MN, TileK, Threads> {
  using type = mn_major_loader<K, MN, TileK, MN + Pad, Threads, false, true>;
};
template <class K, int MN, int TileK, int Threads>
struct loader_of<K, k_major_tile<K, MN, TileK>, MN, TileK, Threads> {
  using type = k_major_loader<K, MN, TileK, Threads>;
};

/// Whether cp.async can copy the operands' elements, if they are aligned to their size. Elements
/// are then conjugated where they are used.
template <class Problem>
constexpr bool can_cp_async = [] {
  using K = typename Problem::accumulate_type;
  return std::is_same_v<typename Problem::a_type, K> &&
         std::is_same_v<typename Problem::b_type, K> && std::is_trivially_copyable_v<K> &&
         (sizeof(K) == 4 || sizeof(K) == 8 || sizeof(K) == 16);
}();

/// Whether a user's code accumulates. It may see elements of A and B and zero() alone.
template <class Problem>
constexpr bool calls_user_code =
    !is_plain_number<typename Problem::accumulate_type> ||
    semiring_id_of<typename Problem::semiring_type>() == semiring_id::user;

/// Whether zeros beyond the end of k leave accumulators as they are.
template <class Problem>
constexpr bool zeros_are_neutral = std::is_same_v<typename Problem::semiring_type, plus_times>&&
    is_plain_number<typename Problem::accumulate_type>;

/// Whether a SIMT config has a kernel for each layout of A and B: larger tiles of the library's
/// floating-point types that no tensor core multiplies in full. 4096x4096x4096 of f32 row by row
/// takes 2.68 ms, and 2.80 where a loader asks for the layout; complex f32 3072x3072x3072 4.47
/// and 5.06 ms (H100, 2026-11-25). Tiles that stay K-major, with fragments of pairs along k,
/// took 3.32 ms.
template <class Problem>
constexpr bool knows_layouts_of_simt(gemm_config const& config) {
  using K = typename Problem::accumulate_type;
  constexpr int least_bytes = 16 << 10;  // of a tile of accumulators
  return zeros_are_neutral<Problem> && can_cp_async<Problem> && config.uses_cp_async &&
         (std::is_same_v<K, float> || std::is_same_v<K, complex_value<float>>)&&config.block_rows *
                 config.block_cols * static_cast<int>(sizeof(K)) >=
             least_bytes;
}

/// Complex accumulators multiply in an order of their own.
template <class Problem>
constexpr bool has_complex_accumulators =
    zeros_are_neutral<Problem> && !std::is_arithmetic_v<typename Problem::accumulate_type>;

template <class T>
constexpr int elements_of_vec16 = [] {
  constexpr int bytes = sizeof(T);
  return std::is_trivially_copyable_v<T> && bytes <= 16 && (bytes & (bytes - 1)) == 0 ? 16 / bytes
                                                                                      : 1;
}();

/// Elements that one instruction loads or stores.
template <class T, int Count, int Alignment = Count == 1 ? alignof(T) : sizeof(T) * Count>
struct alignas(Alignment) element_group {
  T elements[Count];
  __device__ T& operator[](int e) { return elements[e]; }
};
/// Elements of a vec16 that are aligned to less, such as std::complex of double: the compiler takes
/// two instructions for one.
template <class T>
constexpr bool is_loose_vec16 =
    sizeof(T) == 16 &&
    alignof(T) < 16 && std::is_trivially_copyable_v<T>&& std::is_default_constructible_v<T>;

/// element_group where the addresses of such elements are multiples of 16, too.
template <class T, int Count>
using aligned_group =
    element_group<T, Count, is_loose_vec16<T> ? 16 : alignof(element_group<T, Count>)>;

/// First row and column of a tile of C.
struct gemm_tile_coordinates {
  index row, col;
  int overlap_rows = 0;  // its first rows that the tile above writes, if it was shifted
  int overlap_cols = 0;
};
template <class Tile>
__device__ inline gemm_tile_coordinates coordinates_of_tile(unsigned tile, gemm_grid const& grid) {
  raster_tile at;
  if constexpr (is_wgmma(Tile::config)) {
    unsigned const down = grid.log_cluster_rows;
    unsigned const across = grid.log_cluster_cols;
    unsigned const block = tile & ((1u << (down + across)) - 1);
    at = rasterized_tile(tile >> (down + across), grid.row_tiles >> down, grid.col_tiles >> across,
                         raster_group_rows(Tile::config.kind, grid.row_tiles) >> down);
    at = {(at.row << down) + (block & ((1u << down) - 1)), (at.col << across) + (block >> down)};
    return {static_cast<index>(at.row * Tile::rows), static_cast<index>(at.col * Tile::cols)};
  } else {
    at = rasterized_tile(tile, grid.row_tiles, grid.col_tiles,
                         raster_group_rows(Tile::config.kind, grid.row_tiles));
  }
  return {static_cast<index>(at.row) * Tile::rows, static_cast<index>(at.col) * Tile::cols};
}

/// Shifts the last tiles back inside C, so that they load without predicates as all others do:
/// predicated ones held up 1000x1000x1000 of double by a fifth (H100, 2026-11-22).
template <class Tile, class Problem>
__device__ inline gemm_tile_coordinates shifted_inside(gemm_tile_coordinates coordinates,
                                                       Problem const& problem,
                                                       gemm_grid const& grid) {
  auto const shift = [](index& first, int& overlap, index last) {
    if (last < 0 || first <= last) return;
    overlap = static_cast<int>(first - last);
    first = last;
  };
  if (grid.shifts_rows) shift(coordinates.row, coordinates.overlap_rows, problem.rows - Tile::rows);
  if (grid.shifts_cols) shift(coordinates.col, coordinates.overlap_cols, problem.cols - Tile::cols);
  return coordinates;
}

/// What a block computes: a tile of one C of the batch, over its part of k.
struct work_tile {
  index batch;
  unsigned split_index;
  gemm_tile_coordinates coordinates;
  index k_begin, k_extent;
};
template <class Tile, class Problem>
__device__ inline work_tile work_tile_of(Problem const& problem, gemm_grid const& grid,
                                         unsigned block) {
  unsigned const tiles = grid.row_tiles * grid.col_tiles;
  unsigned matrix = block / tiles;
  unsigned tile = block - matrix * tiles;
  unsigned split_index = matrix % grid.split_k;
  matrix /= grid.split_k;
  if (can_split_in_cluster(Tile::config, Tile::cols) && grid.splits_in_cluster) {
    split_index = block % grid.split_k;
    tile = block / grid.split_k;
    matrix = tile / tiles;
    tile -= matrix * tiles;
  }
  index const k_begin = split_index * grid.k_per_split;
  index const left = problem.k_extent - k_begin;
  return {grid.first_batch + matrix, split_index, coordinates_of_tile<Tile>(tile, grid), k_begin,
          left < grid.k_per_split ? left : grid.k_per_split};
}

/// How many of a tile's rows (columns), from `first` on, lie inside `extent`; 2^30 at most.
__device__ inline int inside_tile(index extent, index first) {
  constexpr index most = index{1} << 30;
  return static_cast<int>(extent - first < most ? extent - first : most);
}

/// Whether all vectors of `width` elements along the unit stride are aligned to their size.
inline bool has_aligned_vectors(void const* data, index bytes_of_element, int width, index batch,
                                index batch_stride, index unit_stride, index other_stride) {
  index const bytes = bytes_of_element * width;
  return unit_stride == 1 && reinterpret_cast<std::uintptr_t>(data) % bytes == 0 &&
         other_stride % width == 0 && (batch == 1 || batch_stride % width == 0);
}

/// An operand whose extent that is not k (rows of A, columns of B) is called MN.
template <class T>
struct mn_operand {
  T* data;
  index batch, mn, k_extent;
  index batch_stride, mn_stride, k_stride;
};
template <class Problem>
auto operand_a(Problem const& p) {
  return mn_operand<typename Problem::a_type const>{
      p.a.data, p.batch, p.rows, p.k_extent, p.a.batch_stride, p.a.row_stride, p.a.col_stride};
}
template <class Problem>
auto operand_b(Problem const& p) {
  return mn_operand<typename Problem::b_type const>{
      p.b.data, p.batch, p.cols, p.k_extent, p.b.batch_stride, p.b.col_stride, p.b.row_stride};
}

template <class T>
operand_access access_of(mn_operand<T> const& o) {
  if constexpr ((elements_of_vec16<std::remove_cv_t<T>>) > 1 || sizeof(T) == 16) {
    auto const is_aligned = [&](index unit_stride, index other_stride) {
      return has_aligned_vectors(o.data, sizeof(T), 16 / sizeof(T), o.batch, o.batch_stride,
                                 unit_stride, other_stride);
    };
    if (is_aligned(o.mn_stride, o.k_stride)) return operand_access::mn_major_vec16;
    if (is_aligned(o.k_stride, o.mn_stride)) return operand_access::k_major_vec16;
  }
  return o.k_stride == 1 ? operand_access::k_major : operand_access::mn_major;
}

/// Whether tiles of an operand of 1- or 2-byte elements are K-major: unless it is MN-major, and
/// better copied in that order.
template <class T>
bool prefers_k_major(mn_operand<T> const& o) {
  operand_access const how = access_of(o);
  return how == operand_access::k_major_vec16 ||
         (how != operand_access::mn_major_vec16 && (o.k_stride == 1 || o.mn_stride != 1));
}

/// How C is written by threads that hold vectors of at least vector_rows x vector_cols
/// accumulators.
template <class Problem>
c_access c_access_of(Problem const& p, int vector_rows, int vector_cols) {
  using C = typename Problem::c_type;
  auto const fits = [&](index extent, int vector, index unit_stride, index other_stride) {
    int const width = std::min(vector, elements_of_vec16<C>);
    return extent % width == 0 && has_aligned_vectors(p.c.data, sizeof(C), width, p.batch,
                                                      p.c.batch_stride, unit_stride, other_stride);
  };
  if (fits(p.cols, vector_cols, p.c.col_stride, p.c.row_stride)) return c_access::row_vectors;
  if (fits(p.rows, vector_rows, p.c.row_stride, p.c.col_stride)) return c_access::col_vectors;
  return c_access::scalar;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
