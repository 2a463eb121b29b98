// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// mdspans as views and as operands: an mdspan-alike of our own with every layout and accessor.

#include "mdspan_alike.hpp"

#include "support/refusal.hpp"

#include <xpose/mdspan.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

namespace {

using complex = std::complex<double>;
using layout = std::array<xpose::index, 4>;

template <class T>
layout layout_of(xpose::matrix_view<T> v) {
  return {v.rows(), v.cols(), v.row_stride(), v.col_stride()};
}

std::vector<double> numbers(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 1.);
  return values;
}
std::vector<complex> complex_numbers(std::size_t count) {
  std::vector<complex> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = {static_cast<double>(i + 1), static_cast<double>(i % 5) - 2};
  return values;
}

/// Runs the call on each policy of the host.
template <class Call>
void on_each_policy(Call const& call) {
  SUBCASE("reference") { call(xpose::reference); }
  SUBCASE("seq") { call(xpose::seq); }
  SUBCASE("omp") { call(xpose::omp); }
}

/// Whether out(j, i) == f(m(i, j)), with m read through its accessor.
template <class M, class Out, class F>
bool is_transposed(M const& m, Out const& out, F const& f) {
  for (long i = 0; i < m.extent(0); ++i)
    for (long j = 0; j < m.extent(1); ++j)
      if (out(j, i) != f(m(i, j))) return false;
  return true;
}
constexpr auto same = [](auto const& x) { return x; };

TEST_CASE("an mdspan of two dimensions is a matrix of its extents, strides and memory") {
  auto memory = numbers(100);
  auto const padded = alike::strided<double, 2>(memory.data() + 3, {4, 5}, {1, 8});
  auto const v = xpose::view(padded);
  static_assert(std::is_same_v<decltype(v), xpose::matrix_view<double> const>);
  CHECK(layout_of(v) == layout{4, 5, 1, 8});
  CHECK(v.data() == memory.data() + 3);
  CHECK(&v(2, 3) == &padded(2, 3));
}

TEST_CASE("an mdspan of const elements is a view of const elements") {
  auto const memory = numbers(6);
  auto const v = xpose::view(alike::strided<double const, 2>(memory.data(), {2, 3}, {3, 1}));
  static_assert(std::is_same_v<decltype(v), xpose::matrix_view<double const> const>);
  CHECK(v.data() == memory.data());
}

TEST_CASE("an mdspan of three dimensions is a batch, of any number a tensor") {
  auto memory = numbers(120);
  auto const batch = xpose::view(alike::strided<double, 3>(memory.data(), {2, 3, 5}, {60, 1, 4}));
  static_assert(std::is_same_v<decltype(batch), xpose::batch_view<double> const>);
  CHECK(batch.count() == 2);
  CHECK(batch.batch_stride() == 60);
  CHECK(layout_of(batch.first()) == layout{3, 5, 1, 4});

  auto const tensor =
      xpose::tensor(alike::strided<double, 4>(memory.data(), {2, 3, 4, 5}, {60, 20, 5, 1}));
  static_assert(std::is_same_v<decltype(tensor), xpose::tensor_view<double, 4> const>);
  CHECK(tensor.extent(2) == 4);
  CHECK(tensor.stride(1) == 20);
  CHECK(tensor.data() == memory.data());
  auto const line = xpose::tensor(alike::strided<double, 1>(memory.data(), {7}, {3}));
  CHECK(line.extent(0) == 7);
  CHECK(line.stride(0) == 3);
}

TEST_CASE("an mdspan without elements is an empty view, with and without memory") {
  auto memory = numbers(6);
  for (double* data : {memory.data(), static_cast<double*>(nullptr)}) {
    auto const v = xpose::view(alike::strided<double, 2>(data, {0, 3}, {3, 1}));
    CHECK(v.empty());
    CHECK(layout_of(v) == layout{0, 3, 3, 1});
    auto const out = alike::strided<double, 2>(nullptr, {3, 0}, {0, 1});
    CHECK_NOTHROW(xpose::transpose(xpose::seq, v, out));
  }
}

