// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Views of iterators as the input of transpose and copy, with iterators that need no other library.
// Thrust's: thrust/iterators.cpp and interop/thrust/iterators.cu.

#include "support/verbose_lines.hpp"

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <deque>
#include <iterator>
#include <list>
#include <string>
#include <vector>

TEST_SUITE_BEGIN("iterators");

namespace {

using xpose::index;

/// Gives the numbers of its elements; nothing lies in memory.
struct counting {
  using value_type = long long;
  using difference_type = long long;
  using reference = long long;
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;
  long long at;
  long long operator[](long long n) const { return at + n; }
  friend counting operator+(counting c, long long n) { return {c.at + n}; }
};

template <class T>
struct memory_of {
  std::vector<T> elements;
  xpose::matrix_view<T> view;
  memory_of(index rows, index cols, xpose::order order = xpose::row_major)
      : elements(static_cast<std::size_t>(rows * cols)), view(elements.data(), rows, cols, order) {}
};

template <class Policy>
bool transposes(Policy const& policy, index rows, index cols, xpose::order order) {
  memory_of<long long> out(cols, rows, order);
  xpose::transpose(policy, xpose::view(counting{7}, rows, cols), out.view);
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < cols; ++j)
      if (out.view(j, i) != 7 + i * cols + j) return false;
  return true;
}

template <class Policy>
void check_shapes(Policy const& policy) {
  // The last ones are written past the caches, turned and in order.
  constexpr struct {
    index rows, cols;
  } shapes[] = {{1, 1}, {1, 9}, {9, 1}, {31, 33}, {300, 200}, {3, 5000}, {5000, 3}, {2100, 2500}};
  for (auto const& s : shapes)
    for (auto const order : {xpose::row_major, xpose::col_major}) {
      CAPTURE(s.rows);
      CAPTURE(s.cols);
      CHECK(transposes(policy, s.rows, s.cols, order));
    }
}

TEST_CASE("the reference transposes what an iterator gives") { check_shapes(xpose::reference); }
TEST_CASE("seq transposes what an iterator gives") { check_shapes(xpose::seq); }
TEST_CASE("omp transposes what an iterator gives") {
  check_shapes(xpose::omp);
  check_shapes(xpose::omp.with(xpose::threads{3}));
}
TEST_CASE("automatic goes by where the output lies") {
  CHECK(transposes(xpose::automatic, 30, 20, xpose::row_major));
}

TEST_CASE("copy reads an iterator's elements in any layout") {
  memory_of<long long> out(3, 4);
  auto const row_of = [&](auto const& view, index i) {
    xpose::copy(xpose::omp, view, out.view);
    return std::vector<long long>{out.view(i, 0), out.view(i, 1), out.view(i, 2), out.view(i, 3)};
  };
  using expected = std::vector<long long>;
  CHECK(row_of(xpose::view(counting{0}, 3, 4), 1) == expected{4, 5, 6, 7});
  CHECK(row_of(xpose::view(counting{0}, 3, 4, xpose::col_major), 1) == expected{1, 4, 7, 10});
  CHECK(row_of(xpose::view(counting{0}, 3, 4, xpose::row_major, 9), 1) == expected{9, 10, 11, 12});
  CHECK(row_of(xpose::view(counting{50}, 3, 4, xpose::strided{-10, 0}), 1) ==
        expected{40, 40, 40, 40});
  auto const large = xpose::view(counting{0}, 30, 40);
  CHECK(row_of(large.submatrix(10, 20, 3, 4), 1) == expected{460, 461, 462, 463});
  CHECK(row_of(large.submatrix(10, 20, 4, 3).transposed(), 1) == expected{421, 461, 501, 541});
  CHECK(large.row(2)(0, 5) == 85);
  CHECK(large.col(2)(5, 0) == 202);
  CHECK(large.submatrix(10, 20, 3, 4).first()[0] == 420);
}

