// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// conjugated(view): an input read through complex conjugation. Moves nothing; the identity for real
// elements.
#pragma once

#include <xpose/batch_view.hpp>

namespace xpose {
inline namespace v0 {

/// A matrix_view or batch_view whose elements are conjugated as they are read.
template <class View>
class conjugated_view {
 public:
  using value_type = typename View::value_type;

  XPOSE_HOST_DEVICE explicit constexpr conjugated_view(View base) noexcept : base_(base) {}
  XPOSE_HOST_DEVICE constexpr View base() const noexcept { return base_; }
  XPOSE_HOST_DEVICE constexpr index rows() const noexcept { return base_.rows(); }
  XPOSE_HOST_DEVICE constexpr index cols() const noexcept { return base_.cols(); }
  XPOSE_HOST_DEVICE constexpr conjugated_view transposed() const {
    return conjugated_view(base_.transposed());
  }

 private:
  View base_;
};

template <class T>
XPOSE_HOST_DEVICE constexpr conjugated_view<matrix_view<T>> conjugated(
    matrix_view<T> view) noexcept {
  return conjugated_view<matrix_view<T>>(view);
}
template <class T>
XPOSE_HOST_DEVICE constexpr conjugated_view<batch_view<T>> conjugated(batch_view<T> view) noexcept {
  return conjugated_view<batch_view<T>>(view);
}
template <class View>
XPOSE_HOST_DEVICE constexpr View conjugated(conjugated_view<View> view) noexcept {
  return view.base();
}

}  // namespace v0
}  // namespace xpose
