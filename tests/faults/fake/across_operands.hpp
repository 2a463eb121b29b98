// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Matrices in each memory that there is, of each kind of layout, with a guard in their gaps.
#pragma once

#include "fake_streams.hpp"
#include "support/layouts.hpp"

#include <xpose/xpose.hpp>

#include <cstring>

namespace fake {

using ::layout;
using ::name_of;

enum class home { pageable, pinned, managed, device, other_device };

inline char const* name_of(home h) {
  constexpr char const* names[] = {"pageable", "pinned", "managed", "device", "other device"};
  return names[static_cast<int>(h)];
}
/// Elements are small whole numbers, of which each place has its own as long as they last: sums of
/// products are exact.
template <class T>
class held_matrix {
 public:
  held_matrix(home h, xpose::index rows, xpose::index cols, layout l)
      : count_(4 * rows * cols + 5 * rows + 64),
        memory_(residency_for(h), static_cast<std::size_t>(count_) * sizeof(T),
                h == home::other_device ? 1 : 0),
        view_(view_in(l, memory_.as<T>(), rows, cols)) {
    std::memset(static_cast<void*>(memory_.as<T>()), guard,
                static_cast<std::size_t>(count_) * sizeof(T));
    for (xpose::index i = 0; i < rows; ++i)
      for (xpose::index j = 0; j < cols; ++j)
        view_(i, j) = static_cast<T>((i * 7 + j * 13 + i * j) % 251 - 125);
  }
  xpose::matrix_view<T> view() const { return view_; }
  T* data() const { return view_.data(); }

  bool equals(xpose::matrix_view<T> const& other) const {
    for (xpose::index i = 0; i < view_.rows(); ++i)
      for (xpose::index j = 0; j < view_.cols(); ++j)
        if (view_(i, j) != other(i, j)) return false;
    return true;
  }
  /// Whether no byte between and around the elements was written. Clears the elements.
  bool gaps_are_whole() const {
    for (xpose::index i = 0; i < view_.rows(); ++i)
      for (xpose::index j = 0; j < view_.cols(); ++j)
        std::memset(static_cast<void*>(&view_(i, j)), guard, sizeof(T));
    auto const* const bytes = memory_.template as<unsigned char>();
    for (std::size_t b = 0; b < static_cast<std::size_t>(count_) * sizeof(T); ++b)
      if (bytes[b] != guard) return false;
    return true;
  }

 private:
  static constexpr unsigned char guard = 0xA5;

  static xpose::detail::residency residency_for(home h) {
    using xpose::detail::residency;
    constexpr residency all[] = {residency::unknown_to_cuda, residency::pinned_host,
                                 residency::managed, residency::device, residency::device};
    return all[static_cast<int>(h)];
  }
  xpose::index count_;
  memory memory_;
  xpose::matrix_view<T> view_;
};

}  // namespace fake
