// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a block of gemm computes, and how it writes it: the grid, the places of tiles, and the way
// from a thread's sums to C, or to the workspace of splits.
#pragma once

#include <xpose/backends/core/problems/gemm_problem.hpp>
#include <xpose/backends/cuda/gemm/block/load_tiles.cuh>
#include <xpose/backends/cuda/gemm/config/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Which neighbours of C a thread stores at once, up to 16 bytes.
enum class c_access : int { scalar, row_vectors, col_vectors };

/// A launch that the device may call off: it runs where there is no flag, or the flag is zero, or
/// where it is not, as `for_zero` says.
struct gemm_condition {
  int const* flag = nullptr;
  bool for_zero = false;

  __device__ bool holds() const { return flag == nullptr || (*flag == 0) == for_zero; }
};

/// The grid and the layouts, the same for all blocks of a launch.
struct gemm_grid {
  index first_batch;
  unsigned row_tiles;
  unsigned col_tiles;
  unsigned split_k;
  index k_per_split;
  operand_access a;
  operand_access b;
  c_access c;
  bool shifts_rows;  // of the last tiles: see shifted_inside
  bool shifts_cols;
  void* partials;  // sums of the splits: [batch][split][row][pitch of cols]; null for one split
  gemm_condition condition;
};

/// Sums of a split have rows of whole vectors.
XPOSE_HOST_DEVICE constexpr index partials_pitch(index cols) {
  return (cols + 3) / 4 * 4;
}

/// A row of a table as constants for a kernel, and whether its tiles of A and B lie along the
/// depth.
template <class Table, int Config, bool AKMajor = false, bool BKMajor = false>
struct padded_tile {
  static constexpr gemm_config row = Table::rows[Config];
  static constexpr int rows = row.rows;
  static constexpr int cols = row.cols;
  static constexpr int k_extent = row.k_extent;
  static constexpr int threads_of_k_slice = detail::threads_of_k_slice(row);
  static constexpr int threads = threads_of(row);
  static constexpr int stages = row.stages;
  static constexpr bool both_mn_major = !AKMajor && !BKMajor;
  static constexpr int pad = row.kind == gemm_kernel_kind::complex_dmma ? 2 : 4;
  template <class K, int MN, bool IsKMajor>
  using layout = std::conditional_t<IsKMajor, k_major_tile<K, MN, k_extent>,
                                    mn_major_tile<K, MN, k_extent, pad>>;
  template <class K>
  using a_layout = layout<K, rows, AKMajor>;
  template <class K>
  using b_layout = layout<K, cols, BKMajor>;
  template <class K>
  static constexpr int shared_elements = stages*(a_layout<K>::elements + b_layout<K>::elements);
  template <class K>
  static constexpr int shared_bytes = shared_elements<K>* static_cast<int>(sizeof(K));
};

/// What copies tiles of `Across` to a layout.
template <class K, class Layout, int MN, int K_Extent, int Threads, bool RepeatsElements = false>
struct loader_of {
  using type = mn_major_loader<K, MN, K_Extent, Layout::pitch, Threads, RepeatsElements>;
};
template <class K, int MN, int K_Extent, int Threads>
struct loader_of<K, k_major_tile<K, MN, K_Extent>, MN, K_Extent, Threads> {
  using type = k_major_loader<K, MN, K_Extent, Threads>;
};

template <class K>
constexpr bool is_plain_number = std::is_arithmetic_v<K>;
template <class R>
constexpr bool is_plain_number<complex_value<R>> = true;

/// Operands whose elements can be copied as they are, if they are aligned to their size; conjugates
/// are then made where elements are used.
template <class Problem>
constexpr bool can_read_async = [] {
  using K = typename Problem::accumulate_type;
  return std::is_same_v<typename Problem::a_type, K> &&
         std::is_same_v<typename Problem::b_type, K> && std::is_trivially_copyable_v<K> &&
         (sizeof(K) == 4 || sizeof(K) == 8 || sizeof(K) == 16);
}();

/// Whether sums are made by code of a user's, which sees elements of A and B and zero() alone.
template <class Problem>
constexpr bool calls_user_code =
    !is_plain_number<typename Problem::accumulate_type> ||
    semiring_id_of<typename Problem::semiring_type>() == semiring_id::user;

/// Whether zeros beyond the depth leave sums as they are.
template <class Problem>
constexpr bool zeros_are_neutral = std::is_same_v<typename Problem::semiring_type, plus_times>&&
    is_plain_number<typename Problem::accumulate_type>;

