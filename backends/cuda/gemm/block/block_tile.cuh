// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a block of gemm computes, and how it writes it: the grid, the places of tiles, and the way
// from a thread's sums to C, or to the workspace of splits.
#pragma once

#include <xpose/backends/cuda/gemm/block/load_tiles.cuh>
#include <xpose/backends/cuda/gemm/config/config.hpp>
#include <xpose/backends/core/problems/gemm_problem.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Which neighbours of C a thread stores at once, up to 16 bytes.
enum class gemm_writing : int { one, along_rows, along_cols };

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
  unsigned splits;
  index depth_of_split;
  gemm_reading a;
  gemm_reading b;
  gemm_writing c;
  bool moves_rows;  // of the last tiles: see moved_inside
  bool moves_cols;
  void* partial;  // sums of the splits: [batch][split][row][pitch of cols]; null for one split
  gemm_condition condition;
};

/// Sums of a split have rows of whole vectors.
XPOSE_HOST_DEVICE constexpr index partial_pitch(index cols) {
  return (cols + 3) / 4 * 4;
}

/// A row of a table as constants for a kernel, and whether its tiles of A and B lie along the
/// depth.
template <class Table, int Row, bool ADepth = false, bool BDepth = false>
struct gemm_tile {
  static constexpr gemm_row row = Table::rows[Row];
  static constexpr int rows = row.rows;
  static constexpr int cols = row.cols;
  static constexpr int depth = row.depth;
  static constexpr int threads_of_tile = detail::threads_of_tile(row);
  static constexpr int threads = threads_of(row);
  static constexpr int stages = row.stages;
  static constexpr bool lies_across = !ADepth && !BDepth;
  static constexpr int pad = row.arithmetic == gemm_arithmetic::c128_units ? 2 : 4;
  template <class K, int Across, bool IsAlongDepth>
  using layout = std::conditional_t<IsAlongDepth, depth_rows<K, Across, depth>,
                                    across_rows<K, Across, depth, pad>>;
  template <class K>
  using a_layout = layout<K, rows, ADepth>;
  template <class K>
  using b_layout = layout<K, cols, BDepth>;
  template <class K>
  static constexpr int shared_elements = stages*(a_layout<K>::elements + b_layout<K>::elements);
  template <class K>
  static constexpr int shared_bytes = shared_elements<K>* static_cast<int>(sizeof(K));
};

