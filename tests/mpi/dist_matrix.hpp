// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A process's part of a distributed matrix in guarded memory, filled and checked by the definition
// of the layout: which process has a global element is computed for each element by itself.
#pragma once

#include "processes.hpp"

#include <xpose/dist_matrix_view.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

/// Global positions of a dimension that a process has, in ascending order, one by one.
inline std::vector<xp::index> positions_of(xp::index extent, xp::index block, int processes,
                                           int first, int process) {
  std::vector<xp::index> positions;
  for (xp::index at = 0; at < extent; ++at)
    if ((at / block + first) % processes == process) positions.push_back(at);
  return positions;
}

/// How a local matrix lies in memory.
struct local_form {
  xp::order order = xp::row_major;
  xp::index padding = 0;  // of the leading dimension
};

template <class T>
class dist_matrix {
 public:
  dist_matrix(xp::dist_layout const& layout, local_form form) : layout_(layout), form_(form) {
    xp::grid_position const at = layout.grid.position_of(context().rank());
    if (at.row >= 0) {
      rows_ =
          positions_of(layout.rows, layout.block_rows, layout.grid.rows, layout.first_row, at.row);
      cols_ =
          positions_of(layout.cols, layout.block_cols, layout.grid.cols, layout.first_col, at.col);
    }
    bool const by_rows = form.order == xp::row_major;
    ld_ = static_cast<xp::index>(by_rows ? cols_.size() : rows_.size()) + form.padding;
    auto const lines = by_rows ? rows_.size() : cols_.size();
    memory_.resize(2 * margin + lines * static_cast<std::size_t>(ld_));
    std::memset(static_cast<void*>(memory_.data()), poison, memory_.size() * sizeof(T));
  }

  /// value(i, j) of the global position.
  template <class Value>
  void fill(Value const& value) {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (std::size_t j = 0; j < cols_.size(); ++j) at(i, j) = value(rows_[i], cols_[j]);
  }

  /// Number of elements that are not value(i, j), bit for bit.
  template <class Value>
  xp::index wrong_elements(Value const& value) const {
    xp::index wrong = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (std::size_t j = 0; j < cols_.size(); ++j) {
        T const expected = value(rows_[i], cols_[j]);
        wrong += std::memcmp(&at(i, j), &expected, sizeof(T)) != 0;
      }
    return wrong;
  }

  /// Number of elements that do not compare equal to value(i, j).
  template <class Value>
  xp::index unequal_elements(Value const& value) const {
    xp::index unequal = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (std::size_t j = 0; j < cols_.size(); ++j)
        unequal += !(at(i, j) == value(rows_[i], cols_[j]));
    return unequal;
  }

  /// Number of bytes outside of the matrix that are not as they were.
  xp::index written_outside() const {
    std::vector<char> inside(memory_.size(), 0);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (std::size_t j = 0; j < cols_.size(); ++j) inside[offset(i, j)] = 1;
    xp::index written = 0;
    auto const* const bytes = reinterpret_cast<unsigned char const*>(memory_.data());
    for (std::size_t e = 0; e < memory_.size(); ++e)
      for (std::size_t b = 0; inside[e] == 0 && b < sizeof(T); ++b)
        written += bytes[e * sizeof(T) + b] != poison;
    return written;
  }

  xp::dist_matrix_view<T> view() {
    if (form_.padding == 0) return {memory_.data() + margin, layout_, form_.order};
    return {memory_.data() + margin, layout_, form_.order, ld_};
  }
  xp::dist_layout const& layout() const { return layout_; }
  xp::index local_rows() const { return static_cast<xp::index>(rows_.size()); }
  xp::index local_cols() const { return static_cast<xp::index>(cols_.size()); }
  T* data() { return memory_.data() + margin; }
  /// With what is around the matrix.
  std::vector<T>& memory() { return memory_; }
  static constexpr xp::index elements_before = 4;
  local_form form() const { return form_; }
  xp::index leading_dimension() const { return ld_; }

 private:
  static constexpr std::size_t margin = static_cast<std::size_t>(elements_before);
  static constexpr unsigned char poison = 0xA5;

  std::size_t offset(std::size_t i, std::size_t j) const {
    auto const ld = static_cast<std::size_t>(ld_);
    return margin + (form_.order == xp::row_major ? i * ld + j : j * ld + i);
  }
  T& at(std::size_t i, std::size_t j) { return memory_[offset(i, j)]; }
  T const& at(std::size_t i, std::size_t j) const { return memory_[offset(i, j)]; }

  xp::dist_layout layout_;
  local_form form_;
  std::vector<xp::index> rows_;
  std::vector<xp::index> cols_;
  xp::index ld_ = 0;
  std::vector<T> memory_;
};

/// An element of Size bytes without a meaning.
template <std::size_t Size>
struct opaque {
  unsigned char bytes[Size];
};

/// Distinct for each position, as far as the bytes reach.
template <class T>
T distinct(xp::index i, xp::index j) {
  auto state = static_cast<std::uint64_t>(i * 1000003 + j + 1);
  T value;
  unsigned char bytes[sizeof(T)];
  for (unsigned char& byte : bytes) {
    byte = static_cast<unsigned char>(state ^ (state >> 17));
    state = state >> 8 | state << 56;
  }
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}
