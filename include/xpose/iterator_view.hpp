// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// iterator_view: a matrix whose elements an iterator gives, which need not lie in memory: counting,
// transform, zip and permutation iterators, of Thrust or of anyone. Input of transpose and copy.
#pragma once

#include <xpose/matrix_view.hpp>

#include <iterator>
#include <type_traits>
#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {

// The number of an element as the address of a byte that is never read, so that matrix_view's rules
// and the plans of copies hold for elements that have no address.
inline constexpr std::uint64_t address_of_first = std::uint64_t{1} << 62;

inline char const* place_of_element(index element) {
  return reinterpret_cast<char const*>(
      static_cast<std::uintptr_t>(address_of_first + static_cast<std::uint64_t>(element)));
}
XPOSE_HOST_DEVICE inline index element_at(char const* place) {
  return static_cast<index>(reinterpret_cast<std::uintptr_t>(place) - address_of_first);
}

}  // namespace detail

/// Element (i, j) is first()[i * row_stride() + j * col_stride()]; read only. Owns nothing but the
/// iterator, which must have random access. Throws when built what matrix_view throws.
template <class Iterator>
class iterator_view {
 public:
  using iterator = Iterator;
  using value_type = std::remove_cv_t<typename std::iterator_traits<Iterator>::value_type>;
  using element_type = value_type const;

  /// The layout is what matrix_view takes: nothing (row-major, packed), an order, an order and a
  /// leading dimension, or strided.
  template <class... Layout, class = std::enable_if_t<std::is_constructible_v<
                                 matrix_view<char const>, char const*, index, index, Layout...>>>
  iterator_view(Iterator first, index rows, index cols, Layout... layout)
      : iterator_view(std::move(first), {detail::place_of_element(0), rows, cols, layout...}) {}

  Iterator first() const { return first_ + offset(detail::element_at(offsets_.data())); }
  index rows() const noexcept { return offsets_.rows(); }
  index cols() const noexcept { return offsets_.cols(); }
  index row_stride() const noexcept { return offsets_.row_stride(); }
  index col_stride() const noexcept { return offsets_.col_stride(); }
  index size() const noexcept { return offsets_.size(); }
  bool empty() const noexcept { return offsets_.empty(); }

  /// Element (i, j); not range-checked.
  value_type operator()(index i, index j) const {
    return first_[offset(detail::element_at(&offsets_(i, j)))];
  }

  /// The same elements read as cols x rows.
  iterator_view transposed() const { return {first_, offsets_.transposed()}; }
  /// Parts, as matrix_view has them. Throw shape_error if they leave the view.
  iterator_view submatrix(index first_row, index first_col, index rows, index cols) const {
    return {first_, offsets_.submatrix(first_row, first_col, rows, cols)};
  }
  iterator_view row(index i) const { return {first_, offsets_.row(i)}; }
  iterator_view col(index j) const { return {first_, offsets_.col(j)}; }

 private:
  using difference = typename std::iterator_traits<Iterator>::difference_type;
  static constexpr difference offset(index element) { return static_cast<difference>(element); }

  iterator_view(Iterator first, matrix_view<char const> offsets)
      : first_(std::move(first)), offsets_(offsets) {}

  Iterator first_;
  matrix_view<char const> offsets_;
};

namespace detail {

template <class View>
inline constexpr bool is_iterator_view = false;
template <class Iterator>
inline constexpr bool is_iterator_view<iterator_view<Iterator>> = true;

/// Iterators that are known to walk memory, which is a matrix_view; thrust.hpp knows more of them.
template <class Iterator, class = void>
struct walks_memory : std::is_pointer<Iterator> {};

template <class Iterator, class = void>
struct has_random_access : std::false_type {};
template <class Iterator>
struct has_random_access<Iterator,
                         std::void_t<decltype(std::declval<Iterator const&>()[
                             typename std::iterator_traits<Iterator>::difference_type{}])>>
    : std::true_type {};

}  // namespace detail

/// What an iterator gives, as a rows x cols matrix; the layout is what matrix_view takes. Throws as
/// matrix_view does. On cuda the elements are calculated on the device, so the file must be
/// compiled by nvcc and whatever the iterator reads must be memory of the device.
template <
    class Iterator, class... Layout,
    class = std::enable_if_t<std::conjunction_v<
        detail::has_random_access<Iterator>, std::negation<detail::walks_memory<Iterator>>,
        std::is_constructible<matrix_view<char const>, char const*, index, index, Layout...>>>>
iterator_view<Iterator> view(Iterator first, index rows, index cols, Layout... layout) {
  return {std::move(first), rows, cols, layout...};
}

}  // namespace v0
}  // namespace xpose