TEST_CASE("an mdspan breaks the rules of a view in a view's words") {
  auto const no_memory = alike::strided<double, 2>(nullptr, {2, 3}, {3, 1});
  CHECK(refusal<xpose::layout_error>([&] { xpose::view(no_memory); }) ==
        "tensor_view: data is null, but extents are 2x3");
  auto memory = numbers(2);
  auto const wide =
      alike::strided<double, 2>(memory.data(), {long{1} << 32, 2}, {long{1} << 40, 1});
  CHECK_THROWS_AS(xpose::view(wide), xpose::overflow_error);
}

TEST_CASE("a layout that has strides for some extents is refused for the others") {
  auto memory = numbers(10);
  alike::mdspan<double, 2, alike::packed_triangle> const triangle(memory.data(), {4, 4}, {});
  CHECK(refusal<xpose::layout_error>([&] { xpose::view(triangle); }) ==
        "view: the layout of a 4x4 mdspan has no strides");
  alike::mdspan<double, 2, alike::packed_triangle> const one(memory.data(), {1, 1}, {});
  CHECK(layout_of(xpose::view(one)) == layout{1, 1, 1, 1});
}

TEST_CASE("an mdspan that repeats elements is an input, and is refused as an output") {
  auto memory = numbers(3);
  auto const repeated = alike::strided<double, 2>(memory.data(), {2, 3}, {0, 1});
  std::vector<double> out(6);
  auto const to = alike::strided<double, 2>(out.data(), {3, 2}, {2, 1});
  xpose::transpose(xpose::seq, repeated, to);
  CHECK(out == std::vector<double>{1, 1, 2, 2, 3, 3});
  CHECK_THROWS_AS(xpose::transpose(xpose::seq, to, repeated), xpose::layout_error);
}

TEST_CASE("a conjugated mdspan is a conjugated view, twice conjugated a view") {
  auto memory = complex_numbers(6);
  auto const m = alike::strided<complex, 2>(memory.data(), {2, 3}, {3, 1});
  auto const v = xpose::view(alike::conjugated(m));
  static_assert(
      std::is_same_v<decltype(v), xpose::conjugated_view<xpose::matrix_view<complex>> const>);
  CHECK(v.base().data() == memory.data());
  static_assert(std::is_same_v<decltype(xpose::view(alike::conjugated(alike::conjugated(m)))),
                               xpose::matrix_view<complex>>);
}

TEST_CASE("operations take mdspans and views beside each other") {
  on_each_policy([](auto const& policy) {
    auto memory = numbers(6);
    std::vector<double> out(6);
    auto const in = alike::strided<double, 2>(memory.data(), {2, 3}, {3, 1});
    auto const turned = alike::strided<double, 2>(out.data(), {3, 2}, {2, 1});
    xpose::matrix_view<double> const turned_view(out.data(), 3, 2);

    xpose::transpose(policy, in, turned);
    CHECK(is_transposed(in, turned, same));
    xpose::transpose(policy, in, turned_view, [](double x) { return -x; });
    CHECK(is_transposed(in, turned, [](double x) { return -x; }));
    xpose::transpose(policy, xpose::view(in), turned);
    CHECK(is_transposed(in, turned, same));
    xpose::copy(policy, in, alike::strided<double, 2>(out.data(), {2, 3}, {1, 2}));
    CHECK(is_transposed(in, turned, same));

    auto const back = xpose::transpose_inplace(policy, turned);
    CHECK(layout_of(back) == layout{2, 3, 3, 1});
    CHECK(out == memory);
  });
}

