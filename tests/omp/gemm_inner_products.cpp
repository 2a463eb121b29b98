// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on omp where C is small and k is long, so that parts of k have sums of their own: exact, the
// same bits for any number of threads, and each sum finished once.

#include "cases/gemm_cases.hpp"
#include "support/instruction_sets.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

TEST_SUITE_BEGIN("omp.gemm");

namespace {

using namespace gemm_cases;
using gemm_cases::index;

template <class In, class Out = In, class Accumulate = Out>
struct types {
  using input = In;
  using output = Out;
  using accumulate = Accumulate;
};

backend omp_with(int threads) {
  return make_backend("omp", place::host, xpose::omp.with(xpose::threads{threads}));
}

/// More blocks along k than there are parts, no whole number of blocks to a part, of k to a block
/// or of units to k; and parts of one block each.
template <class Types>
void check_parts(index block) {
  int turn = 0;
  for (index const depth : {32 * block + 1, 75 * block + 3, 5 * block - 1})
    for (int const threads : {1, 3}) {
      gemm_case c;
      c.rows = 13 + turn;
      c.cols = 19 - turn;
      c.depth = depth;
      c.a = cases::input_patterns[turn];
      c.b = cases::input_patterns[8 - turn];
      c.c = cases::output_patterns[turn];
      c.alpha = turn % 2 == 0 ? 1 : -2;
      c.beta = turn % 3 == 0 ? 0 : -1;
      c.batch = turn == 4 ? 3 : 1;
      c.conjugate_a = turn == 1 || turn == 5;
      c.conjugate_b = turn == 2 || turn == 5;
      check_exact<Types>(omp_with(threads), c);
      ++turn;
    }
}

TEST_CASE("gemm of a small C and a long k is exact in every type, with every instruction set") {
  for_each_isa([] {
    check_parts<types<float>>(512);
    check_parts<types<double>>(256);
    check_parts<types<std::complex<float>>>(256);
    check_parts<types<std::complex<double>>>(128);
    check_parts<types<xpose::bfloat16, float>>(512);
    check_parts<types<std::int8_t, std::int32_t>>(1024);
    check_parts<types<std::uint8_t, std::int32_t>>(2048);
    check_parts<types<std::int64_t>>(256);
  });
}

/// Both operands by rows, B whole vectors wide, right before a page that may not be touched.
template <class Types>
void check_in_place(index cols) {
  for (int const threads : {1, 3}) {
    gemm_case c;
    c.rows = 29;
    c.cols = cols;
    c.depth = 5003;
    c.b = threads == 1 ? cases::pattern::row_major : cases::pattern::padded_rows;
    c.beta = threads == 1 ? 0 : 3;
    check_exact<Types>(
        make_backend("omp", place::host_guard_behind, xpose::omp.with(xpose::threads{threads})), c);
  }
}

TEST_CASE("gemm of a small C and a long k is exact in place, with every instruction set") {
  for_each_isa([] {
    for (index const cols : {8, 16, 48, 53}) {
      check_in_place<types<float>>(cols);
      check_in_place<types<double>>(cols);
    }
  });
}

template <class T>
std::vector<T> random_numbers(index count) {
  std::vector<T> numbers(static_cast<std::size_t>(count));
  std::uint32_t state = 1;
  for (T& x : numbers) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<T>(static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-31f);
  }
  return numbers;
}

template <class T, class Out = T, class... Options>
void check_bits(index rows, index cols, index depth, index batch, Options const&... options) {
  auto const a = random_numbers<T>(batch * rows * depth);
  auto const b = random_numbers<T>(batch * depth * cols);
  auto const run = [&](int threads) {
    std::vector<Out> c(static_cast<std::size_t>(batch * rows * cols));
    xpose::gemm(xpose::omp.with(xpose::threads{threads}),
                xpose::batch(a.data(), batch, rows, depth),
                xpose::batch(b.data(), batch, depth, cols),
                xpose::batch(c.data(), batch, rows, cols), options...);
    return c;
  };
  auto const one = run(1);
  for (int const threads : {2, 3, 8, 50}) {
    CAPTURE(rows);
    CAPTURE(cols);
    CAPTURE(depth);
    CAPTURE(threads);
    CHECK(std::memcmp(run(threads).data(), one.data(), one.size() * sizeof(Out)) == 0);
  }
}

TEST_CASE("gemm of a small C and a long k gives the same bits for every number of threads") {
  check_bits<float>(64, 64, 16384, 1);
  check_bits<float>(127, 129, 8191, 1);
  check_bits<float>(16, 16, 100000, 1);
  check_bits<float>(33, 5, 20000, 3);
  check_bits<float>(9, 8, 20000, 40);
  check_bits<double>(64, 64, 8500, 1);
  check_bits<std::complex<float>>(31, 33, 8500, 2);
  check_bits<std::complex<double>>(16, 17, 4500, 1);
  check_bits<xpose::bfloat16, float>(40, 30, 17000, 1);
  check_bits<float>(40, 30, 17000, 1, xpose::options().over(xpose::min_plus{}));
  check_bits<float>(20, 30, 9000, 1, xpose::options().accumulate<double>());
}

