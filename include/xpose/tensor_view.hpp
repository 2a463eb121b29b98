// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// tensor_view: an N-dimensional strided array, the last dimension fastest when no strides are
// given.
#pragma once

#include <xpose/detail/view_rules.hpp>

#include <array>
#include <type_traits>

namespace xpose {
inline namespace v0 {

/// Element (i0, .., iN-1) lies at data()[i0 * stride(0) + .. + iN-1 * stride(N-1)].
/// Throws like matrix_view. N is a std::size_t so that it deduces beside std::array.
template <class T, std::size_t N>
class tensor_view {
  static_assert(N >= 1, "xpose: a tensor_view has at least one dimension");
  static_assert(std::is_trivially_copyable_v<T>, "xpose: elements must be trivially copyable");

 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  /// Packed, C order.
  constexpr tensor_view(T* data, std::array<index, N> const& extents)
      : tensor_view(data, extents, packed_strides(extents)) {}

  /// Any strides.
  constexpr tensor_view(T* data, std::array<index, N> const& extents,
                        std::array<index, N> const& strides)
      : data_(data) {
    for (std::size_t d = 0; d < N; ++d) dimensions_[d] = {extents[d], strides[d]};
    detail::require_valid_view("tensor_view", data == nullptr, sizeof(T), dimensions_);
  }

  template <class U, class = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]> &&
                                              !std::is_same_v<U, T>>>
  XPOSE_HOST_DEVICE constexpr tensor_view(tensor_view<U, N> const& other) noexcept
      : data_(other.data()) {
    for (std::size_t d = 0; d < N; ++d) dimensions_[d] = {other.extent(d), other.stride(d)};
  }

  XPOSE_HOST_DEVICE constexpr T* data() const noexcept { return data_; }
  XPOSE_HOST_DEVICE constexpr index extent(std::size_t d) const noexcept {
    return dimensions_[d].extent;
  }
  XPOSE_HOST_DEVICE constexpr index stride(std::size_t d) const noexcept {
    return dimensions_[d].stride;
  }

 private:
  static constexpr std::array<index, N> packed_strides(std::array<index, N> const& extents) {
    std::array<index, N> strides{};
    index stride = 1;
    for (std::size_t d = N; d-- > 0;) {
      strides[d] = stride;
      // An overflowing product is refused by the view's rules, which multiply the same extents.
      if (__builtin_mul_overflow(stride, extents[d], &stride)) stride = 0;
    }
    return strides;
  }

  T* data_;
  detail::dimension dimensions_[N] = {};
};

}  // namespace v0
}  // namespace xpose
