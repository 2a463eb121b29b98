// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Matrices that lie distributed over processes: which process holds which element, and where in its
// memory. Needs no MPI. Nothing here throws: a process that left a collective call alone would
// keep the others waiting, so the calls check everything together (mpi.hpp).
#pragma once

#include <xpose/matrix_view.hpp>

namespace xpose {
inline namespace v0 {

namespace detail {

/// One dimension of a block-cyclic layout: block number b is on process (b + first) % processes.
struct dist_axis {
  index extent;
  index block;
  int processes;
  int first;

  /// The number of the first block that a process holds: its own number, counted
  /// from the process that holds block 0.
  constexpr index distance_of(int process) const noexcept {
    index const behind = process - first;
    return behind < 0 ? behind + processes : behind;
  }

  /// How many of the extent's positions a process holds.
  constexpr index local_extent(int process) const noexcept {
    if (block < 1 || processes < 1 || extent < 1 || process < 0 || process >= processes) return 0;
    index const whole_blocks = extent / block;
    index const local_blocks = whole_blocks / processes;
    index const over = whole_blocks % processes;
    index const mine = distance_of(process);
    return local_blocks * block + (mine < over ? block : mine == over ? extent % block : 0);
  }
};

}  // namespace detail

/// The row and column of a process in its grid.
struct grid_position {
  int row;
  int col;
};

/// rows x cols processes. Rank r is at row r / cols and column r % cols, or with col_major at row
/// r % rows and column r / rows. Ranks from size() on are in no row or column and hold nothing.
struct process_grid {
  int rows = 1;
  int cols = 1;
  order ranks = row_major;

  constexpr index size() const noexcept { return index{rows} * cols; }
  /// {-1, -1} for a rank outside of the grid.
  constexpr grid_position position_of(int rank) const noexcept {
    if (rows < 1 || cols < 1 || rank < 0 || rank >= size()) return {-1, -1};
    return ranks == row_major ? grid_position{rank / cols, rank % cols}
                              : grid_position{rank % rows, rank / rows};
  }
  constexpr int rank_at(grid_position at) const noexcept {
    return ranks == row_major ? at.row * cols + at.col : at.col * rows + at.row;
  }
  /// Each rank at the mirrored position.
  constexpr process_grid transposed() const noexcept {
    return {cols, rows, ranks == row_major ? col_major : row_major};
  }
};

/// Which process holds which element of a rows x cols matrix, in ScaLAPACK's block-cyclic way: the
/// matrix is cut into blocks of block_rows x block_cols, and the block in block row I and block
/// column J is on the process at row (I + first_row) % grid.rows and column
/// (J + first_col) % grid.cols of the grid. A process keeps the rows and columns of its blocks, in
/// their order and without gaps, as one local matrix. Blocks at the lower and right edge may be
/// smaller.
struct dist_layout {
  index rows = 0;
  index cols = 0;
  index block_rows = 1;
  index block_cols = 1;
  process_grid grid{};
  int first_row = 0;
  int first_col = 0;

  /// Rank r holds the rows from r * ceil(rows / processes) on; the last ranks may hold fewer, or
  /// none.
  static constexpr dist_layout row_slabs(index rows, index cols, int processes) noexcept {
    return {rows, cols, slab(rows, processes), cols > 0 ? cols : 1, {processes, 1}};
  }
  /// Rank r holds the columns from r * ceil(cols / processes) on.
  static constexpr dist_layout col_slabs(index rows, index cols, int processes) noexcept {
    return {rows, cols, rows > 0 ? rows : 1, slab(cols, processes), {1, processes}};
  }

  /// Extents of the local matrix of a rank.
  constexpr index local_rows(int rank) const noexcept {
    return detail::dist_axis{rows, block_rows, grid.rows, first_row}.local_extent(
        grid.position_of(rank).row);
  }
  constexpr index local_cols(int rank) const noexcept {
    return detail::dist_axis{cols, block_cols, grid.cols, first_col}.local_extent(
        grid.position_of(rank).col);
  }

  /// The layout of the transpose when every process keeps its elements.
  constexpr dist_layout transposed() const noexcept {
    return {cols, rows, block_cols, block_rows, grid.transposed(), first_col, first_row};
  }

 private:
  static constexpr index slab(index extent, int processes) noexcept {
    index const whole = processes < 1 || extent < 1 ? 1 : (extent - 1) / processes + 1;
    return whole;
  }
};

namespace detail {

constexpr dist_axis row_axis_of(dist_layout const& l) noexcept {
  return {l.rows, l.block_rows, l.grid.rows, l.first_row};
}
constexpr dist_axis col_axis_of(dist_layout const& l) noexcept {
  return {l.cols, l.block_cols, l.grid.cols, l.first_col};
}

/// How the strides of a local matrix were given, for messages and for those that follow from the
/// rank.
enum class local_storage : int { packed_rows, packed_cols, leading_row, leading_col, strides };

/// Of the same memory read as the transpose.
constexpr local_storage mirrored(local_storage storage) noexcept {
  constexpr local_storage mirror[] = {local_storage::packed_cols, local_storage::packed_rows,
                                      local_storage::leading_col, local_storage::leading_row,
                                      local_storage::strides};
  return mirror[static_cast<int>(storage)];
}

}  // namespace detail

/// A distributed matrix, as one process sees it: the layout, which is the same on all processes,
/// and this process's local matrix. Element type, constness and transposed() as for matrix_view.
/// The address and the strides may differ from process to process.
template <class T>
class dist_matrix_view {
  static_assert(!std::is_reference_v<T> && !std::is_volatile_v<T>,
                "xpose: dist_matrix_view takes a plain or const element type");
  static_assert(std::is_trivially_copyable_v<T>, "xpose: elements must be trivially copyable");

 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  /// The local matrix is packed in the given order, its extents are those that the layout gives
  /// this process. Without elements here `local` may be null.
  constexpr dist_matrix_view(T* local, dist_layout const& layout, order o = row_major) noexcept
      : layout_(layout),
        data_(local),
        storage_(o == row_major ? detail::local_storage::packed_rows
                                : detail::local_storage::packed_cols) {}

  /// With ld elements between the local rows (row_major) or columns (col_major).
  constexpr dist_matrix_view(T* local, dist_layout const& layout, order o, index ld) noexcept
      : layout_(layout),
        data_(local),
        strides_(o == row_major ? strided{ld, 1} : strided{1, ld}),
        storage_(o == row_major ? detail::local_storage::leading_row
                                : detail::local_storage::leading_col) {}

  /// A view of the local matrix, of any strides. A call refuses it unless its extents are those of
  /// the layout.
  constexpr dist_matrix_view(matrix_view<T> local, dist_layout const& layout) noexcept
      : layout_(layout),
        data_(local.data()),
        strides_{local.row_stride(), local.col_stride()},
        rows_given_(local.rows()),
        cols_given_(local.cols()),
        storage_(detail::local_storage::strides) {}

  /// T -> T const.
  template <class U, class = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]> &&
                                              !std::is_same_v<U, T>>>
  constexpr dist_matrix_view(dist_matrix_view<U> const& other) noexcept
      : layout_(other.layout_),
        data_(other.data_),
        strides_(other.strides_),
        rows_given_(other.rows_given_),
        cols_given_(other.cols_given_),
        storage_(other.storage_) {}

  constexpr dist_layout const& layout() const noexcept { return layout_; }
  constexpr index rows() const noexcept { return layout_.rows; }
  constexpr index cols() const noexcept { return layout_.cols; }
  constexpr T* data() const noexcept { return data_; }

  /// The same elements, where they are, read as the transpose; moves nothing and sends nothing.
  constexpr dist_matrix_view transposed() const noexcept {
    dist_matrix_view view = *this;
    view.layout_ = layout_.transposed();
    view.strides_ = {strides_.col_stride, strides_.row_stride};
    view.rows_given_ = cols_given_;
    view.cols_given_ = rows_given_;
    view.storage_ = detail::mirrored(storage_);
    return view;
  }

  constexpr strided given_strides() const noexcept { return strides_; }
  constexpr index given_rows() const noexcept { return rows_given_; }
  constexpr index given_cols() const noexcept { return cols_given_; }
  constexpr detail::local_storage storage() const noexcept { return storage_; }

 private:
  template <class>
  friend class dist_matrix_view;

  dist_layout layout_;
  T* data_;
  strided strides_{0, 0};
  index rows_given_ = -1;  // -1: what the layout says
  index cols_given_ = -1;
  detail::local_storage storage_;
};

}  // namespace v0
}  // namespace xpose