TEST_CASE("permute takes mdspans by NumPy's rule") {
  on_each_policy([](auto const& policy) {
    auto memory = numbers(24);
    std::vector<double> out(24);
    auto const in = alike::strided<double, 3>(memory.data(), {2, 3, 4}, {12, 4, 1});
    auto const permuted = alike::strided<double, 3>(out.data(), {4, 2, 3}, {6, 3, 1});
    xpose::permute(policy, in, permuted, std::array<int, 3>{2, 0, 1});
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t k = 0; k < 4; ++k)
          wrong += out[k * 6 + i * 3 + j] != memory[i * 12 + j * 4 + k];
    CHECK(wrong == 0);

    xpose::permute(policy, alike::scaled(3., in), permuted, std::array<int, 3>{2, 0, 1});
    CHECK(out[6 * 3 + 3 * 1 + 2] == 3 * memory[12 * 1 + 4 * 2 + 3]);
  });
}

TEST_CASE("transpose reads a scaled and conjugated mdspan as its accessor does, before f") {
  on_each_policy([](auto const& policy) {
    auto memory = complex_numbers(6);
    std::vector<complex> out(6);
    auto const in = alike::strided<complex, 2>(memory.data(), {2, 3}, {1, 2});
    auto const turned = alike::strided<complex, 2>(out.data(), {3, 2}, {2, 1});
    complex const factor{2, 3};
    auto const run = [&](auto const& m) {
      xpose::transpose(policy, m, turned);
      return is_transposed(m, turned, same);
    };
    CHECK(run(alike::conjugated(in)));
    CHECK(run(alike::scaled(factor, in)));
    CHECK(run(alike::scaled(factor, alike::conjugated(in))));
    CHECK(run(alike::conjugated(alike::scaled(factor, in))));
    CHECK(run(alike::scaled(2., alike::scaled(factor, in))));

    auto const plus_i = [](complex x) { return x + complex{0, 1}; };
    auto const both = alike::conjugated(alike::scaled(factor, in));
    xpose::transpose(policy, both, turned, plus_i);
    CHECK(is_transposed(both, turned, plus_i));
    xpose::copy(policy, both, xpose::view(turned).transposed(), plus_i);
    CHECK(is_transposed(both, turned, plus_i));
  });
}

TEST_CASE("conjugating a real mdspan changes nothing") {
  auto memory = numbers(6);
  std::vector<double> out(6);
  auto const in = alike::strided<double, 2>(memory.data(), {2, 3}, {3, 1});
  auto const turned = alike::strided<double, 2>(out.data(), {3, 2}, {2, 1});
  xpose::transpose(xpose::omp, alike::conjugated(in), turned);
  CHECK(is_transposed(in, turned, same));
}

/// alpha A B + beta C as the loops say, all read through their accessors; small integers, so exact.
template <class A, class B>
std::vector<complex> product(complex alpha, A const& a, B const& b, complex beta,
                             std::vector<complex> const& c) {
  std::vector<complex> result(c.size());
  long const rows = a.extent(0), cols = b.extent(1);
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < cols; ++j) {
      complex sum = 0;
      for (long k = 0; k < a.extent(1); ++k) sum += a(i, k) * b(k, j);
      auto const at = static_cast<std::size_t>(i * cols + j);
      result[at] = alpha * sum + beta * c[at];
    }
  return result;
}

TEST_CASE("gemm multiplies alpha by the factors of its mdspans, conjugated as they are") {
  on_each_policy([](auto const& policy) {
    auto a_memory = complex_numbers(6);
    auto b_memory = complex_numbers(12);
    auto const start = complex_numbers(8);
    auto const a = alike::strided<complex const, 2>(a_memory.data(), {2, 3}, {1, 2});
    auto const b = alike::strided<complex, 2>(b_memory.data(), {3, 4}, {4, 1});
    complex const alpha{2, -1}, beta{1, 1}, factor{0, 3};

    auto const run = [&](auto const& x, auto const& y) {
      auto c_memory = start;
      auto const c = alike::strided<complex, 2>(c_memory.data(), {2, 4}, {4, 1});
      xpose::gemm(policy, alpha, x, y, beta, c);
      CHECK(c_memory == product(alpha, x, y, beta, start));
      // Without alpha and beta C is not read.
      for (complex& element : c_memory) element = std::numeric_limits<double>::quiet_NaN();
      xpose::gemm(policy, x, y, c);
      CHECK(c_memory == product(1, x, y, 0, start));
    };
    run(a, b);
    run(alike::conjugated(a), b);
    run(a, alike::scaled(factor, b));
    run(alike::scaled(factor, a), alike::scaled(-2., alike::conjugated(b)));
    run(alike::conjugated(alike::scaled(factor, a)), alike::scaled(2., alike::scaled(factor, b)));
  });
}

