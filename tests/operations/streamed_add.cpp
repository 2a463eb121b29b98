// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add past the caches on omp, between guards.

#include "cases/add_cases.hpp"
#include "cases/streamed.hpp"

#include <doctest/doctest.h>

TEST_SUITE_BEGIN("add.streamed");

namespace {

using add_cases::add_case;
using add_cases::byte_number;
using add_cases::check_add;
using cases::pattern;

/// Operands along C, turned against it and neither; C in rows and in columns, in one piece and not.
template <class T>
void check_shapes() {
  constexpr pattern inputs[][2] = {{pattern::row_major, pattern::row_major},
                                   {pattern::col_major, pattern::odd_offset},
                                   {pattern::padded_rows, pattern::padded_cols},
                                   {pattern::negative_both, pattern::broadcast}};
  constexpr pattern outputs[] = {pattern::row_major, pattern::col_major, pattern::odd_offset};
  int turn = 0;
  for (auto const& [rows, cols] : streamed::shapes(3 * sizeof(T)))
    for (auto const& input : inputs)
      for (auto const c : outputs) {
        add_case g;
        g.rows = rows;
        g.cols = cols;
        g.a = input[0];
        g.b = input[1];
        g.c = c;
        streamed::on_both_sides(turn++, [&](backend const& on) { check_add<T>(on, g); });
      }
}

TEST_CASE("omp adds elements of every fast size past the caches") {
  check_shapes<std::int8_t>();
  check_shapes<xpose::bfloat16>();
  check_shapes<float>();
  check_shapes<double>();
  check_shapes<std::complex<double>>();
}

TEST_CASE("omp adds elements of a user's type past the caches") { check_shapes<byte_number<12>>(); }

/// C is A, which lies in rows of its own or in one piece; some rows are longer than what is held of
/// them at a time.
TEST_CASE("omp adds over an operand past the caches") {
  auto const of_a = [](cases::index, cases::index i, cases::index j) {
    return gemm_cases::small_integer<float>(0, i, j, 1);
  };
  auto const of_b = [](cases::index, cases::index i, cases::index j) {
    return gemm_cases::small_integer<float>(0, i, j, 2);
  };
  int turn = 0;
  auto shapes = streamed::shapes(3 * sizeof(float));
  shapes.push_back({48, 2100});
  for (auto const& extents : shapes)
    for (auto const p : {pattern::row_major, pattern::odd_offset})
      streamed::on_both_sides(turn++, [&](backend const& on) {
        CAPTURE(extents.first);
        CAPTURE(extents.second);
        matrix<float> a(on.where, extents.first, extents.second, p);
        matrix<float> b(on.where, extents.first, extents.second, pattern::col_major);
        a.fill(of_a);
        b.fill(of_b);
        xpose::add(on.policy, 2, a.there(), 3, b.there(), a.there());
        bool const is_right = a.holds([&](cases::index m, cases::index i, cases::index j) {
          return 2 * of_a(m, i, j) + 3 * of_b(m, i, j);
        });
        CHECK(is_right);
      });
}

}  // namespace

TEST_SUITE_END();