template <class T>
constexpr int elements_of_vec16 = [] {
  constexpr int bytes = sizeof(T);
  return std::is_trivially_copyable_v<T> && bytes <= 16 && (bytes & (bytes - 1)) == 0 ? 16 / bytes
                                                                                      : 1;
}();

/// Elements that are loaded and stored at once.
template <class T, int Count>
struct alignas(Count == 1 ? alignof(T) : sizeof(T) * Count) element_group {
  T elements[Count];
  __device__ T& operator[](int e) { return elements[e]; }
};

/// Place of a tile in C.
struct tile_coordinates {
  index row;
  index col;
  int overlap_rows = 0;  // the first ones, which other tiles have too, and write
  int overlap_cols = 0;
};
template <class Tile>
__device__ inline tile_coordinates coordinates_of_tile(unsigned tile, gemm_grid const& grid) {
  raster_tile const at = rasterized_tile(tile, grid.row_tiles, grid.col_tiles,
                                         raster_group_rows(Tile::row.kind, grid.row_tiles));
  return {static_cast<index>(at.row) * Tile::rows, static_cast<index>(at.col) * Tile::cols};
}

/// The place of a last tile moved back to where nothing cuts it, so that it is copied as all others
/// are: those that were cut held up 1000x1000x1000 of double by a fifth (H100, 2026-11-22).
template <class Tile, class Problem>
__device__ inline tile_coordinates shifted_inside(tile_coordinates coordinates,
                                                  Problem const& problem, gemm_grid const& grid) {
  auto const move = [](index& first, int& of_others, index last) {
    if (last < 0 || first <= last) return;
    of_others = static_cast<int>(first - last);
    first = last;
  };
  if (grid.shifts_rows) move(coordinates.row, coordinates.overlap_rows, problem.rows - Tile::rows);
  if (grid.shifts_cols) move(coordinates.col, coordinates.overlap_cols, problem.cols - Tile::cols);
  return coordinates;
}

/// What a block computes: a tile of a matrix of the batch, over its part of the depth.
struct work_tile {
  index batch;
  unsigned split_index;
  tile_coordinates coordinates;
  index k_begin;
  index k_extent;
};
template <class Tile, class Problem>
__device__ inline work_tile work_tile_of(Problem const& problem, gemm_grid const& grid,
                                         unsigned block) {
  unsigned const tiles = grid.row_tiles * grid.col_tiles;
  unsigned const matrix = block / tiles;
  unsigned const split_index = matrix % grid.split_k;
  index const k_begin = split_index * grid.k_per_split;
  index const left = problem.k_extent - k_begin;
  return {grid.first_batch + matrix / grid.split_k, split_index,
          coordinates_of_tile<Tile>(block - matrix * tiles, grid), k_begin,
          left < grid.k_per_split ? left : grid.k_per_split};
}

/// What of a tile lies inside a matrix of so many rows or columns.
__device__ inline int inside_tile(index extent, index first) {
  constexpr index most = index{1} << 30;
  return static_cast<int>(extent - first < most ? extent - first : most);
}

/// alpha and beta as results are written with: a number is multiplied by one rather than asked for
/// it. Not so complex ones, where an infinite part would become NaN.
template <class Problem>
__device__ inline auto scalars_of(Problem const& problem) {
  using K = typename Problem::accumulate_type;
  auto known = problem.scalars;
  if constexpr (zeros_are_neutral<Problem> && std::is_arithmetic_v<K>) {
    if (known.alpha_is_one) known.alpha = K(1);
    known.alpha_is_one = false;
  }
  return known;
}

/// Scales, adds beta C and stores; `Along` rows or cols of neighbours at once. A thread runs
/// through this code once, and it has to be read for that: few instructions an element matter more
/// than which. Whether there is a beta is decided before the loops.
template <class Accumulators, class Problem>
class epilogue_writer {
  using C = typename Problem::c_type;
  using scalars = gemm_scalars<typename Problem::accumulate_type>;

 public:
  __device__ epilogue_writer(Accumulators const& accumulators, Problem const& problem, index batch,
                             tile_coordinates coordinates)
      : acc_(accumulators),
        problem_(problem),
        coordinates_(coordinates),
        first_(&problem.c.at(batch, coordinates.row, coordinates.col)),
        rows_left_(inside_tile(problem.rows, coordinates.row)),
        cols_left_(inside_tile(problem.cols, coordinates.col)) {}

