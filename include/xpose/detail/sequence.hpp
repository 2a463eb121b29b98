// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What counts as elements one behind the other, and which of them are rows: arrays of arrays are,
// a vector of vectors is not.
#pragma once

#include <xpose/config.hpp>

#include <array>
#include <iterator>
#include <type_traits>
#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class T>
constexpr T* raw_pointer(T* pointer) {
  return pointer;
}
/// Of a fancy pointer: thrust::device_ptr, for one.
template <class Pointer>
constexpr auto raw_pointer(Pointer const& pointer) -> decltype(pointer.get()) {
  return pointer.get();
}

/// The type of an element, const where the elements are.
template <class Sequence>
using sequence_element =
    std::remove_pointer_t<decltype(raw_pointer(std::data(std::declval<Sequence&>())))>;

/// T[N], or a class with data() and an unsigned size(). A signed size() is that of matrix classes
/// (matrix_view, Eigen's), whose elements may lie apart.
template <class X, class = void>
struct is_sequence : std::false_type {};
template <class X>
struct is_sequence<X, std::void_t<sequence_element<X>, decltype(std::size(std::declval<X&>()))>>
    : std::is_unsigned<std::decay_t<decltype(std::size(std::declval<X&>()))>> {};

/// Elements that outlive the object: of an lvalue, or of a span, which is const without its
/// elements being so.
template <class Sequence>
inline constexpr bool is_borrowed =
    std::is_lvalue_reference_v<Sequence> ||
    std::is_same_v<sequence_element<Sequence>, sequence_element<Sequence const>>;

/// Arrays within each other, T[N] and std::array<T, N>: how many there are, and their extents from
/// the outside in. Anything else is an element.
template <class X>
struct nested_array {
  using element = X;
  static constexpr int rank = 0;
};
template <class X, std::size_t N>
struct array_of {
  using element = typename nested_array<X>::element;
  using inner = nested_array<X>;
  static constexpr int rank = inner::rank + 1;
  static constexpr index extent = N;
};
template <class X, std::size_t N>
struct nested_array<X[N]> : array_of<X, N> {};
template <class X, std::size_t N>
struct nested_array<std::array<X, N>> : array_of<X, N> {};
template <class X, std::size_t N>
struct nested_array<std::array<X, N> const> : array_of<X const, N> {};

/// A sequence whose elements are arrays: float[3][4], std::vector<std::array<float, 4>>.
template <class X, class = void>
struct has_rows : std::false_type {};
template <class X>
struct has_rows<X, std::enable_if_t<is_sequence<X>::value>>
    : std::bool_constant<(nested_array<sequence_element<X>>::rank > 0)> {};

/// A sequence whose elements have memory of their own: std::vector<std::vector<float>>.
template <class X, class = void>
struct has_rows_apart : std::false_type {};
template <class X>
struct has_rows_apart<X, std::enable_if_t<is_sequence<X>::value && !has_rows<X>::value>>
    : is_sequence<sequence_element<X>> {};

/// A matrix class whose own xpose_view() is a view of memory that it frees: eigen.hpp says which.
template <class Matrix, class = void>
struct owns_elements : std::false_type {};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
