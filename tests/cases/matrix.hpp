// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// An operand of a test: a matrix or batch in one of the list's layouts, where the backend wants it.
#pragma once

#include "cases.hpp"
#include "elements.hpp"
#include "support/memory.hpp"

/// A matrix or batch filled on the host, sent to the place, compared on the host.
template <class T>
class matrix {
 public:
  matrix(place where, cases::layout const& layout) : layout_(layout), image_(where, bytes()) {}

  matrix(place where, cases::index rows, cases::index cols, cases::pattern p,
         cases::index batch = 1)
      : matrix(where, cases::place(p, rows, cols, batch)) {}

  /// Row-major and packed, element (i, j) = value(i, j).
  template <class Value>
  matrix(place where, cases::index rows, cases::index cols, Value const& value)
      : matrix(where, rows, cols, cases::pattern::row_major) {
    fill([&value](cases::index, cases::index i, cases::index j) { return value(i, j); });
  }

  xpose::batch_view<T> batch_there() const { return view(image_.there()); }
  xpose::matrix_view<T> there() const { return batch_there().first(); }
  xpose::batch_view<T> batch_here() { return view(image_.host()); }
  xpose::matrix_view<T> here() { return batch_here().first(); }

  /// Bytes that tell positions apart, between the elements too.
  void fill_with_bytes() {
    fill_with_pattern(image_.host(), bytes());
    image_.send();
  }
  /// value(b, i, j) for every element; what lies between elements keeps its poison.
  template <class Value>
  void fill(Value const& value) {
    write(value);
    image_.send();
  }
  /// Whether the memory in the place holds value(b, i, j) in every element and poison everywhere
  /// else.
  template <class Value>
  bool holds(Value const& value) {
    write(value);
    return image_.is_as_on_host();
  }
  /// The same for a single matrix: value(i, j).
  template <class Value>
  bool is(Value const& value) {
    return holds([&value](cases::index, cases::index i, cases::index j) { return value(i, j); });
  }
  bool is_untouched() const { return image_.is_as_on_host(); }
  void fetch() { image_.fetch(); }
  cases::layout const& layout() const { return layout_; }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(layout_.storage) * sizeof(T); }
  xpose::batch_view<T> view(std::byte* storage) const {
    auto* const data =
        layout_.storage == 0 ? nullptr : reinterpret_cast<T*>(storage) + layout_.offset;
    return {data,
            layout_.batch,
            layout_.rows,
            layout_.cols,
            xpose::strided{layout_.row_stride, layout_.col_stride},
            layout_.batch_stride};
  }
  template <class Value>
  void write(Value const& value) {
    auto const all = batch_here();
    for (cases::index b = 0; b < layout_.batch; ++b)
      for (cases::index i = 0; i < layout_.rows; ++i)
        for (cases::index j = 0; j < layout_.cols; ++j)
          all[b](i, j) = static_cast<T>(value(b, i, j));
  }

  cases::layout layout_;
  image image_;
};
