// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Matrices in each memory that there is, of each kind of layout, with a guard in their gaps.
#pragma once

#include "fake_streams.hpp"

#include <xpose/xpose.hpp>

#include <cstring>

namespace fake {

enum class home { pageable, pinned, managed, device, other_device };
/// The last two are for inputs: elements share addresses.
enum class layout { row_major, pitched, col_major, backwards, every_other, repeated, overlapping };

inline char const* name_of(home h) {
  constexpr char const* names[] = {"pageable", "pinned", "managed", "device", "other device"};
  return names[static_cast<int>(h)];
}
inline char const* name_of(layout l) {
  constexpr char const* names[] = {"row major",   "pitched",  "column major", "backwards",
                                   "every other", "repeated", "overlapping"};
  return names[static_cast<int>(l)];
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
        view_(made(memory_.as<T>(), count_, rows, cols, l)) {
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
  static xpose::matrix_view<T> made(T* first, xpose::index count, xpose::index rows,
                                    xpose::index cols, layout l) {
    switch (l) {
      case layout::row_major:
        return {first, rows, cols};
      case layout::pitched:
        return {first, rows, cols, xpose::row_major, cols + 5};
      case layout::col_major:
        return {first, rows, cols, xpose::col_major};
      case layout::backwards:
        return {first + count - cols, rows, cols, xpose::strided{-(cols + 3), 1}};
      case layout::every_other:
        return {first, rows, cols, xpose::strided{2 * cols + 4, 2}};
      case layout::repeated:
        return {first, rows, cols, xpose::strided{0, 1}};
      case layout::overlapping:
        break;
    }
    return {first, rows, cols, xpose::strided{1, 1}};
  }

  xpose::index count_;
  memory memory_;
  xpose::matrix_view<T> view_;
};

}  // namespace fake
