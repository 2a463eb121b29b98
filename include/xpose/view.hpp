// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// view(): memory of others as an xpose view. Containers and spans, tensors of two or three
// dimensions, and any class with a function xpose_view() of its own. mdspan.hpp and dlpack.hpp add
// theirs.
#pragma once

#include <xpose/batch_view.hpp>
#include <xpose/tensor_view.hpp>

#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Offsets of the lowest and the highest element of a view that has elements.
struct reach {
  index first;
  index last;
};
constexpr reach reach_of(index rows, index cols, strided s) {
  index const down = (rows - 1) * s.row_stride;
  index const right = (cols - 1) * s.col_stride;
  return {(down < 0 ? down : 0) + (right < 0 ? right : 0),
          (down > 0 ? down : 0) + (right > 0 ? right : 0)};
}

/// Throws shape_error: the matrix has an element outside its container of `size` elements.
[[noreturn]] XPOSE_EXPORT void refuse_container(index rows, index cols, strided s,
                                                std::size_t size);

template <class T>
constexpr T* raw_pointer(T* pointer) {
  return pointer;
}
/// Of a fancy pointer: thrust::device_ptr, for one.
template <class Pointer>
constexpr auto raw_pointer(Pointer const& pointer) -> decltype(pointer.get()) {
  return pointer.get();
}

template <class Container>
using container_element =
    std::remove_pointer_t<decltype(raw_pointer(std::declval<Container&>().data()))>;

/// Elements one behind the other. A signed size() is that of matrix classes (matrix_view, Eigen's),
/// whose elements may lie apart.
template <class Container>
inline constexpr bool is_contiguous =
    std::is_unsigned_v<std::decay_t<decltype(std::declval<Container&>().size())>>;

/// Elements that outlive the object: of an lvalue, or of a span, which is const without its
/// elements being so.
template <class Container>
inline constexpr bool is_borrowed =
    std::is_lvalue_reference_v<Container> ||
    std::is_same_v<container_element<Container>, container_element<Container const>>;

}  // namespace detail

/// The memory of a container as a rows x cols matrix: std::vector, std::array, std::span, Thrust's
/// vectors, or any class with data() and an unsigned size(). The layout is what matrix_view takes:
/// nothing (row-major, packed), an order, an order and a leading dimension, or strided. Throws
/// shape_error if the container has too few elements, else as matrix_view does. The view does not
/// keep the container alive; only spans may be temporary.
template <
    class Container, class... Layout, class T = detail::container_element<Container>,
    class = std::enable_if_t<detail::is_contiguous<Container> && detail::is_borrowed<Container> &&
                             std::is_constructible_v<matrix_view<T>, T*, index, index, Layout...>>>
matrix_view<T> view(Container&& container, index rows, index cols, Layout... layout) {
  // An empty container has no memory; that it is too small says more than that data is null. Thrust
  // may not even be asked for it: it binds a reference to null.
  if (container.size() == 0) {
    if (rows > 0 && cols > 0) detail::refuse_container(rows, cols, {}, 0);
    return matrix_view<T>(nullptr, rows, cols, layout...);
  }
  matrix_view<T> const v(detail::raw_pointer(container.data()), rows, cols, layout...);
  strided const s{v.row_stride(), v.col_stride()};
  if (!v.empty()) {
    auto const [first, last] = detail::reach_of(rows, cols, s);
    if (first < 0 || static_cast<std::size_t>(last) >= container.size())
      detail::refuse_container(rows, cols, s, container.size());
  }
  return v;
}

/// A tensor of two dimensions as a matrix, of three as a batch: dimension 0 counts the matrices.
template <class T>
constexpr matrix_view<T> view(tensor_view<T, 2> const& t) {
  return {t.data(), t.extent(0), t.extent(1), strided{t.stride(0), t.stride(1)}};
}
template <class T>
constexpr batch_view<T> view(tensor_view<T, 3> const& t) {
  return {t.data(),   t.extent(0), t.extent(1), t.extent(2), strided{t.stride(1), t.stride(2)},
          t.stride(0)};
}

/// A matrix class of anybody's. Its namespace has a function xpose_view(m) that returns a view;
/// this calls it. The view does not keep m alive.
template <class Matrix>
constexpr auto view(Matrix&& m) -> decltype(xpose_view(m)) {
  return xpose_view(m);
}

}  // namespace v0
}  // namespace xpose