  __device__ void write(c_access how) const {
    if (how == c_access::row_vectors) write_row_vectors();
    else if (how == c_access::col_vectors)
      write_groups<least_of(Accumulators::vector_rows, elements_of_vec16<C>), 1>(
          problem_.c.col_stride);
    else write_scalars();
  }
  __device__ void write_row_vectors() const {
    write_groups<1, least_of(Accumulators::vector_cols, elements_of_vec16<C>)>(unit_stride{});
  }
  __device__ void write_scalars() const { write_groups<1, 1>(problem_.c.col_stride); }

 private:
  struct unit_stride {
    __device__ operator index() const { return 1; }
  };

  template <int Rows, int Cols, class Stride>
  __device__ void write_groups(Stride col_stride) const {
    scalars known = scalars_of(problem_);
    // In either branch a constant, which the compiler folds.
    if (known.beta_is_zero) {
      known.beta_is_zero = true;
      write_groups<Rows, Cols>(col_stride, known);
    } else {
      known.beta_is_zero = false;
      write_groups<Rows, Cols>(col_stride, known);
    }
  }

  template <int Rows, int Cols, class Stride>
  __device__ void write_groups(Stride col_stride, scalars const& known) const {
#pragma unroll
    for (int r = 0; r < Accumulators::rows; r += Rows) {
      int const row = acc_.row_of(r);
      if (row < coordinates_.overlap_rows || row >= rows_left_) continue;
      C* const line = first_ + row * problem_.c.row_stride;
#pragma unroll
      for (int c = 0; c < Accumulators::cols; c += Cols) {
        int const col = acc_.col_of(c);
        if (col >= coordinates_.overlap_cols && col < cols_left_)
          write_group<Rows, Cols>(line + col * col_stride, known, r, c, row, col);
      }
    }
  }

  template <int Rows, int Cols>
  __device__ void write_group(C* at, scalars const& known, int r, int c, int row, int col) const {
    if constexpr (Rows * Cols == 1) {
      problem_.write_to(*at, known, coordinates_.row + row, coordinates_.col + col,
                        acc_.value(r, c));
    } else {
      using group = element_group<C, Rows * Cols>;
      group held;
      if (!known.beta_is_zero) held = *reinterpret_cast<group const*>(at);
#pragma unroll
      for (int e = 0; e < Rows * Cols; ++e) {
        int const i = Rows > 1 ? e : 0;
        int const j = Cols > 1 ? e : 0;
        problem_.write_to(held[e], known, coordinates_.row + row + i, coordinates_.col + col + j,
                          acc_.value(r + i, c + j));
      }
      *reinterpret_cast<group*>(at) = held;
    }
  }

  Accumulators const& acc_;
  Problem const& problem_;
  tile_coordinates coordinates_;
  C* first_;
  int rows_left_;
  int cols_left_;
};

/// The sums of a split go to its own matrix in the workspace.
template <class K, class Problem>
__device__ inline K* partial_address(Problem const& problem, gemm_grid const& grid,
                                     work_tile const& block, index row, index col) {
  index const matrix = (block.batch - grid.first_batch) * grid.split_k + block.split_index;
  return static_cast<K*>(grid.partials) +
         (matrix * problem.rows + row) * partials_pitch(problem.cols) + col;
}
template <class Accumulators, class Problem>
__device__ void store_split_k_partials(Accumulators const& accumulators, Problem const& problem,
                                       gemm_grid const& grid, work_tile const& block) {
  using K = typename Problem::accumulate_type;
  constexpr int V = Accumulators::vector_cols < elements_of_vec16<K> ? Accumulators::vector_cols
                                                                     : elements_of_vec16<K>;
  using group = element_group<K, V>;
  K* const first =
      partial_address<K>(problem, grid, block, block.coordinates.row, block.coordinates.col);
  int const rows_left = inside_tile(problem.rows, block.coordinates.row);
  int const cols_left = inside_tile(problem.cols, block.coordinates.col);
#pragma unroll
  for (int r = 0; r < Accumulators::rows; ++r) {
    int const row = accumulators.row_of(r);
    if (row < block.coordinates.overlap_rows || row >= rows_left) continue;
    K* const line = first + row * partials_pitch(problem.cols);
#pragma unroll
    for (int c = 0; c < Accumulators::cols; c += V) {
      int const col = accumulators.col_of(c);
      if (col < block.coordinates.overlap_cols || col >= cols_left) continue;
      group held;
#pragma unroll
      for (int e = 0; e < V; ++e) held[e] = accumulators.value(r, c + e);
      *reinterpret_cast<group*>(line + col) = held;
    }
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