TEST_CASE("an element function is called with what the iterator gives, and may change the type") {
  memory_of<float> out(2, 3);
  xpose::transpose(xpose::omp, xpose::view(counting{0}, 3, 2), out.view,
                   [](long long x) { return 0.5f * static_cast<float>(x); });
  CHECK(out.view(1, 2) == 2.5f);
  xpose::transpose(xpose::seq, xpose::view(counting{0}, 3, 2), out.view, xpose::cast<float>{});
  CHECK(out.view(1, 2) == 5.f);
}

TEST_CASE("iterators of the standard library whose elements have no addresses are views") {
  std::vector<bool> const bits{true, false, false, true, true, false};
  bool out[6];
  xpose::transpose(xpose::omp, xpose::view(bits.begin(), 2, 3),
                   xpose::matrix_view<bool>(out, 3, 2));
  CHECK(out[1] == true);
  CHECK(out[2] == false);
  CHECK(out[3] == true);

  std::deque<short> const numbers{1, 2, 3, 4, 5, 6};
  short turned[6];
  xpose::transpose(xpose::seq, xpose::view(numbers.rbegin(), 2, 3),
                   xpose::matrix_view<short>(turned, 3, 2));
  CHECK(turned[1] == 3);
}

TEST_CASE("what a view of an iterator refuses is what a matrix_view refuses") {
  memory_of<long long> out(4, 3);
  CHECK_THROWS_AS(xpose::view(counting{0}, -1, 3), xpose::shape_error);
  CHECK_THROWS_AS(xpose::view(counting{0}, 3, 4, xpose::row_major, 3), xpose::layout_error);
  CHECK_THROWS_AS(xpose::view(counting{0}, 3, 4).submatrix(0, 0, 4, 4), xpose::shape_error);
  std::string message;
  try {
    xpose::transpose(xpose::omp, xpose::view(counting{0}, 4, 3), out.view);
  } catch (xpose::shape_error const& e) {
    message = e.what();
  }
  CHECK(message == "transpose: out is 4x3, expected 3x4");
}

TEST_CASE("an empty view of an iterator is a no-op, and is never read") {
  memory_of<long long> out(0, 5);
  xpose::transpose(xpose::omp, xpose::view(counting{0}, 5, 0), out.view);
  CHECK(xpose::view(counting{0}, 5, 0).empty());
}

TEST_CASE("an iterator has no memory that the output could overlap") {
  // Numbers that reach every address: a stride as large as the address of the output.
  memory_of<long long> out(2, 2);
  auto const address = static_cast<index>(reinterpret_cast<std::uintptr_t>(out.view.data()));
  xpose::copy(xpose::seq, xpose::view(counting{0}, 2, 2, xpose::strided{address, 1}), out.view);
  CHECK(out.view(1, 1) == address + 1);
}

TEST_CASE("explain and the report of a call name the backend that reads the iterator") {
  memory_of<long long> out(200, 300);
  auto const in = xpose::view(counting{0}, 300, 200);
  auto const told = xpose::explain(xpose::omp, xpose::operation::transpose, in, out.view);
  CHECK(told.backend == "omp");
  CHECK(contains(told.kernel, "<function>"));
  CHECK(contains(verbose_lines([&] { xpose::transpose(xpose::reference, in, out.view); }),
                 "transpose to 200x300 of 8 bytes: backend reference,"));
  CHECK(contains(verbose_lines([&] { xpose::transpose(xpose::omp, in, out.view); }),
                 "backend omp, kernel " + told.kernel));
}

template <class Iterator>
using viewed = decltype(xpose::view(std::declval<Iterator>(), 1, 1));
template <class Iterator, class = void>
inline constexpr bool is_viewed = false;
template <class Iterator>
inline constexpr bool is_viewed<Iterator, std::void_t<viewed<Iterator>>> = true;

TEST_CASE("view asks for random access") {
  static_assert(is_viewed<std::deque<int>::const_iterator>);
  static_assert(!is_viewed<std::list<int>::const_iterator>);
  static_assert(std::is_same_v<viewed<counting>, xpose::iterator_view<counting>>);
}

}  // namespace

TEST_SUITE_END();
