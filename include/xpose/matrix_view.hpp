// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// matrix_view: where the elements of a matrix lie. Owns nothing, 40 bytes of plain data, passed by
// value.
#pragma once

#include <xpose/detail/view_rules.hpp>

#include <type_traits>

namespace xpose {
inline namespace v0 {

/// Which index varies fastest in memory. A leading dimension is never given without it.
enum class order { row_major, col_major };
inline constexpr order row_major = order::row_major;
inline constexpr order col_major = order::col_major;

/// Any layout: distance in elements from one row to the next and from one column to the next. Zero
/// (a broadcast input) and negative strides are allowed; data() then still addresses element (0,
/// 0).
struct strided {
  index row_stride;
  index col_stride;
};

/// Element (i, j) lies at data()[i * row_stride() + j * col_stride()].
/// Constructors throw on the host, before anything is touched: shape_error (negative extent),
/// layout_error (null data with elements, leading dimension below the extent), overflow_error
/// (bytes beyond 64 bits). Constness is shallow, like std::span: matrix_view<T> converts to
/// matrix_view<T const>.
template <class T>
class matrix_view {
  static_assert(!std::is_reference_v<T> && !std::is_volatile_v<T>,
                "xpose: matrix_view takes a plain or const element type");
  static_assert(std::is_trivially_copyable_v<T>, "xpose: elements must be trivially copyable");

 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  /// The empty view: 0 x 0, no memory.
  constexpr matrix_view() noexcept = default;

  /// Row-major and packed: row stride = cols, column stride = 1.
  XPOSE_HOST_DEVICE constexpr matrix_view(T* data, index rows, index cols)
      : matrix_view(data, rows, cols, strided{cols, 1}) {}

  /// Packed in the given order.
  XPOSE_HOST_DEVICE constexpr matrix_view(T* data, index rows, index cols, order o)
      : matrix_view(data, rows, cols, o == row_major ? strided{cols, 1} : strided{1, rows}) {}

  /// In the given order with ld elements between rows (row_major) or columns (col_major). Requires
  /// ld >= that extent.
  XPOSE_HOST_DEVICE constexpr matrix_view(T* data, index rows, index cols, order o, index ld)
      : matrix_view(data, rows, cols, o == row_major ? strided{ld, 1} : strided{1, ld}) {
#ifndef __CUDA_ARCH__
    if (ld < (o == row_major ? cols : rows)) detail::refuse_ld(ld, o == row_major, rows, cols);
#endif
  }

  /// Any strides.
  XPOSE_HOST_DEVICE constexpr matrix_view(T* data, index rows, index cols, strided s)
      : matrix_view(unchecked{}, data, rows, cols, s) {
    detail::require_valid_view("matrix_view", data == nullptr, sizeof(T),
                               {{rows, s.row_stride}, {cols, s.col_stride}});
  }

  /// T -> T const.
  template <class U, class = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]> &&
                                              !std::is_same_v<U, T>>>
  XPOSE_HOST_DEVICE constexpr matrix_view(matrix_view<U> other) noexcept
      : matrix_view(unchecked{}, other.data(), other.rows(), other.cols(),
                    strided{other.row_stride(), other.col_stride()}) {}

  XPOSE_HOST_DEVICE constexpr T* data() const noexcept { return data_; }
  XPOSE_HOST_DEVICE constexpr index rows() const noexcept { return rows_; }
  XPOSE_HOST_DEVICE constexpr index cols() const noexcept { return cols_; }
  XPOSE_HOST_DEVICE constexpr index row_stride() const noexcept { return row_stride_; }
  XPOSE_HOST_DEVICE constexpr index col_stride() const noexcept { return col_stride_; }
  XPOSE_HOST_DEVICE constexpr index size() const noexcept { return rows_ * cols_; }
  XPOSE_HOST_DEVICE constexpr bool empty() const noexcept { return rows_ == 0 || cols_ == 0; }

  /// Element (i, j); not range-checked.
  XPOSE_HOST_DEVICE constexpr T& operator()(index i, index j) const {
    return data_[i * row_stride_ + j * col_stride_];
  }

  /// The same memory read as cols x rows; moves nothing.
  XPOSE_HOST_DEVICE constexpr matrix_view transposed() const noexcept {
    return {unchecked{}, data_, cols_, rows_, strided{col_stride_, row_stride_}};
  }

  /// rows x cols elements from (first_row, first_col) on. Throws shape_error if they leave the
  /// view.
  XPOSE_HOST_DEVICE constexpr matrix_view submatrix(index first_row, index first_col, index rows,
                                                    index cols) const {
#ifndef __CUDA_ARCH__
    if (!detail::is_within(first_row, rows, rows_) || !detail::is_within(first_col, cols, cols_))
      detail::refuse_submatrix(first_row, first_col, rows, cols, rows_, cols_);
#endif
    bool const has_elements = rows != 0 && cols != 0;
    return {unchecked{},
            has_elements ? data_ + first_row * row_stride_ + first_col * col_stride_ : data_, rows,
            cols, strided{row_stride_, col_stride_}};
  }

  /// Row i as a 1 x cols view, column j as a rows x 1 view.
  XPOSE_HOST_DEVICE constexpr matrix_view row(index i) const { return submatrix(i, 0, 1, cols_); }
  XPOSE_HOST_DEVICE constexpr matrix_view col(index j) const { return submatrix(0, j, rows_, 1); }

 private:
  struct unchecked {};
  XPOSE_HOST_DEVICE constexpr matrix_view(unchecked, T* data, index rows, index cols,
                                          strided s) noexcept
      : data_(data),
        rows_(rows),
        cols_(cols),
        row_stride_(s.row_stride),
        col_stride_(s.col_stride) {}

  // For views derived from a checked one, and for batch_view, which checks all its matrices at
  // once.
  XPOSE_HOST_DEVICE static constexpr matrix_view without_checks(T* data, index rows, index cols,
                                                                strided s) noexcept {
    return {unchecked{}, data, rows, cols, s};
  }

  template <class>
  friend class batch_view;

  T* data_ = nullptr;
  index rows_ = 0;
  index cols_ = 0;
  index row_stride_ = 0;
  index col_stride_ = 1;
};

}  // namespace v0
}  // namespace xpose
