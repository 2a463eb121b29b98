// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A packed row-major matrix in host or device memory, with its host image.
#pragma once

#include "memory.hpp"

#include <xpose/matrix_view.hpp>

template <class T>
class matrix {
 public:
  matrix(place where, xpose::index rows, xpose::index cols)
      : rows_(rows), cols_(cols), image_(where, static_cast<std::size_t>(rows * cols) * sizeof(T)) {
    image_.send();
  }

  /// Element (i, j) is value(i, j).
  template <class Value>
  matrix(place where, xpose::index rows, xpose::index cols, Value const& value)
      : matrix(where, rows, cols) {
    for (xpose::index i = 0; i < rows; ++i)
      for (xpose::index j = 0; j < cols; ++j) {
        T const element = value(i, j);
        std::memcpy(image_.host() + offset(i, j), &element, sizeof(T));
      }
    image_.send();
  }

  xpose::index cols() const { return cols_; }
  xpose::matrix_view<T> view() { return {reinterpret_cast<T*>(image_.there()), rows_, cols_}; }

  /// As it was when the matrix was made or last compared.
  T at(xpose::index i, xpose::index j) const {
    T element;
    std::memcpy(&element, const_cast<image&>(image_).host() + offset(i, j), sizeof(T));
    return element;
  }

  /// Whether the elements are now expected(i, j).
  template <class Expected>
  bool has(Expected const& expected) {
    image_.fetch();
    for (xpose::index i = 0; i < rows_; ++i)
      for (xpose::index j = 0; j < cols_; ++j)
        if (!(at(i, j) == expected(i, j))) return false;
    return true;
  }

 private:
  std::size_t offset(xpose::index i, xpose::index j) const {
    return static_cast<std::size_t>(i * cols_ + j) * sizeof(T);
  }

  xpose::index rows_;
  xpose::index cols_;
  image image_;
};
