// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// transpose_inplace on every backend, against plain loops on a copy of the memory.

#include "cases/matrix.hpp"
#include "support/backends.hpp"
#include "support/refusal.hpp"
#include "support/verbose_lines.hpp"

#include <xpose/backends/omp/transpose/in_place.hpp>

#include <doctest/doctest.h>

#include <vector>

TEST_SUITE_BEGIN("transpose_inplace");

namespace {

using cases::index;
using cases::layout;
using xpose::batch_view;
using xpose::matrix_view;
using xpose::strided;

template <class T>
void check_inplace(backend const& on, layout const& l) {
  CAPTURE(on.name);
  CAPTURE(sizeof(T));
  CAPTURE(l);
  matrix<T> memory(on.where, l);
  memory.fill_with_bytes();
  matrix<T> before(place::host, l);
  before.fill_with_bytes();

  auto const view = memory.batch_there();
  batch_view<T> const result =
      l.batch == 1
          ? xpose::batch(xpose::transpose_inplace(on.policy, view.first()), 1, l.batch_stride)
          : xpose::transpose_inplace(on.policy, view);

  REQUIRE(result.count() == l.batch);
  REQUIRE(result.rows() == l.cols);
  REQUIRE(result.cols() == l.rows);
  CHECK(result.batch_stride() == l.batch_stride);
  CHECK(result.first().data() == view.first().data());
  // What the result reads, written by hand into the memory on the host.
  strided const s{result.first().row_stride(), result.first().col_stride()};
  batch_view<T> const expected(memory.here().data(), l.batch, l.cols, l.rows, s, l.batch_stride);
  auto const source = before.batch_here();
  for (index m = 0; m < l.batch; ++m)
    for (index i = 0; i < l.cols; ++i)
      for (index j = 0; j < l.rows; ++j) expected[m](i, j) = source[m](j, i);
  bool const is_right = memory.is_untouched();
  CHECK(is_right);
}

constexpr cases::pattern packed[] = {cases::pattern::row_major, cases::pattern::col_major};

TEST_CASE_TEMPLATE("transpose_inplace turns square matrices of any layout and element size",
                   Backend, GUARDED_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  for_each_element_size([&](auto sample) {
    using T = typename decltype(sample)::type;
    for (index const side : {0, 1, 2, 3, 31, 32, 33, 47, 48, 49, 63, 64, 65, 97, 130, 256})
      for (auto const p : cases::output_patterns) check_inplace<T>(on, cases::place(p, side, side));
  });
  check_inplace<element<100>>(on, cases::place(cases::pattern::padded_rows, 70, 70));
  check_inplace<float>(on, cases::place(cases::pattern::padded_cols, 1000, 1000));
}

TEST_CASE_TEMPLATE("transpose_inplace turns packed matrices of any shape and element size", Backend,
                   GUARDED_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  for_each_element_size([&](auto sample) {
    using T = typename decltype(sample)::type;
    for (auto const& [rows, cols] : cases::shapes())
      for (auto const p : packed) check_inplace<T>(on, cases::place(p, rows, cols));
  });
  for (auto const& [rows, cols] : cases::large_shapes())
    for (auto const p : packed) check_inplace<double>(on, cases::place(p, rows, cols));
  check_inplace<element<5>>(on, cases::place(cases::pattern::row_major, 1201, 803));
}

/// Matrices of more than a byte are cut into panels of 4 KB, or of 256 bytes a row.
struct small_panels {
  small_panels() { xpose::detail::set_in_place_limits(1, 4096); }
  ~small_panels() { xpose::detail::set_in_place_limits(0, 0); }
};

TEST_CASE("omp transposes rectangles in place by panels, whatever they leave over, on any team") {
  small_panels const limits;
  for (place const where : {place::host_guard_before, place::host_guard_behind})
    for (int const threads : {1, 3}) {
      backend const on = make_backend("omp", where, xpose::omp.with(xpose::threads{threads}));
      for_each_element_size([&](auto sample) {
        using T = typename decltype(sample)::type;
        for (auto const& [rows, cols] : std::vector<std::pair<index, index>>{
                 {640, 70}, {643, 70}, {1031, 97}, {257, 256}, {4100, 3}, {900, 2}, {512, 128}})
          for (auto const p : packed) {
            check_inplace<T>(on, cases::place(p, rows, cols));
            check_inplace<T>(on, cases::place(p, cols, rows));
          }
      });
      check_inplace<element<100>>(on, cases::place(cases::pattern::row_major, 301, 40));
      check_inplace<std::uint16_t>(on, cases::place(cases::pattern::row_major, 4096, 4100));
      check_inplace<float>(on, cases::place(cases::pattern::row_major, 300, 70, 5));
      check_inplace<float>(on, cases::place(cases::pattern::row_major, 70, 300, 5));
      std::vector<float> memory(300 * 70);
      CHECK(xpose::explain(on.policy, xpose::operation::transpose_inplace,
                           matrix_view<float>(memory.data(), 300, 70))
                .kernel == "transpose_panels_and_blocks");
    }
}

TEST_CASE("omp transposes squares in place whose rows begin a few bytes apart modulo a page") {
  for (int const threads : {1, 3}) {
    backend const on =
        make_backend("omp", place::host_guard_behind, xpose::omp.with(xpose::threads{threads}));
    for_each_element_size([&](auto sample) {
      using T = typename decltype(sample)::type;
      index const in_page = 4096 / static_cast<index>(sizeof(T));
      for (index const pitch : {in_page - 1, in_page, in_page + 1, in_page / 2 + 1})
        for (index const side : {100, 300}) {
          if (side > pitch) continue;
          check_inplace<T>(on, {"near a page", side, side, pitch, 1, 1, 0, 0, side * pitch});
          check_inplace<T>(on, {"near a page", side, side, 1, pitch, 1, 0, 0, side * pitch});
        }
    });
  }
}

TEST_CASE_TEMPLATE("transpose_inplace turns batches, square and packed ones with gaps between them",
                   Backend, GUARDED_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  for (index const batch : {0, 2, 7, 300}) {
    for (auto const p : cases::output_patterns) {
      check_inplace<float>(on, cases::place(p, 33, 33, batch));
      check_inplace<element<3>>(on, cases::place(p, 5, 5, batch));
    }
    for (auto const p : packed)
      for (auto const& [rows, cols] :
           {std::pair<index, index>{3, 5}, {64, 2}, {33, 31}, {0, 3}, {1, 9}})
        check_inplace<std::uint16_t>(on, cases::place(p, rows, cols, batch));
  }
  // More than the workspace holds at a time.
  check_inplace<double>(on, cases::place(cases::pattern::row_major, 500, 300, 15));
  layout backwards = cases::place(cases::pattern::row_major, 3, 5, 4);
  backwards.offset = 3 * backwards.batch_stride;
  backwards.batch_stride = -backwards.batch_stride;
  check_inplace<float>(on, backwards);
  layout interleaved{"interleaved squares", 3, 3, 12, 4, 4, 1, 0, 36};
  check_inplace<float>(on, interleaved);
}

TEST_CASE_TEMPLATE(
    "transpose_inplace moves nothing in single rows and columns, whatever their stride", Backend,
    GUARDED_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  for (auto const p : cases::output_patterns) {
    check_inplace<float>(on, cases::place(p, 1, 40));
    check_inplace<float>(on, cases::place(p, 40, 1, 3));
  }
}

TEST_CASE_TEMPLATE("transpose_inplace of a batch without elements is a no-op, whatever its extents",
                   Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  float* const null = nullptr;
  index const large = index{1} << 40;
  auto const turned = [&](index count, index rows, index cols, strided s) {
    auto const v = xpose::transpose_inplace(
        on.policy, xpose::batch_view<float>(null, count, rows, cols, s, rows * 2));
    CHECK(v.first().data() == nullptr);
    CHECK(v.count() == count);
    CHECK(v.batch_stride() == rows * 2);
    CHECK(v.rows() == cols);
    CHECK(v.cols() == rows);
    return std::pair(v.first().row_stride(), v.first().col_stride());
  };
  using strides = std::pair<index, index>;
  CHECK(turned(0, 7, 5, {5, 1}) == strides{7, 1});
  CHECK(turned(0, 7, 5, {1, 7}) == strides{1, 5});
  CHECK(turned(0, 7, 5, {9, 2}) == strides{2, 9});
  CHECK(turned(0, 6, 6, {6, 1}) == strides{6, 1});
  CHECK(turned(0, large, large, {large, 1}) == strides{large, 1});
  CHECK(turned(0, large, large + 1, {large + 1, 1}) == strides{large, 1});
  CHECK(turned(3, 0, 5, {5, 1}) == strides{0, 1});
  CHECK(turned(3, 7, 0, {0, 1}) == strides{7, 1});
}

TEST_CASE("transpose_inplace returns the layout that it found, turned") {
  std::vector<float> memory(100);
  auto const strides_of = [](matrix_view<float> v) {
    return std::pair(v.row_stride(), v.col_stride());
  };
  using strides = std::pair<index, index>;
  auto const turned = [&](index rows, index cols, strided s) {
    return strides_of(
        xpose::transpose_inplace(xpose::omp, matrix_view<float>(memory.data(), rows, cols, s)));
  };
  CHECK(turned(3, 5, {5, 1}) == strides{3, 1});
  CHECK(turned(3, 5, {1, 3}) == strides{1, 5});
  CHECK(turned(4, 4, {9, 2}) == strides{9, 2});
  CHECK(turned(1, 5, {7, 2}) == strides{2, 7});
  CHECK(turned(5, 1, {1, 1}) == strides{5, 1});
}

/// A view's memory in the backend's place, all bytes poison.
struct poisoned {
  explicit poisoned(backend const& on) : memory(on.where, 4000) {}
  float* data() const { return reinterpret_cast<float*>(memory.there()); }
  bool is_untouched() const { return memory.is_as_on_host(); }
  image memory;
};

TEST_CASE_TEMPLATE("transpose_inplace refuses layouts that it cannot keep, and writes nothing",
                   Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  poisoned const p(on);
  auto const refused = [&](auto const& view) {
    return refusal<xpose::layout_error>([&] { xpose::transpose_inplace(on.policy, view); });
  };
  CHECK(refused(matrix_view<float>(p.data(), 3, 5, xpose::row_major, 8)) ==
        "transpose_inplace: view is 3x5 with row stride 8, column stride 1: a matrix that is not "
        "square must be packed, with strides 5, 1 or 1, 3");
  CHECK(refused(matrix_view<float>(p.data() + 100, 3, 5, strided{-5, -1})) ==
        "transpose_inplace: view is 3x5 with row stride -5, column stride -1: a matrix that is not "
        "square must be packed, with strides 5, 1 or 1, 3");
  CHECK(refused(xpose::batch(matrix_view<float>(p.data(), 3, 5), 4, 12)) ==
        "transpose_inplace: view is 4 of 3x5 with row stride 5, column stride 1, batch stride 12: "
        "some elements share an address, and an output's must be distinct");
  CHECK(refused(matrix_view<float>(p.data(), 4, 4, strided{1, 1})) ==
        "transpose_inplace: view is 4x4 with row stride 1, column stride 1: some elements share an "
        "address, and an output's must be distinct");
  auto* const crooked = reinterpret_cast<float*>(reinterpret_cast<char*>(p.data()) + 2);
  CHECK(contains(refused(matrix_view<float>(crooked, 4, 4)),
                 "is not aligned to its element type (4 bytes)"));
  CHECK(p.is_untouched());
}

TEST_CASE_TEMPLATE("the backend and kernel that transpose_inplace runs on are the ones explained",
                   Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  poisoned const p(on);
  for (auto const& view :
       {matrix_view<float>(p.data(), 20, 20), matrix_view<float>(p.data(), 20, 10)}) {
    std::string const ran = verbose_lines([&] { xpose::transpose_inplace(on.policy, view); });
    CAPTURE(ran);
    CHECK(contains(ran, std::string("transpose_inplace to 20x")));
    CHECK(contains(ran, std::string("of 4 bytes: backend ") + on.name + ","));
    auto const told = xpose::explain(on.policy, xpose::operation::transpose_inplace, view);
    CHECK(told.backend == on.name);
    CHECK(contains(ran, "kernel " + told.kernel));
  }
}

}  // namespace

TEST_SUITE_END();
