// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// add on every backend, against plain loops: types, layouts, scalars, batches, in
// place, refusals. Exact, with small integers.

#include "cases/add_cases.hpp"
#include "support/refusal.hpp"
#include "support/small_tests.hpp"
#include "support/verbose_lines.hpp"

#include <doctest/doctest.h>

#include <xpose/backends/omp/add/simd.hpp>

#include <cmath>
#include <limits>
#include <vector>

TEST_SUITE_BEGIN("add");

namespace {

using add_cases::add_case;
using add_cases::byte_number;
using add_cases::check_add;
using cases::index;
using cases::pattern;
using gemm_cases::small_integer;
using xpose::matrix_view;
using xpose::strided;

/// All shapes, with A in all layouts, as it is and turned; a rotating choice of all else.
template <class T>
void check_shapes(backend const& on) {
  constexpr auto inputs = std::size(cases::input_patterns);
  constexpr auto outputs = std::size(cases::output_patterns);
  std::size_t turn = 0;
  for (auto const& [rows, cols] : cases::shapes())
    for (auto const a : cases::input_patterns)
      for (bool const transpose_a : {false, true}) {
        add_case g;
        g.rows = rows;
        g.cols = cols;
        g.a = a;
        g.transpose_a = transpose_a;
        g.b = cases::input_patterns[(turn * 3 + turn / inputs) % inputs];
        g.c = cases::output_patterns[(turn * 5 + turn / outputs) % outputs];
        g.alpha = std::array<int, 4>{1, -2, 3, 0}[turn / 3 % 4];
        g.beta = std::array<int, 3>{0, 1, -1}[turn / 5 % 3];
        g.conjugate_a = turn / 2 % 5 == 1;
        g.conjugate_b = turn / 3 % 7 == 2;
        ++turn;
        if (!is_left_out()) check_add<T>(on, g);
      }
}

/// Two tiles of turned operands in both directions, on a team.
template <class T>
void check_all_layouts(backend const& on) {
  for (auto const a : cases::input_patterns)
    for (auto const b : cases::input_patterns)
      for (auto const c : cases::output_patterns) {
        add_case g;
        g.rows = 140;
        g.cols = 300;
        g.a = a;
        g.b = b;
        g.c = c;
        if (!is_left_out()) check_add<T>(on, g);
      }
}

TEST_CASE_TEMPLATE("add of every built-in type is exact for integers in every shape and layout",
                   Backend, GUARDED_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  check_shapes<float>(on);
  check_shapes<double>(on);
  check_shapes<std::complex<float>>(on);
  check_shapes<std::complex<double>>(on);
  check_shapes<xpose::float16>(on);
  check_shapes<xpose::bfloat16>(on);
  check_shapes<std::int8_t>(on);
  check_shapes<std::uint8_t>(on);
  check_shapes<std::int16_t>(on);
  check_shapes<std::uint16_t>(on);
  check_shapes<std::int32_t>(on);
  check_shapes<std::uint32_t>(on);
  check_shapes<std::int64_t>(on);
  check_shapes<std::uint64_t>(on);
  check_all_layouts<float>(on);
}

TEST_CASE_TEMPLATE("add of float8 is calculated in float, in the caller's file", Backend,
                   GUARDED_HOST_BACKENDS) {
  backend const on = Backend::get();
  check_shapes<xpose::float8_e4m3>(on);
  check_shapes<xpose::float8_e5m2>(on);
}

TEST_CASE_TEMPLATE("add of a user's type of any size is right in every shape and layout", Backend,
                   GUARDED_HOST_BACKENDS) {
  backend const on = Backend::get();
  check_shapes<byte_number<3>>(on);
  check_shapes<byte_number<6>>(on);
  check_shapes<byte_number<12>>(on);
  check_shapes<byte_number<16>>(on);
  check_shapes<byte_number<24>>(on);
  check_shapes<byte_number<32>>(on);
}

TEST_CASE_TEMPLATE("add takes batches, and a single matrix for every matrix of one", Backend,
                   GUARDED_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  for (index const batch : {0, 3, 300})
    for (auto const& [rows, cols] : {std::pair<index, index>{5, 9}, {64, 33}, {1, 1}}) {
      add_case g;
      g.rows = rows;
      g.cols = cols;
      g.batch = batch;
      g.a = pattern::padded_cols;
      g.c = pattern::spread;
      check_add<float>(on, g);
      g.transpose_a = true;
      check_add<float>(on, g);
      g.a_is_single = true;
      check_add<double>(on, g);
    }
}

TEST_CASE_TEMPLATE("add writes over A or B where C is the very same matrix", Backend,
                   GUARDED_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  for (auto const p : cases::output_patterns) {
    matrix<float> a(on.where, 130, 70, p, 3);
    matrix<float> b(on.where, 130, 70, pattern::row_major, 3);
    auto const of_a = [](index m, index i, index j) { return small_integer<float>(m, i, j, 1); };
    auto const of_b = [](index m, index i, index j) { return small_integer<float>(m, i, j, 2); };
    a.fill(of_a);
    b.fill(of_b);
    xpose::add(on.policy, 2, a.batch_there(), 3, b.batch_there(), a.batch_there());
    CHECK(
        a.holds([&](index m, index i, index j) { return 2 * of_a(m, i, j) + 3 * of_b(m, i, j); }));
    a.fill(of_a);
    xpose::add(on.policy, 2, b.batch_there(), 3, a.batch_there(), a.batch_there());
    CHECK(
        a.holds([&](index m, index i, index j) { return 2 * of_b(m, i, j) + 3 * of_a(m, i, j); }));
    a.fill(of_a);
    xpose::add(on.policy, 2, a.there(), 3, a.there(), a.there());
    CHECK(a.holds([&](index m, index i, index j) { return (m == 0 ? 5 : 1) * of_a(m, i, j); }));
  }
}

TEST_CASE_TEMPLATE("add with a scalar of zero never reads its operand", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  float const nan = std::numeric_limits<float>::quiet_NaN();
  auto const two = [](index, index) { return 2.f; };
  matrix<float> number(on.where, 40, 50, two);
  matrix<float> none(on.where, 40, 50, [nan](index, index) { return nan; });
  matrix<float> c(on.where, 40, 50, two);
  xpose::add(on.policy, 0, none.there(), 3, number.there(), c.there());
  CHECK(c.is([](index, index) { return 6.f; }));
  xpose::add(on.policy, 3, number.there(), 0, none.there(), c.there());
  CHECK(c.is([](index, index) { return 6.f; }));
  xpose::add(on.policy, 0, none.there(), 0, none.there(), c.there());
  CHECK(c.is([](index, index) { return 0.f; }));
  xpose::add(on.policy, 1, none.there(), 0, none.there(), c.there());
  c.fetch();
  CHECK(std::isnan(c.here()(39, 49)));
}

TEST_CASE_TEMPLATE("integers that overflow in add wrap around", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  auto const check = [&on](auto zero) {
    using T = decltype(zero);
    T const most = std::numeric_limits<T>::max();
    T const least = std::numeric_limits<T>::min();
    matrix<T> a(on.where, 3, 4, [=](index, index) { return most; });
    matrix<T> b(on.where, 3, 4, [](index, index) { return T(1); });
    matrix<T> c(on.where, 3, 4, [](index, index) { return T(0); });
    xpose::add(on.policy, 1, a.there(), 1, b.there(), c.there());
    CHECK(c.is([=](index, index) { return least; }));
    xpose::add(on.policy, most, a.there(), 0, b.there(), c.there());
    CHECK(c.is([](index, index) { return T(1); }));
  };
  check(std::int8_t{});
  check(std::uint8_t{});
  check(std::int16_t{});
  check(std::uint16_t{});
  check(std::int32_t{});
  check(std::uint32_t{});
  check(std::int64_t{});
  check(std::uint64_t{});
}

TEST_CASE_TEMPLATE("add of halves rounds once, and complex scalars multiply as numbers do", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  using xpose::float16;
  matrix<float16> a(on.where, 2, 3, [](index, index) { return float16(1025.f); });
  matrix<float16> b(on.where, 2, 3, [](index, index) { return float16(1.f); });
  matrix<float16> c(on.where, 2, 3, [](index, index) { return float16(0.f); });
  // 1537.5 - 0.25: float16 has steps of 1 there, so a product rounded by itself would give 1538.
  xpose::add(on.policy, 1.5f, a.there(), -0.25f, b.there(), c.there());
  CHECK(c.is([](index, index) { return float16(1537.f); }));

  using complex = std::complex<double>;
  matrix<complex> z(on.where, 2, 2, [](index i, index j) { return complex(double(i), double(j)); });
  matrix<complex> w(on.where, 2, 2, [](index, index) { return complex(0, 0); });
  xpose::add(on.policy, complex(0, 1), z.there(), complex(2, 0), conjugated(z.there()), w.there());
  CHECK(w.is([](index i, index j) {
    return complex(0, 1) * complex(double(i), double(j)) + 2. * complex(double(i), -double(j));
  }));
  // By 1 nothing is multiplied: an infinity stays one.
  double const infinity = std::numeric_limits<double>::infinity();
  matrix<complex> far(on.where, 2, 2, [=](index, index) { return complex(1, infinity); });
  xpose::add(on.policy, 1, far.there(), 1, z.there(), w.there());
  w.fetch();
  CHECK(w.here()(1, 0) == complex(2, infinity));
}

struct money {
  long cents;
  friend money operator+(money a, money b) { return {a.cents + b.cents}; }
  friend money operator*(money a, money b) { return {a.cents * b.cents}; }
};

TEST_CASE_TEMPLATE("add takes mixed types and a user's own", Backend, HOST_BACKENDS) {
  backend const on = Backend::get();
  matrix<std::int8_t> a(on.where, 70, 90, pattern::col_major);
  matrix<float> b(on.where, 70, 90, pattern::row_major);
  matrix<double> c(on.where, 70, 90, pattern::padded_rows);
  a.fill([](index, index i, index j) { return static_cast<std::int8_t>(i - j); });
  b.fill([](index, index i, index j) { return static_cast<float>(i * j); });
  xpose::add(on.policy, 0.5, a.there(), -2, b.there(), c.there());
  CHECK(c.holds([](index, index i, index j) {
    return 0.5 * static_cast<double>(static_cast<std::int8_t>(i - j)) -
           2 * static_cast<double>(i * j);
  }));

  matrix<money> price(on.where, 3, 4, [](index i, index j) { return money{i + 10 * j}; });
  matrix<money> sum(on.where, 4, 3, pattern::row_major);
  xpose::add(on.policy, money{2}, price.there().transposed(), money{0}, price.there().transposed(),
             sum.there());
  CHECK(sum.is([](index i, index j) { return money{2 * (j + 10 * i)}; }));
}

/// Three 8x8 matrices side by side in the backend's place, all elements 7.
struct three_matrices {
  explicit three_matrices(backend const& on)
      : memory(on.where, 8, 24, [](index, index) { return 7.f; }) {}
  matrix_view<float> operator[](index i) const { return memory.there().submatrix(0, 8 * i, 8, 8); }
  matrix<float> memory;
};

TEST_CASE_TEMPLATE("add refuses shapes, layouts and overlaps, and writes nothing", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  three_matrices const m(on);
  auto const a = m[0];
  auto const b = m[1];
  auto const c = m[2];
  auto const add = [&](auto const& x, auto const& y, auto const& z) {
    return [&on, x, y, z] { xpose::add(on.policy, 1, x, 1, y, z); };
  };
  CHECK(refusal<xpose::shape_error>(add(a.submatrix(0, 0, 3, 4), b, c)) ==
        "add: A is 3x4, B is 8x8 and C is 8x8: all three must have the same extents");
  CHECK(refusal<xpose::shape_error>(add(a, b.submatrix(0, 0, 8, 7), c)) ==
        "add: A is 8x8, B is 8x7 and C is 8x8: all three must have the same extents");
  CHECK(refusal<xpose::shape_error>(add(xpose::batch(a, 2, 0), b, c)) ==
        "add: A is 2 of 8x8, B is 8x8 and C is 8x8: all three must have the same extents");
  CHECK(
      refusal<xpose::layout_error>(add(a, b, matrix_view<float>(c.data(), 8, 8, strided{0, 1}))) ==
      "add: C is 8x8 with row stride 0, column stride 1: some elements share an address, and an "
      "output's must be distinct");
  auto* const crooked = reinterpret_cast<float*>(reinterpret_cast<char*>(a.data()) + 2);
  CHECK(contains(
      refusal<xpose::layout_error>(add(matrix_view<float>(crooked, 8, 8, strided{24, 1}), b, c)),
      "add: A at 0x"));
  auto const onto_a = refusal<xpose::alias_error>(add(a, b, a.transposed()));
  CHECK(contains(onto_a, "add: C [0x"));
  CHECK(contains(onto_a, "; C must be A itself or have memory of its own"));
  CHECK(contains(refusal<xpose::alias_error>(add(a, b, m.memory.there().submatrix(0, 9, 8, 8))),
                 "; C must be B itself or have memory of its own"));
  // A single matrix would be read again after the first of a batch has been written over it.
  CHECK(contains(refusal<xpose::alias_error>(add(a.submatrix(0, 0, 4, 8), b.submatrix(0, 0, 4, 8),
                                                 xpose::batch(a.submatrix(0, 0, 4, 8), 2, 96))),
                 "overlaps A"));
  CHECK(m.memory.is_untouched());
}

TEST_CASE_TEMPLATE("the backend and kernel that add runs on are the ones explained", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  three_matrices const m(on);
  std::string const ran =
      verbose_lines([&] { xpose::add(on.policy, 2, m[0], 3, m[1].transposed(), m[2]); });
  CAPTURE(ran);
  CHECK(contains(ran, std::string("add to 8x8 of 4 bytes: backend ") + on.name + ","));
  auto const told = xpose::explain(on.policy, xpose::operation::add, m[0], m[1].transposed(), m[2]);
  CHECK(told.backend == on.name);
  CHECK(contains(ran, "kernel " + told.kernel));
  CHECK(refusal<xpose::shape_error>([&] {
          xpose::explain(on.policy, xpose::operation::add, m[0], m[1]);
        }) == "explain: add takes three views, A, B and C");
}

TEST_CASE("add on omp has vectors for what lies along C and for what is turned against it") {
  std::vector<float> const memory(40 * 50 * 2);
  std::vector<float> result(40 * 50);
  matrix_view<float const> const rows(memory.data(), 40, 50);
  auto const columns = matrix_view<float const>(memory.data(), 50, 40).transposed();
  matrix_view<float const> const neither(memory.data(), 40, 50, strided{100, 2});
  auto const kernel = [&](auto const& a, auto const& b) {
    return xpose::explain(xpose::omp, xpose::operation::add, a, b,
                          matrix_view<float>(result.data(), 40, 50))
        .kernel;
  };
  using xpose::detail::active_simd_kernels;
  bool const has_vectors = xpose::detail::add_kernels_for(
                               active_simd_kernels(), xpose::detail::element_type::f32) != nullptr;
  CHECK(kernel(rows, rows) == (has_vectors ? "add_rows" : "add_tiles"));
  CHECK(kernel(columns, rows) == (has_vectors ? "add_transposed" : "add_tiles"));
  CHECK(kernel(rows, columns) == (has_vectors ? "add_transposed" : "add_tiles"));
  CHECK(kernel(columns, columns) == (has_vectors ? "add_both_transposed" : "add_tiles"));
  CHECK(kernel(rows, neither) == "add_tiles");
}

/// Scalars with an imaginary part, of operands as they are and conjugated, in every layout.
template <class Real>
void check_complex_scalars(backend const& on) {
  using complex = std::complex<Real>;
  complex const alpha(2, -3);
  complex const beta(-1, 4);
  auto const of_a = [](index, index i, index j) { return small_integer<complex>(0, i, j, 1); };
  auto const of_b = [](index, index i, index j) { return small_integer<complex>(0, i, j, 2); };
  constexpr pattern layouts[] = {pattern::row_major, pattern::col_major};
  for (auto const layout_a : layouts)
    for (auto const layout_b : layouts)
      for (bool const is_conjugated : {false, true}) {
        matrix<complex> a(on.where, 70, 37, layout_a);
        matrix<complex> b(on.where, 70, 37, layout_b);
        matrix<complex> c(on.where, 70, 37, pattern::padded_rows);
        a.fill(of_a);
        b.fill(of_b);
        auto const x = a.there();
        auto const y = b.there();
        if (is_conjugated)
          xpose::add(on.policy, alpha, conjugated(x), beta, conjugated(y), c.there());
        else xpose::add(on.policy, alpha, x, beta, y, c.there());
        CAPTURE(is_conjugated);
        CAPTURE(static_cast<int>(layout_a));
        CAPTURE(static_cast<int>(layout_b));
        bool const is_right = c.holds([&](index m, index i, index j) {
          complex const p = of_a(m, i, j);
          complex const q = of_b(m, i, j);
          return is_conjugated ? alpha * std::conj(p) + beta * std::conj(q) : alpha * p + beta * q;
        });
        CHECK(is_right);
      }
}

TEST_CASE_TEMPLATE("add multiplies by complex scalars, conjugated or not, in every layout", Backend,
                   GUARDED_BACKENDS) {
  if (!Backend::is_here()) return;
  check_complex_scalars<float>(Backend::get());
  check_complex_scalars<double>(Backend::get());
}

}  // namespace

TEST_SUITE_END();