TEST_CASE("a vector times a matrix of short rows gives the same bits for every number of threads") {
  check_bits<float>(1, 700, 1100, 1);
  check_bits<float>(1, 4096, 5000, 1);  // two parts of columns
  check_bits<float>(1, 300, 1000, 3);
  check_bits<float>(1, 300, 1000, 60);
  check_bits<double>(1, 700, 1100, 1);
  check_bits<std::complex<float>>(1, 130, 3000, 1);
  check_bits<std::complex<double>>(1, 130, 3000, 2);
  check_bits<xpose::bfloat16, float>(1, 500, 1500, 1);
  check_bits<xpose::bfloat16>(1, 500, 1500, 1);
}

TEST_CASE("infinities and NaNs of a part of k reach their own sums") {
  index const n = 17;
  index const depth = 20000;
  auto a = random_numbers<float>(n * depth);
  auto const b = std::vector<float>(a.size(), 1.f);
  float const infinity = std::numeric_limits<float>::infinity();
  a[static_cast<std::size_t>(3 * depth + 19999)] = infinity;
  a[static_cast<std::size_t>(5 * depth + 9999)] = std::numeric_limits<float>::quiet_NaN();
  for (int const threads : {1, 3}) {
    std::vector<float> c(static_cast<std::size_t>(n * n));
    xpose::gemm(xpose::omp.with(xpose::threads{threads}),
                xpose::matrix_view<float const>(a.data(), n, depth),
                xpose::matrix_view<float const>(b.data(), depth, n),
                xpose::matrix_view<float>(c.data(), n, n));
    for (index i = 0; i < n; ++i)
      for (index j = 0; j < n; ++j) {
        float const sum = c[static_cast<std::size_t>(i * n + j)];
        CHECK((i == 3 ? sum == infinity : i == 5 ? std::isnan(sum) : std::fabs(sum) < 1000));
      }
  }
}

/// Integers modulo a prime that the semiring carries, in an accumulator with memory of its own.
class boxed {
 public:
  boxed() : boxed(0) {}
  explicit boxed(int x) : value_{x} {}
  explicit operator int() const { return static_cast<int>(value_.front()); }
  long value() const { return value_.front(); }

 private:
  std::vector<long> value_;
};
struct modulo {
  int prime;
  boxed zero() const { return boxed(0); }
  boxed add(boxed const& a, boxed const& b) const {
    return boxed(static_cast<int>((a.value() + b.value()) % prime));
  }
  boxed multiply(boxed const& a, boxed const& b) const {
    return boxed(static_cast<int>(a.value() * b.value() % prime));
  }
};

TEST_CASE("a user's semiring and accumulator with constructors cross parts of k, on any threads") {
  index const n = 9;
  index const depth = 9000;
  std::vector<int> a(static_cast<std::size_t>(n * depth));
  std::vector<int> b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<int>(i * 7 % 101);
    b[i] = static_cast<int>(i * 13 % 101);
  }
  auto const run = [&](auto const& policy) {
    std::vector<int> c(static_cast<std::size_t>(n * n));
    xpose::gemm(policy, xpose::matrix_view<int const>(a.data(), n, depth),
                xpose::matrix_view<int const>(b.data(), depth, n),
                xpose::matrix_view<int>(c.data(), n, n),
                xpose::options().accumulate<boxed>().over(modulo{101}));
    return c;
  };
  auto const expected = run(xpose::reference);
  for (int const threads : {1, 2, 3, 8})
    CHECK(run(xpose::omp.with(xpose::threads{threads})) == expected);
}

TEST_CASE("an epilogue sees every sum of parts once, finished, with its place") {
  index const n = 37;
  index const depth = 17000;
  std::vector<float> const a(static_cast<std::size_t>(n * depth), 1);
  std::vector<float> const b(a.size(), 2);
  for (bool const by_columns : {false, true})
    for (int const threads : {1, 3}) {
      std::vector<double> c(static_cast<std::size_t>(n * n), 1);
      xpose::matrix_view<double> const rows(c.data(), n, n);
      auto const to = by_columns ? rows.transposed() : rows;
      xpose::gemm(xpose::omp.with(xpose::threads{threads}), 1.f,
                  xpose::matrix_view<float const>(a.data(), n, depth),
                  xpose::matrix_view<float const>(b.data(), depth, n), 3.f, to,
                  xpose::options().epilogue([](float x, index i, index j) {
                    return static_cast<double>(x) * 10000 + static_cast<double>(100 * i + j);
                  }));
      bool is_right = true;
      for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j)
          is_right = is_right && to(i, j) == 34003.0 * 10000 + static_cast<double>(100 * i + j);
      CHECK(is_right);
    }
}

}  // namespace

TEST_SUITE_END();
