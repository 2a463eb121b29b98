// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "dist_matrix.hpp"
#include "layouts.hpp"

#include <doctest/doctest.h>

#include <complex>
#include <limits>

namespace {

/// Small numbers, so that sums are exact in any order.
template <class T>
struct small {
  int salt;
  T operator()(xp::index i, xp::index j) const {
    return static_cast<T>(static_cast<float>((i * 7 + j * 3 + salt) % 11 - 5));
  }
};

template <class T>
void check_sums(xp::index rows, xp::index cols) {
  auto const layouts = layouts_of(rows, cols);
  auto const mirrored = layouts_of(cols, rows);
  for (std::size_t number = 0; number < layouts.size(); ++number) {
    CAPTURE(number);
    auto const& c_layout = layouts[number];
    auto const& b_layout = layouts[(number + 1) % layouts.size()];
    auto const& a_layout = mirrored[(number + 2) % mirrored.size()];
    dist_matrix<T> a(a_layout, {xp::row_major, 1});
    dist_matrix<T> b(number % 2 == 0 ? b_layout : c_layout, {xp::col_major, 0});
    dist_matrix<T> c(c_layout, {number % 2 == 0 ? xp::row_major : xp::col_major, 2});
    a.fill(small<T>{1});
    b.fill(small<T>{2});
    xp::add(on_processes(), T(2), a.view().transposed(), T(-3), b.view(), c.view());
    CHECK(c.wrong_elements([](xp::index i, xp::index j) {
      return T(2) * small<T>{1}(j, i) + T(-3) * small<T>{2}(i, j);
    }) == 0);
    CHECK(c.written_outside() == 0);
  }
}

}  // namespace

TEST_SUITE_BEGIN("mpi.sums");

TEST_CASE("add with operands in any layouts") {
  for (auto const [rows, cols] : all_extents) {
    check_sums<double>(rows, cols);
    check_sums<float>(rows, cols);
  }
  check_sums<int>(13, 17);
  check_sums<std::complex<float>>(13, 17);
}

TEST_CASE("add onto an operand, in place") {
  for (xp::dist_layout const& layout : layouts_of(13, 9)) {
    dist_matrix<double> a(layout, {});
    dist_matrix<double> b(xp::dist_layout::row_slabs(13, 9, context().size()), {});
    a.fill(small<double>{1});
    b.fill(small<double>{2});
    xp::add(on_processes(), 1, a.view(), 1, b.view(), a.view());
    CHECK(a.wrong_elements([](xp::index i, xp::index j) {
      return small<double>{1}(i, j) + small<double>{2}(i, j);
    }) == 0);
  }
}

TEST_CASE("add does not read an operand whose scalar is zero") {
  auto const layout = xp::dist_layout::row_slabs(13, 9, context().size());
  auto const elsewhere = xp::dist_layout::col_slabs(13, 9, context().size());
  dist_matrix<double> a(elsewhere, {});
  dist_matrix<double> b(elsewhere, {});
  dist_matrix<double> c(layout, {});
  a.fill([](xp::index, xp::index) { return std::numeric_limits<double>::quiet_NaN(); });
  b.fill(small<double>{2});
  xp::add(on_processes(), 0, a.view(), 1, b.view(), c.view());
  CHECK(c.wrong_elements(small<double>{2}) == 0);
}

TEST_SUITE_END();
