// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// batch_view: count matrices of one shape and layout at a fixed distance from each other.
#pragma once

#include <xpose/matrix_view.hpp>

namespace xpose {
inline namespace v0 {

/// Matrix b is first() moved on by b * batch_stride() elements. A batch stride of 0 repeats one
/// matrix (inputs only). Throws like matrix_view.
template <class T>
class batch_view {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  constexpr batch_view() noexcept = default;

  XPOSE_HOST_DEVICE constexpr batch_view(matrix_view<T> first, index count, index batch_stride)
      : batch_view(first.data(), count, first.rows(), first.cols(),
                   strided{first.row_stride(), first.col_stride()}, batch_stride) {}

  XPOSE_HOST_DEVICE constexpr batch_view(T* data, index count, index rows, index cols, strided s,
                                         index batch_stride)
      : first_(matrix_view<T>::without_checks(data, rows, cols, s)),
        count_(count),
        batch_stride_(batch_stride) {
    detail::require_valid_view("batch_view", data == nullptr, sizeof(T),
                               {{count, batch_stride}, {rows, s.row_stride}, {cols, s.col_stride}});
  }

  template <class U, class = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]> &&
                                              !std::is_same_v<U, T>>>
  XPOSE_HOST_DEVICE constexpr batch_view(batch_view<U> other) noexcept
      : first_(other.first()), count_(other.count()), batch_stride_(other.batch_stride()) {}

  XPOSE_HOST_DEVICE constexpr matrix_view<T> first() const noexcept { return first_; }
  XPOSE_HOST_DEVICE constexpr index count() const noexcept { return count_; }
  XPOSE_HOST_DEVICE constexpr index batch_stride() const noexcept { return batch_stride_; }
  XPOSE_HOST_DEVICE constexpr index rows() const noexcept { return first_.rows(); }
  XPOSE_HOST_DEVICE constexpr index cols() const noexcept { return first_.cols(); }

  /// Matrix b of the batch; not range-checked.
  XPOSE_HOST_DEVICE constexpr matrix_view<T> operator[](index b) const {
    return matrix_view<T>::without_checks(
        first_.empty() ? first_.data() : first_.data() + b * batch_stride_, rows(), cols(),
        {first_.row_stride(), first_.col_stride()});
  }

  /// Every matrix of the batch transposed; moves nothing.
  XPOSE_HOST_DEVICE constexpr batch_view transposed() const {
    return {first_.transposed(), count_, batch_stride_};
  }

 private:
  matrix_view<T> first_;
  index count_ = 0;
  index batch_stride_ = 0;
};

/// count packed row-major rows x cols matrices, one behind the other.
template <class T>
constexpr batch_view<T> batch(T* data, index count, index rows, index cols) {
  index stride = 0;
  // An overflowing product is refused by the view, whose rules multiply the same extents.
  if (__builtin_mul_overflow(rows, cols, &stride)) stride = 0;
  return {data, count, rows, cols, strided{cols, 1}, stride};
}

/// The general form: any first matrix and any distance.
template <class T>
constexpr batch_view<T> batch(matrix_view<T> first, index count, index batch_stride) {
  return {first, count, batch_stride};
}

}  // namespace v0
}  // namespace xpose
