// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// view(): memory of others as an xpose view. Containers and spans, arrays of arrays, tensors of two
// or three dimensions, and any class with a function xpose_view() of its own. eigen.hpp, mdspan.hpp
// and dlpack.hpp add theirs.
#pragma once

#include <xpose/batch_view.hpp>
#include <xpose/detail/sequence.hpp>
#include <xpose/tensor_view.hpp>

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

}  // namespace detail

/// The memory of a container as a rows x cols matrix: T[N], std::vector, std::array, std::span,
/// Thrust's vectors, or any class with data() and an unsigned size(). The layout is what
/// matrix_view takes: nothing (row-major, packed), an order, an order and a leading dimension, or
/// strided. Throws shape_error if the container has too few elements, else as matrix_view does. The
/// view does not keep the container alive; only spans may be temporary.
template <class Container, class... Layout, class T = detail::sequence_element<Container>,
          class = std::enable_if_t<std::conjunction_v<
              detail::is_sequence<Container>, std::bool_constant<detail::is_borrowed<Container>>,
              std::negation<detail::has_rows_apart<Container>>, std::negation<std::is_array<T>>,
              std::is_constructible<matrix_view<T>, T*, index, index, Layout...>>>>
matrix_view<T> view(Container&& container, index rows, index cols, Layout... layout) {
  // An empty container has no memory; that it is too small says more than that data is null. Thrust
  // may not even be asked for it: it binds a reference to null.
  if (std::size(container) == 0) {
    if (rows > 0 && cols > 0) detail::refuse_container(rows, cols, {}, 0);
    return matrix_view<T>(nullptr, rows, cols, layout...);
  }
  matrix_view<T> const v(detail::raw_pointer(std::data(container)), rows, cols, layout...);
  strided const s{v.row_stride(), v.col_stride()};
  if (!v.empty()) {
    auto const [first, last] = detail::reach_of(rows, cols, s);
    if (first < 0 || static_cast<std::size_t>(last) >= std::size(container))
      detail::refuse_container(rows, cols, s, std::size(container));
  }
  return v;
}

/// Arrays of arrays: T[R][C], std::array<std::array<T, C>, R>, and a container or span of rows,
/// such as std::vector<std::array<T, C>>, are an R x C matrix, row-major and packed. One array more
/// around them makes a batch, whose matrices it counts. The view does not keep the memory alive;
/// only spans may be temporary.
template <class Rows,
          class = std::enable_if_t<detail::has_rows<std::remove_reference_t<Rows>>::value>,
          class Row = detail::nested_array<detail::sequence_element<Rows>>>
auto view(Rows&& rows) -> std::conditional_t<Row::rank == 1, matrix_view<typename Row::element>,
                                             batch_view<typename Row::element>> {
  using T = typename Row::element;
  static_assert(Row::rank <= 2,
                "xpose: arrays of two dimensions are a matrix and of three a batch; of more, use "
                "xpose::tensor_view");
  static_assert(detail::is_borrowed<Rows>,
                "xpose: the memory of a temporary array is gone when the view is used; give it a "
                "name");
  auto const count = static_cast<index>(std::size(rows));
  auto* const first = count == 0 ? nullptr : detail::raw_pointer(std::data(rows));
  T* const data = reinterpret_cast<T*>(first);
  if constexpr (Row::rank == 1) {
    static_assert(Row::extent == 0 || sizeof(*first) == sizeof(T) * Row::extent);
    return {data, count, Row::extent};
  } else {
    constexpr index extent = Row::extent, inner = Row::inner::extent;
    static_assert(extent * inner == 0 || sizeof(*first) == sizeof(T) * extent * inner);
    return batch(data, count, extent, inner);
  }
}

/// Refused: rows in memory of their own.
template <class Rows, class... Layout,
          class = std::enable_if_t<detail::has_rows_apart<std::remove_reference_t<Rows>>::value>,
          class T = detail::sequence_element<detail::sequence_element<Rows>>>
matrix_view<T> view(Rows&&, Layout const&...) {
  static_assert(!std::is_same_v<T, T>,
                "xpose: the rows of a vector of vectors lie apart; keep the matrix in one "
                "std::vector<T> of rows * cols elements and write xpose::view(v, rows, cols)");
  return {};
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

/// The elements of a temporary container are gone when the view is used. Deleted rather than
/// asserted, so that code can ask whether there is a view.
template <class Container, class... Layout, class = decltype(std::declval<Container&>().data()),
          class = std::enable_if_t<!detail::is_borrowed<Container>>>
void view(Container&&, index, index, Layout...) = delete;  // name the temporary container first

/// A matrix class of anybody's. Its namespace has a function xpose_view(m) that returns a view;
/// this calls it. The view does not keep m alive.
template <class Matrix>
constexpr auto view(Matrix&& m) -> decltype(xpose_view(m)) {
  static_assert(std::is_lvalue_reference_v<Matrix> || !detail::owns_elements<Matrix>::value,
                "xpose: the memory of a temporary matrix is gone when the view is used; give it a "
                "name");
  return xpose_view(m);
}

namespace detail {

/// What view(x) gives for one object without further arguments. Here, behind the views of this file
/// and ahead of those of mdspan.hpp: mdspans go to the operations their own way.
template <class X>
using view_of = decltype(v0::view(std::declval<X>()));

}  // namespace detail

}  // namespace v0
}  // namespace xpose