/// What copies tiles of `Across` to a layout.
template <class K, class Layout, int Across, int Depth, int Threads, bool RepeatsElements = false>
struct reader_of {
  using type = async_reader<K, Across, Depth, Layout::pitch, Threads, RepeatsElements>;
};
template <class K, int Across, int Depth, int Threads>
struct reader_of<K, depth_rows<K, Across, Depth>, Across, Depth, Threads> {
  using type = depth_reader<K, Across, Depth, Threads>;
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
constexpr bool zeros_add_nothing = std::is_same_v<typename Problem::semiring_type, plus_times>&&
    is_plain_number<typename Problem::accumulate_type>;

template <class T>
constexpr int vector_of = [] {
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
struct gemm_tile_place {
  index row;
  index col;
  int rows_of_others = 0;  // the first ones, which other tiles have too, and write
  int cols_of_others = 0;
};
template <class Tile>
__device__ inline gemm_tile_place place_of_tile(unsigned tile, gemm_grid const& grid) {
  tile_number const at = tile_in_groups(tile, grid.row_tiles, grid.col_tiles,
                                        rows_of_group(Tile::row.arithmetic, grid.row_tiles));
  return {static_cast<index>(at.row) * Tile::rows, static_cast<index>(at.col) * Tile::cols};
}

/// The place of a last tile moved back to where nothing cuts it, so that it is copied as all others
/// are: those that were cut held up 1000x1000x1000 of double by a fifth (H100, 2026-11-22).
template <class Tile, class Problem>
__device__ inline gemm_tile_place moved_inside(gemm_tile_place place, Problem const& problem,
                                               gemm_grid const& grid) {
  auto const move = [](index& first, int& of_others, index last) {
    if (last < 0 || first <= last) return;
    of_others = static_cast<int>(first - last);
    first = last;
  };
  if (grid.moves_rows) move(place.row, place.rows_of_others, problem.rows - Tile::rows);
  if (grid.moves_cols) move(place.col, place.cols_of_others, problem.cols - Tile::cols);
  return place;
}

/// What a block computes: a tile of a matrix of the batch, over its part of the depth.
struct gemm_block {
  index batch;
  unsigned split;
  gemm_tile_place place;
  index first_depth;
  index depth;
};
template <class Tile, class Problem>
__device__ inline gemm_block block_of(Problem const& problem, gemm_grid const& grid,
                                      unsigned block) {
  unsigned const tiles = grid.row_tiles * grid.col_tiles;
  unsigned const matrix = block / tiles;
  unsigned const split = matrix % grid.splits;
  index const first_depth = split * grid.depth_of_split;
  index const left = problem.depth - first_depth;
  return {grid.first_batch + matrix / grid.splits, split,
          place_of_tile<Tile>(block - matrix * tiles, grid), first_depth,
          left < grid.depth_of_split ? left : grid.depth_of_split};
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
  if constexpr (zeros_add_nothing<Problem> && std::is_arithmetic_v<K>) {
    if (known.alpha_is_one) known.alpha = K(1);
    known.alpha_is_one = false;
  }
  return known;
}

/// Scales, adds beta C and stores; `Along` rows or cols of neighbours at once. A thread runs
/// through this code once, and it has to be read for that: few instructions an element matter more
/// than which. Whether there is a beta is decided before the loops.
template <class Sums, class Problem>
class sums_writer {
  using C = typename Problem::c_type;
  using scalars = gemm_scalars<typename Problem::accumulate_type>;

 public:
  __device__ sums_writer(Sums const& sums, Problem const& problem, index batch,
                         gemm_tile_place place)
      : sums_(sums),
        problem_(problem),
        place_(place),
        first_(&problem.c.at(batch, place.row, place.col)),
        rows_left_(inside_tile(problem.rows, place.row)),
        cols_left_(inside_tile(problem.cols, place.col)) {}

  __device__ void write(gemm_writing how) const {
    if (how == gemm_writing::along_rows) write_along_rows();
    else if (how == gemm_writing::along_cols)
      write_groups<least_of(Sums::rows_together, vector_of<C>), 1>(problem_.c.col_stride);
    else write_one_by_one();
  }
  __device__ void write_along_rows() const {
    write_groups<1, least_of(Sums::cols_together, vector_of<C>)>(unit_stride{});
  }
  __device__ void write_one_by_one() const { write_groups<1, 1>(problem_.c.col_stride); }

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
    for (int r = 0; r < Sums::rows; r += Rows) {
      int const row = sums_.row_of(r);
      if (row < place_.rows_of_others || row >= rows_left_) continue;
      C* const line = first_ + row * problem_.c.row_stride;
#pragma unroll
      for (int c = 0; c < Sums::cols; c += Cols) {
        int const col = sums_.col_of(c);
        if (col >= place_.cols_of_others && col < cols_left_)
          write_group<Rows, Cols>(line + col * col_stride, known, r, c, row, col);
      }
    }
  }

  template <int Rows, int Cols>
  __device__ void write_group(C* at, scalars const& known, int r, int c, int row, int col) const {
    if constexpr (Rows * Cols == 1) {
      problem_.write_to(*at, known, place_.row + row, place_.col + col, sums_.value(r, c));
    } else {
      using group = element_group<C, Rows * Cols>;
      group held;
      if (!known.beta_is_zero) held = *reinterpret_cast<group const*>(at);
#pragma unroll
      for (int e = 0; e < Rows * Cols; ++e) {
        int const i = Rows > 1 ? e : 0;
        int const j = Cols > 1 ? e : 0;
        problem_.write_to(held[e], known, place_.row + row + i, place_.col + col + j,
                          sums_.value(r + i, c + j));
      }
      *reinterpret_cast<group*>(at) = held;
    }
  }

  Sums const& sums_;
  Problem const& problem_;
  gemm_tile_place place_;
  C* first_;
  int rows_left_;
  int cols_left_;
};

/// The sums of a split go to its own matrix in the workspace.
template <class K, class Problem>
__device__ inline K* partial_at(Problem const& problem, gemm_grid const& grid,
                                gemm_block const& block, index row, index col) {
  index const matrix = (block.batch - grid.first_batch) * grid.splits + block.split;
  return static_cast<K*>(grid.partial) +
         (matrix * problem.rows + row) * partial_pitch(problem.cols) + col;
}
template <class Sums, class Problem>
__device__ void store_partial(Sums const& sums, Problem const& problem, gemm_grid const& grid,
                              gemm_block const& block) {
  using K = typename Problem::accumulate_type;
  constexpr int V = Sums::cols_together < vector_of<K> ? Sums::cols_together : vector_of<K>;
  using group = element_group<K, V>;
  K* const first = partial_at<K>(problem, grid, block, block.place.row, block.place.col);
  int const rows_left = inside_tile(problem.rows, block.place.row);
  int const cols_left = inside_tile(problem.cols, block.place.col);
#pragma unroll
  for (int r = 0; r < Sums::rows; ++r) {
    int const row = sums.row_of(r);
    if (row < block.place.rows_of_others || row >= rows_left) continue;
    K* const line = first + row * partial_pitch(problem.cols);
#pragma unroll
    for (int c = 0; c < Sums::cols; c += V) {
      int const col = sums.col_of(c);
      if (col < block.place.cols_of_others || col >= cols_left) continue;
      group held;
#pragma unroll
      for (int e = 0; e < V; ++e) held[e] = sums.value(r, c + e);
      *reinterpret_cast<group*>(line + col) = held;
    }
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
