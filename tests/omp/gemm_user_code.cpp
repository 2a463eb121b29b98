// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on omp with a semiring, an accumulate type and an epilogue of the user's: exact across
// blocks of k and threads.

#include "cases/gemm_cases.hpp"

#include <doctest/doctest.h>

#include <vector>

TEST_SUITE_BEGIN("omp.gemm");

namespace {

using namespace gemm_cases;
using gemm_cases::index;

/// Rings of integers modulo a prime that the semiring carries: no compiled kernel knows it.
struct modulo {
  int prime;
  int zero() const { return 0; }
  int add(int a, int b) const { return (a + b) % prime; }
  int multiply(int a, int b) const { return a * b % prime; }
};

TEST_CASE("a user's semiring keeps its state and crosses blocks of k") {
  index const n = 37;
  index const depth = 700;
  std::vector<int> a(static_cast<std::size_t>(n * depth));
  std::vector<int> b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<int>(i * 7 % 101);
    b[i] = static_cast<int>(i * 13 % 101);
  }
  std::vector<int> c(static_cast<std::size_t>(n * n));
  std::vector<int> expected(c.size());
  auto const run = [&](auto const& policy, std::vector<int>& to) {
    xpose::gemm(policy, xpose::matrix_view<int const>(a.data(), n, depth),
                xpose::matrix_view<int const>(b.data(), depth, n),
                xpose::matrix_view<int>(to.data(), n, n), xpose::options().over(modulo{101}));
  };
  run(xpose::reference, expected);
  run(xpose::omp, c);
  CHECK(c == expected);
}

/// An accumulator with memory of its own, of a size that divides no line of 64 bytes.
class boxed {
 public:
  boxed() : boxed(0) {}
  explicit boxed(int x) : value_{x} {}
  explicit operator int() const { return static_cast<int>(value_.front()); }
  friend boxed operator+(boxed const& a, boxed const& b) { return of(a, b, std::plus<long>()); }
  friend boxed operator*(boxed const& a, boxed const& b) {
    return of(a, b, std::multiplies<long>());
  }

 private:
  template <class F>
  static boxed of(boxed const& a, boxed const& b, F const& f) {
    boxed result;
    result.value_.front() = f(a.value_.front(), b.value_.front());
    return result;
  }
  std::vector<long> value_;
};
static_assert(sizeof(boxed) == 24);

TEST_CASE("gemm accumulates in a type with constructors, across blocks of k and threads") {
  index const n = 19;
  index const depth = 600;
  std::vector<int> a(static_cast<std::size_t>(n * depth));
  std::vector<int> b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<int>(i % 7);
    b[i] = static_cast<int>(i % 5);
  }
  for (int const threads : {1, 3}) {
    std::vector<int> c(static_cast<std::size_t>(n * n), 1);
    std::vector<int> expected(c);
    auto const run = [&](auto const& policy, std::vector<int>& to) {
      xpose::gemm(policy, boxed(1), xpose::matrix_view<int const>(a.data(), n, depth),
                  xpose::matrix_view<int const>(b.data(), depth, n), boxed(2),
                  xpose::matrix_view<int>(to.data(), n, n), xpose::options().accumulate<boxed>());
    };
    run(xpose::reference, expected);
    run(xpose::omp.with(xpose::threads{threads}), c);
    CHECK(c == expected);
  }
}

TEST_CASE("an epilogue sees every sum once, finished, with its place") {
  index const n = 45;
  index const depth = 1500;
  std::vector<float> const a(static_cast<std::size_t>(n * depth), 1);
  std::vector<float> const b(a.size(), 2);
  for (bool const by_columns : {false, true}) {
    std::vector<double> c(static_cast<std::size_t>(n * n));
    xpose::matrix_view<double> const rows(c.data(), n, n);
    auto const to = by_columns ? rows.transposed() : rows;
    xpose::gemm(xpose::omp, xpose::matrix_view<float const>(a.data(), n, depth),
                xpose::matrix_view<float const>(b.data(), depth, n), to,
                xpose::options().epilogue([](float x, index i, index j) {
                  return static_cast<double>(x) * 10000 + static_cast<double>(100 * i + j);
                }));
    bool is_right = true;
    for (index i = 0; i < n; ++i)
      for (index j = 0; j < n; ++j)
        is_right = is_right && to(i, j) == 3000.0 * 10000 + static_cast<double>(100 * i + j);
    CHECK(is_right);
  }
}

}  // namespace

TEST_SUITE_END();
