// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// view() of containers, spans, tensors and a matrix class of a user's. Thrust's containers are in
// tests/thrust.

#include "support/refusal.hpp"

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <array>
#include <vector>

namespace users {

/// A span, as C++20 has it.
template <class T>
struct span {
  T* first;
  std::size_t count;
  T* data() const { return first; }
  std::size_t size() const { return count; }
};

/// Columns of 8 elements, of which rows() are in use.
struct columns {
  std::vector<double> memory;
  long rows_in_use;
};
xpose::matrix_view<double> xpose_view(columns& m) {
  return {m.memory.data(), m.rows_in_use, static_cast<long>(m.memory.size()) / 8, xpose::col_major,
          8};
}
xpose::matrix_view<double const> xpose_view(columns const& m) {
  return xpose_view(const_cast<columns&>(m));
}

/// A matrix whose elements may lie apart: its data() and size() are not those of a container.
struct scattered {
  float* data();
  long size() const;
};

}  // namespace users

namespace {

template <class Container, class = void>
struct has_view : std::false_type {};
template <class Container>
struct has_view<Container, std::void_t<decltype(xpose::view(std::declval<Container>(), 2, 3))>>
    : std::true_type {};

template <class Container>
using element = typename decltype(xpose::view(std::declval<Container>(), 2, 3))::element_type;

static_assert(std::is_same_v<element<std::vector<float>&>, float>);
static_assert(std::is_same_v<element<std::vector<float> const&>, float const>);
static_assert(std::is_same_v<element<std::array<int, 6>&>, int>);
static_assert(std::is_same_v<element<users::span<int>>, int>);
static_assert(std::is_same_v<element<users::span<int const> const&>, int const>);
static_assert(has_view<users::span<int>>::value);
static_assert(!has_view<std::vector<float>>::value, "its memory would be gone");
static_assert(!has_view<std::array<float, 6>>::value, "its memory would be gone");
static_assert(!has_view<users::scattered&>::value);
static_assert(!has_view<xpose::matrix_view<float>&>::value, "its elements may lie apart");
static_assert(!has_view<std::vector<bool>&>::value);

TEST_CASE("a container is a matrix in every layout that matrix_view takes") {
  std::vector<float> memory(40);
  auto const layout = [](xpose::matrix_view<float> v) {
    return std::array<xpose::index, 4>{v.rows(), v.cols(), v.row_stride(), v.col_stride()};
  };
  using expected = std::array<xpose::index, 4>;
  CHECK(layout(xpose::view(memory, 3, 5)) == expected{3, 5, 5, 1});
  CHECK(layout(xpose::view(memory, 3, 5, xpose::col_major)) == expected{3, 5, 1, 3});
  CHECK(layout(xpose::view(memory, 3, 5, xpose::row_major, 8)) == expected{3, 5, 8, 1});
  CHECK(layout(xpose::view(memory, 3, 5, xpose::col_major, 8)) == expected{3, 5, 1, 8});
  CHECK(layout(xpose::view(memory, 3, 5, xpose::strided{2, 7})) == expected{3, 5, 2, 7});
  CHECK(xpose::view(memory, 3, 5).data() == memory.data());
  CHECK(xpose::view(users::span<float>{memory.data() + 9, 15}, 3, 5).data() == memory.data() + 9);
}

TEST_CASE("a container with too few elements is refused, to the last one") {
  std::array<int, 14> memory{};
  CHECK(refusal<xpose::shape_error>([&] { xpose::view(memory, 3, 5); }) ==
        "view: 3x5 with row stride 5 and column stride 1 reaches from element 0 to 14 of a "
        "container of 14");
  CHECK(refusal<xpose::shape_error>([&] {
          xpose::view(memory, 2, 2, xpose::strided{-2, 1});
        }) ==
        "view: 2x2 with row stride -2 and column stride 1 reaches from element -2 to 1 of a "
        "container of 14");
  CHECK_NOTHROW(xpose::view(memory, 2, 7));
  CHECK_NOTHROW(xpose::view(memory, 3, 4, xpose::row_major, 5));
  CHECK_NOTHROW(xpose::view(memory, 0, 1000));
  CHECK_THROWS_AS(xpose::view(memory, -1, 5), xpose::shape_error);
  CHECK_THROWS_AS(xpose::view(memory, 3, 5, xpose::row_major, 4), xpose::layout_error);
}

TEST_CASE("an empty container is an empty matrix, or too small") {
  std::vector<int> nothing;
  CHECK(xpose::view(nothing, 0, 5).empty());
  CHECK(refusal<xpose::shape_error>([&] { xpose::view(nothing, 1, 2); }) ==
        "view: 1x2 elements of a container of 0");
}

TEST_CASE("a tensor of two dimensions is a matrix, of three a batch") {
  std::vector<int> memory(24);
  auto const m = xpose::view(xpose::tensor_view<int, 2>(memory.data(), {2, 3}, {1, 4}));
  CHECK(m.rows() == 2);
  CHECK(m.cols() == 3);
  CHECK(m.row_stride() == 1);
  CHECK(m.col_stride() == 4);
  auto const b = xpose::view(xpose::tensor_view<int const, 3>(memory.data(), {2, 3, 4}));
  CHECK(b.count() == 2);
  CHECK(b.rows() == 3);
  CHECK(b.cols() == 4);
  CHECK(b.batch_stride() == 12);
  CHECK(b.first().row_stride() == 4);
  CHECK(b.first().col_stride() == 1);
}

TEST_CASE("view calls the xpose_view of a class's own namespace, for const objects the const one") {
  users::columns m{std::vector<double>(24), 5};
  auto const v = xpose::view(m);
  static_assert(std::is_same_v<decltype(v), xpose::matrix_view<double> const>);
  CHECK(v.data() == m.memory.data());
  CHECK(v.rows() == 5);
  CHECK(v.cols() == 3);
  CHECK(v.col_stride() == 8);
  static_assert(
      std::is_same_v<decltype(xpose::view(std::as_const(m))), xpose::matrix_view<double const>>);
}

}  // namespace
