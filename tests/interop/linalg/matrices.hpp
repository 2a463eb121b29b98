// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Matrices and vectors in every kind of layout, their products by plain loops. Elements are small
// whole numbers, so that every order of summation gives the same bits.
#pragma once

#include "interop/views_of_others/mdspan_alike.hpp"

#include <complex>
#include <cstdint>
#include <vector>

namespace linalg_tests {

enum class layout { right, left, padded_right, padded_left, strided, reversed };
inline constexpr layout all_layouts[] = {layout::right,       layout::left,    layout::padded_right,
                                         layout::padded_left, layout::strided, layout::reversed};

inline std::array<long, 2> strides_of(layout l, long rows, long cols) {
  switch (l) {
    case layout::right:
      return {cols, 1};
    case layout::left:
      return {1, rows};
    case layout::padded_right:
      return {cols + 3, 1};
    case layout::padded_left:
      return {1, rows + 5};
    case layout::strided:
      return {2, 2 * rows + 1};
    default:
      return {-cols, -1};
  }
}

template <class T>
T number(std::size_t i) {
  return static_cast<T>(static_cast<int>(i * 7 % 11) - 5);
}
template <>
inline std::complex<float> number(std::size_t i) {
  return {static_cast<float>(i * 7 % 11) - 5, static_cast<float>(i * 5 % 7) - 3};
}

template <class T>
class matrix {
 public:
  matrix(long rows, long cols, layout l = layout::right)
      : extents_{rows, cols}, strides_(strides_of(l, rows, cols)) {
    long const reach = (rows - 1) * std::abs(strides_[0]) + (cols - 1) * std::abs(strides_[1]);
    memory_.resize(static_cast<std::size_t>(reach + 1));
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = number<T>(i);
    first_ = l == layout::reversed ? reach : 0;
  }

  long rows() const { return extents_[0]; }
  long cols() const { return extents_[1]; }
  T& operator()(long i, long j) { return memory_[at(i, j)]; }
  T const& operator()(long i, long j) const { return memory_[at(i, j)]; }
  std::vector<T> const& memory() const { return memory_; }

  auto span() { return alike::strided<T, 2>(&memory_[at(0, 0)], extents_, strides_); }
  auto span() const { return alike::strided<T const, 2>(&memory_[at(0, 0)], extents_, strides_); }

  friend bool operator==(matrix const& a, matrix const& b) {
    if (a.extents_ != b.extents_) return false;
    for (long i = 0; i < a.rows(); ++i)
      for (long j = 0; j < a.cols(); ++j)
        if (a(i, j) != b(i, j)) return false;
    return true;
  }

 private:
  std::size_t at(long i, long j) const {
    return static_cast<std::size_t>(first_ + i * strides_[0] + j * strides_[1]);
  }

  std::array<long, 2> extents_;
  std::array<long, 2> strides_;
  std::vector<T> memory_;
  long first_ = 0;
};

template <class T>
class vector : public matrix<T> {
 public:
  vector(long size, layout l) : matrix<T>(size, 1, l) {}
  auto span() { return column(matrix<T>::span()); }
  auto span() const { return column(matrix<T>::span()); }

 private:
  template <class M>
  static auto column(M const& m) {
    return alike::strided<std::remove_reference_t<decltype(*m.data_handle())>, 1>(
        m.data_handle(), {m.extent(0)}, {m.stride(0)});
  }
};

template <class T>
T conj(T x) {
  return x;
}
inline std::complex<float> conj(std::complex<float> x) { return std::conj(x); }

/// f(i, j) for each element, packed.
template <class T, class F>
matrix<T> made_by(long rows, long cols, F const& f) {
  matrix<T> m(rows, cols);
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < cols; ++j) m(i, j) = static_cast<T>(f(i, j));
  return m;
}

template <class T>
matrix<T> transposed(matrix<T> const& m) {
  return made_by<T>(m.cols(), m.rows(), [&](long i, long j) { return m(j, i); });
}
template <class T>
matrix<T> conjugated(matrix<T> const& m) {
  return made_by<T>(m.rows(), m.cols(), [&](long i, long j) { return conj(m(i, j)); });
}
template <class T>
matrix<T> operator*(T factor, matrix<T> const& m) {
  return made_by<T>(m.rows(), m.cols(), [&](long i, long j) { return factor * m(i, j); });
}
template <class T>
matrix<T> operator+(matrix<T> const& a, matrix<T> const& b) {
  return made_by<T>(a.rows(), a.cols(), [&](long i, long j) { return a(i, j) + b(i, j); });
}
template <class T>
matrix<T> operator*(matrix<T> const& a, matrix<T> const& b) {
  return made_by<T>(a.rows(), b.cols(), [&](long i, long j) {
    T sum{};
    for (long k = 0; k < a.cols(); ++k) sum = static_cast<T>(sum + a(i, k) * b(k, j));
    return sum;
  });
}

}  // namespace linalg_tests
