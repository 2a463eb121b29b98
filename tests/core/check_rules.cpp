// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The rules of distinct outputs and of overlap, against counting addresses one by one.

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <array>
#include <set>
#include <vector>

TEST_SUITE_BEGIN("checks");

namespace {

using xpose::batch_view;
using xpose::index;
using xpose::matrix_view;
using xpose::strided;

std::vector<index> offsets(index batch, index rows, index cols, index batch_stride, strided s) {
  std::vector<index> all;
  for (index b = 0; b < batch; ++b)
    for (index i = 0; i < rows; ++i)
      for (index j = 0; j < cols; ++j)
        all.push_back(b * batch_stride + i * s.row_stride + j * s.col_stride);
  return all;
}

bool are_distinct(std::vector<index> const& all) {
  return std::set<index>(all.begin(), all.end()).size() == all.size();
}

template <class Error, class Call>
bool throws(Call const& call) {
  try {
    call();
  } catch (Error const&) {
    return true;
  }
  return false;
}

TEST_CASE("an output matrix is refused exactly when two of its elements share an address") {
  std::vector<short> in(64, 1);
  std::vector<short> out(2000);
  for (index rows = 1; rows <= 5; ++rows)
    for (index cols = 1; cols <= 4; ++cols)
      for (index row_stride = -9; row_stride <= 9; ++row_stride)
        for (index col_stride = -9; col_stride <= 9; ++col_stride) {
          strided const s{row_stride, col_stride};
          bool const refused = throws<xpose::layout_error>([&] {
            xpose::copy(xpose::seq, matrix_view<short const>(in.data(), rows, cols),
                        matrix_view<short>(out.data() + 1000, rows, cols, s));
          });
          CAPTURE(rows);
          CAPTURE(cols);
          CAPTURE(row_stride);
          CAPTURE(col_stride);
          REQUIRE(refused == !are_distinct(offsets(1, rows, cols, 0, s)));
        }
}

TEST_CASE(
    "an output batch whose elements share an address is never accepted, and ordinary ones always "
    "are") {
  std::vector<short> in(64, 1);
  std::vector<short> out(4000);
  int accepted = 0;
  for (index batch_stride = -13; batch_stride <= 13; ++batch_stride)
    for (index row_stride = -7; row_stride <= 7; ++row_stride)
      for (index col_stride = -7; col_stride <= 7; ++col_stride) {
        strided const s{row_stride, col_stride};
        bool const refused = throws<xpose::layout_error>([&] {
          xpose::copy(xpose::seq, batch_view<short const>(in.data(), 3, 2, 3, strided{3, 1}, 6),
                      batch_view<short>(out.data() + 2000, 3, 2, 3, s, batch_stride));
        });
        bool const distinct = are_distinct(offsets(3, 2, 3, batch_stride, s));
        if (!distinct) REQUIRE(refused);
        if (!refused) ++accepted;
      }
  CHECK(accepted > 500);
  auto const accepts = [&](index batch_stride, strided s) {
    return !throws<xpose::layout_error>([&] {
      xpose::copy(xpose::seq, batch_view<short const>(in.data(), 3, 2, 3, strided{3, 1}, 6),
                  batch_view<short>(out.data() + 2000, 3, 2, 3, s, batch_stride));
    });
  };
  CHECK(accepts(6, {3, 1}));    // packed
  CHECK(accepts(6, {1, 2}));    // packed, column major
  CHECK(accepts(1, {9, 3}));    // batch innermost
  CHECK(accepts(3, {9, 1}));    // batch between
  CHECK(accepts(20, {-5, 2}));  // spread
}

TEST_CASE(
    "an output tensor is refused wherever two of its elements share an address, and nested ones "
    "never") {
  std::vector<char> in(16, 1);
  std::vector<char> out(8000);
  std::array<index, 4> const extents{2, 3, 2, 2};
  std::array<int, 4> const unchanged{0, 1, 2, 3};
  int accepted = 0;
  auto const refuses = [&](std::array<index, 4> const& strides) {
    bool const is_refused = throws<xpose::layout_error>([&] {
      xpose::permute(xpose::seq,
                     xpose::tensor_view<char const, 4>(in.data(), extents, {0, 0, 0, 1}),
                     xpose::tensor_view<char, 4>(out.data() + 4000, extents, strides), unchanged);
    });
    if (!is_refused) ++accepted;
    return is_refused;
  };
  index const candidates[] = {-24, -12, -7, -4, -3, -1, 0, 1, 2, 3, 4, 5, 6, 8, 12, 13, 24};
  for (index const a : candidates)
    for (index const b : candidates)
      for (index const c : candidates)
        for (index const d : candidates) {
          std::vector<index> all;
          for (index const o : offsets(2, 3, 2, a, {b, c})) {
            all.push_back(o);
            all.push_back(o + d);
          }
          if (refuses({a, b, c, d})) continue;
          REQUIRE(are_distinct(all));
        }
  CHECK(accepted > 5000);
  CHECK_FALSE(refuses({12, 4, 2, 1}));       // packed
  CHECK_FALSE(refuses({1, 2, 6, 12}));       // packed, first fastest
  CHECK_FALSE(refuses({-100, 30, -10, 3}));  // spread and turned
  CHECK_FALSE(refuses({1, 20, 6, 2}));       // a dimension inside another
}

TEST_CASE("a batch that is distinct without being nested is refused, as docs/semantics.md says") {
  std::vector<short> in(8, 1);
  std::vector<short> out(16);
  CHECK(are_distinct(offsets(2, 2, 2, 4, {5, 6})));
  CHECK(throws<xpose::layout_error>([&] {
    xpose::copy(xpose::seq, xpose::batch(in.data(), 2, 2, 2),
                batch_view<short>(out.data(), 2, 2, 2, strided{5, 6}, 4));
  }));
}

TEST_CASE("overlap is never missed, and blocks of one matrix are told apart") {
  std::vector<char> memory(4000);
  char* const base = memory.data() + 1000;
  int accepted = 0;
  for (index distance = -40; distance <= 40; ++distance)
    for (index ld : {7, 8, 9})
      for (index in_cols : {1, 2, 3})
        for (index out_step : {1, 2}) {
          strided const in_stride{ld, out_step};
          strided const out_stride{out_step, ld};
          auto const in = offsets(1, 4, in_cols, 0, in_stride);
          auto const out = offsets(1, in_cols, 4, 0, out_stride);
          std::set<index> shared(in.begin(), in.end());
          bool overlap = false;
          for (index const o : out) overlap = overlap || shared.count(o + distance) != 0;
          bool const refused = throws<xpose::alias_error>([&] {
            xpose::transpose(xpose::seq, matrix_view<char const>(base, 4, in_cols, in_stride),
                             matrix_view<char>(base + distance, in_cols, 4, out_stride));
          });
          CAPTURE(distance);
          CAPTURE(ld);
          if (overlap) REQUIRE(refused);
          if (out_step == 1) REQUIRE(refused == overlap);
          if (!refused) ++accepted;
        }
  CHECK(accepted > 300);
}

}  // namespace

TEST_SUITE_END();