TEST_CASE("gemm of mdspans takes options, a batch, and views beside them") {
  auto memory = numbers(12);
  std::vector<double> out(8);
  auto const a = alike::strided<double, 3>(memory.data(), {2, 2, 3}, {6, 3, 1});
  auto const c = alike::strided<double, 3>(out.data(), {2, 2, 2}, {4, 2, 1});
  xpose::matrix_view<double const> const b(memory.data(), 3, 2);
  xpose::gemm(xpose::omp, alike::scaled(10, a), b, c,
              xpose::options().epilogue([](double x) { return x + 1; }));
  CHECK(out == std::vector<double>{221, 281, 491, 641, 761, 1001, 1031, 1361});
}

TEST_CASE("gemm with a semiring takes mdspans without a factor, with alpha and beta or without") {
  auto memory = numbers(4);
  std::vector<double> out(4);
  auto const a = alike::strided<double, 2>(memory.data(), {2, 2}, {2, 1});
  auto const c = alike::strided<double, 2>(out.data(), {2, 2}, {2, 1});
  auto const min_plus = xpose::options().over(xpose::min_plus{});
  xpose::gemm(xpose::seq, a, a, c, min_plus);
  CHECK(out == std::vector<double>{2, 3, 4, 5});
  xpose::gemm(xpose::seq, 10., a, a, 0., c, min_plus);
  CHECK(out == std::vector<double>{2, 3, 4, 5});  // min(10 + what it was, 0 + what it was)
}

TEST_CASE("add multiplies its scalars by the factors of its mdspans") {
  on_each_policy([](auto const& policy) {
    auto a_memory = complex_numbers(6);
    auto b_memory = complex_numbers(12);
    std::vector<complex> out(6);
    auto const a = alike::strided<complex, 2>(a_memory.data(), {2, 3}, {3, 1});
    auto const b = alike::strided<complex, 2>(b_memory.data(), {2, 3}, {6, 2});
    auto const c = alike::strided<complex, 2>(out.data(), {2, 3}, {3, 1});
    complex const factor{2, 3};
    auto const run = [&](auto const& x, auto const& y) {
      xpose::add(policy, 2., x, complex{0, 1}, y, c);
      int wrong = 0;
      for (long i = 0; i < 2; ++i)
        for (long j = 0; j < 3; ++j) wrong += c(i, j) != 2. * x(i, j) + complex{0, 1} * y(i, j);
      return wrong == 0;
    };
    CHECK(run(a, b));
    CHECK(run(alike::scaled(factor, a), alike::conjugated(b)));
    CHECK(run(alike::conjugated(a), alike::conjugated(alike::scaled(factor, b))));
    // A factor of 0 is an alpha of 0: the elements are not read.
    a_memory[0] = std::numeric_limits<double>::quiet_NaN();
    xpose::add(policy, 1, alike::scaled(0., a), 1, b, c);
    CHECK(c(0, 0) == b(0, 0));
  });
}

TEST_CASE("operands that do not fit are named as for views") {
  auto memory = numbers(12);
  auto const a = alike::strided<double, 2>(memory.data(), {2, 3}, {3, 1});
  auto const b = alike::strided<double, 2>(memory.data() + 6, {2, 3}, {3, 1});
  CHECK(refusal<xpose::shape_error>([&] { xpose::transpose(xpose::seq, a, b); }) ==
        "transpose: out is 2x3, expected 3x2");
  CHECK_THROWS_AS(xpose::transpose(xpose::seq, a, a), xpose::argument_error);
}

}  // namespace
