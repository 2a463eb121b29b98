// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of gemm on omp, with every instruction set of this machine: exact around the edges of
// every tile, confined to their operands, and the same bits for any number of threads.

#include "cases/gemm_cases.hpp"
#include "support/general_driver.hpp"
#include "support/guarded_memory.hpp"
#include "support/instruction_sets.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <functional>
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

// Around tiles of 4, 6 and 12 rows, and of 4, 8, 16 and 32 columns; a prime.
constexpr index edges[] = {1, 3, 4, 5, 7, 8, 11, 12, 13, 16, 17, 31, 33, 41};

template <class Types>
void check_edges() {
  backend const on = on_omp::get();
  int turn = 0;
  for (index const rows : edges)
    for (index const cols : edges) {
      ++turn;
      gemm_case c;
      c.rows = rows;
      c.cols = cols;
      c.depth = turn % 5 == 0 ? 33 : turn % 5;
      c.a = cases::input_patterns[turn % 9];
      c.b = cases::input_patterns[(turn / 2 + 1) % 9];
      c.c = cases::output_patterns[(turn / 3) % 8];
      c.alpha = turn % 4 == 0 ? -2 : 1;
      c.beta = turn % 3 == 0 ? 3 : 0;
      c.conjugate_a = turn % 5 == 1;
      c.conjugate_b = turn % 7 == 2;
      check_exact<Types>(on, c);
    }
}

template <class Types>
void check_blocks_of_k() {
  backend const on = on_omp::get();
  for (int turn = 0; turn < 8; ++turn) {
    gemm_case c;
    c.rows = 13 + turn;
    c.cols = 40 - turn;
    // Beyond one and two blocks along k of every type, and of no whole number of units.
    c.depth = turn % 2 == 0 ? 1031 : 4099;
    c.a = cases::input_patterns[turn];
    c.b = cases::input_patterns[8 - turn];
    c.c = cases::output_patterns[turn % 8];
    c.beta = turn % 3 == 1 ? 1 : 0;
    check_exact<Types>(on, c);
  }
}

TEST_CASE("gemm is exact around the edges of every tile, with every instruction set") {
  for_each_isa([] {
    check_edges<types<float>>();
    check_edges<types<double>>();
    check_edges<types<std::complex<float>>>();
    check_edges<types<std::complex<double>>>();
    check_edges<types<xpose::float16, float>>();
    check_edges<types<xpose::bfloat16, float>>();
    check_edges<types<xpose::float8_e4m3, float>>();
    check_edges<types<xpose::float8_e5m2, float>>();
    check_edges<types<std::int8_t, std::int32_t>>();
    check_edges<types<std::uint8_t, std::int32_t>>();
    check_edges<types<std::int32_t>>();
    check_edges<types<std::int64_t>>();
  });
}

TEST_CASE("the general driver is exact around the same edges, where small kernels lead") {
  general_driver_only const general;
  for_each_isa([] {
    check_edges<types<float>>();
    check_edges<types<double>>();
    check_edges<types<std::complex<float>>>();
    check_edges<types<std::complex<double>>>();
  });
}

TEST_CASE("gemm is exact across blocks of k, with every instruction set") {
  for_each_isa([] {
    check_blocks_of_k<types<float>>();
    check_blocks_of_k<types<double>>();
    check_blocks_of_k<types<std::complex<float>>>();
    check_blocks_of_k<types<std::complex<double>>>();
    check_blocks_of_k<types<xpose::bfloat16, float>>();
    check_blocks_of_k<types<std::int8_t, std::int32_t>>();
    check_blocks_of_k<types<std::uint8_t, std::int32_t>>();
    check_blocks_of_k<types<std::int64_t>>();
  });
}

/// A single row or column of C, of either layout of the matrix and of the vector; lengths around
/// runs of 4 to 128 elements and groups of four, and one whose k comes in parts.
template <class Types>
void check_vectors() {
  using cases::pattern;
  backend const on = on_omp::get();
  constexpr index lengths[] = {1, 2, 5, 8, 31, 32, 33, 63, 65, 127, 128, 129, 200};
  constexpr pattern layouts[] = {pattern::row_major, pattern::col_major, pattern::padded_rows,
                                 pattern::padded_cols, pattern::odd_offset};
  int turn = 0;
  auto const check = [&](bool is_row, index length, index depth) {
    ++turn;
    gemm_case c;
    c.rows = is_row ? 1 : length;
    c.cols = is_row ? length : 1;
    c.depth = depth;
    c.a = layouts[turn % 5];
    c.b = layouts[(turn + turn / 5) % 5];
    c.c = layouts[turn % 4];
    c.alpha = turn % 3 == 0 ? -2 : 1;
    c.beta = turn % 7 == 0 ? 3 : 0;
    c.batch = turn % 11 == 0 ? 3 : 1;
    c.conjugate_a = turn % 4 == 1 || turn % 13 == 0;
    c.conjugate_b = turn % 5 == 2 || turn % 13 == 0;
    check_exact<Types>(on, c);
  };
  for (index const length : lengths)
    for (index const depth : lengths)
      for (bool const is_row : {false, true}) check(is_row, length, depth);
  for (int layout = 0; layout < 5; ++layout)
    for (bool const is_row : {false, true}) check(is_row, 307, 1111);
}

TEST_CASE("gemm of a matrix and a vector is exact around every run, with every instruction set") {
  for_each_isa([] {
    check_vectors<types<float>>();
    check_vectors<types<double>>();
    check_vectors<types<std::complex<float>>>();
    check_vectors<types<std::complex<double>>>();
    check_vectors<types<xpose::float16, float>>();
    check_vectors<types<xpose::bfloat16, float>>();
    check_vectors<types<std::int8_t, std::int32_t>>();
    check_vectors<types<std::uint8_t, std::int32_t>>();
    check_vectors<types<std::int32_t>>();
    check_vectors<types<std::int64_t>>();
  });
}

TEST_CASE("a matrix times a vector keeps infinity and NaN to its own rows, every instruction set") {
  for_each_isa([] {
    float const infinity = std::numeric_limits<float>::infinity();
    for (index const depth : {5, 37, 100})
      for (bool const is_turned : {false, true}) {
        index const rows = 70;
        std::vector<xpose::bfloat16> a(static_cast<std::size_t>(rows * depth),
                                       xpose::bfloat16(1.f));
        std::vector<xpose::bfloat16> const x(static_cast<std::size_t>(depth), xpose::bfloat16(2.f));
        auto const view = is_turned ? xpose::matrix_view(a.data(), depth, rows).transposed()
                                    : xpose::matrix_view(a.data(), rows, depth);
        view(3, depth - 1) = xpose::bfloat16(infinity);
        view(66, depth / 2) = xpose::bfloat16(std::numeric_limits<float>::quiet_NaN());
        std::vector<float> c(static_cast<std::size_t>(rows));
        xpose::gemm(xpose::omp, view, xpose::matrix_view(x.data(), depth, 1),
                    xpose::matrix_view(c.data(), rows, 1));
        bool is_right = true;
        for (index i = 0; i < rows; ++i) {
          float const sum = c[static_cast<std::size_t>(i)];
          is_right = is_right && (i == 3    ? sum == infinity
                                  : i == 66 ? sum != sum
                                            : sum == 2 * static_cast<float>(depth));
        }
        CHECK(is_right);
      }
  });
}

template <class Half, class C>
void check_special_values(index rows, index cols, index depth) {
  CAPTURE(rows);
  CAPTURE(cols);
  CAPTURE(depth);
  float const infinity = std::numeric_limits<float>::infinity();
  std::vector<Half> a(static_cast<std::size_t>(rows * depth), Half(1.f));
  std::vector<Half> b(static_cast<std::size_t>(depth * cols), Half(2.f));
  xpose::matrix_view<Half> const of_a(a.data(), rows, depth);
  xpose::matrix_view<Half> const of_b(b.data(), depth, cols);
  of_a(0, depth - 1) = Half(infinity);
  of_a(rows - 1, 0) = Half(std::numeric_limits<float>::quiet_NaN());
  of_b(depth / 2, cols - 1) = Half(-infinity);
  std::vector<C> c(static_cast<std::size_t>(rows * cols));
  xpose::gemm(xpose::omp, of_a, of_b, xpose::matrix_view(c.data(), rows, cols));
  int wrong = 0;
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < cols; ++j) {
      float expected = 0;
      for (index p = 0; p < depth; ++p)
        expected += static_cast<float>(of_a(i, p)) * static_cast<float>(of_b(p, j));
      auto const sum = static_cast<float>(c[static_cast<std::size_t>(i * cols + j)]);
      bool const are_nan = expected != expected && sum != sum;
      wrong += are_nan || sum == expected ? 0 : 1;
    }
  CHECK(wrong == 0);
}

TEST_CASE("short floats keep infinities and NaNs to their own sums, with every instruction set") {
  for_each_isa([] {
    for (auto const& [rows, cols, depth] :
         {std::array<index, 3>{2, 1, 3}, {2, 2, 1}, {30, 37, 41}, {70, 1, 37}, {3, 70, 300}}) {
      check_special_values<xpose::float16, xpose::float16>(rows, cols, depth);
      check_special_values<xpose::float16, float>(rows, cols, depth);
      check_special_values<xpose::bfloat16, float>(rows, cols, depth);
    }
  });
}

TEST_CASE("gemm over semirings is right with every instruction set") {
  for_each_isa([] {
    backend const on = on_omp::get();
    check_semiring<float>(on, xpose::min_plus{});
    check_semiring<double>(on, xpose::max_plus{});
    check_semiring<std::int32_t>(on, xpose::max_plus{});
    check_semiring<std::int64_t>(on, xpose::min_plus{});
    check_semiring<std::uint8_t>(on, xpose::or_and{});
  });
}

TEST_CASE("min-plus keeps infinity and skips NaN as plain loops do, with every instruction set") {
  for_each_isa([] {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    float const infinity = std::numeric_limits<float>::infinity();
    std::vector<float> const a = {infinity, 1, nan, 2, -infinity, 3};
    std::vector<float> const b(6 * 40, 1);
    std::vector<float> c(40);
    auto const view = [](auto& v, index rows, index cols) {
      return xpose::matrix_view(v.data(), rows, cols);
    };
    xpose::gemm(xpose::omp, view(a, 1, 6), view(b, 6, 40), view(c, 1, 40),
                xpose::options().over(xpose::min_plus{}));
    CHECK(c == std::vector<float>(40, -infinity));

    int const none = std::numeric_limits<int>::max();
    std::vector<int> const d = {none, none};
    std::vector<int> const e(2 * 40, -5);
    std::vector<int> f(40);
    xpose::gemm(xpose::omp, view(d, 1, 2), view(e, 2, 40), view(f, 1, 40),
                xpose::options().over(xpose::min_plus{}));
    CHECK(f == std::vector<int>(40, none));
  });
}

TEST_CASE(
    "products of the largest bytes are exact, and their sums wrap, with every instruction set") {
  for_each_isa([] {
    index const depth = 300;
    std::vector<std::int8_t> const low(static_cast<std::size_t>(20 * depth), -128);
    std::vector<std::uint8_t> const high(static_cast<std::size_t>(20 * depth), 255);
    std::vector<std::int32_t> sums(20 * 20);
    xpose::gemm(xpose::omp, xpose::matrix_view(low.data(), 20, depth),
                xpose::matrix_view(low.data(), depth, 20), xpose::matrix_view(sums.data(), 20, 20));
    CHECK(sums == std::vector<std::int32_t>(400, 128 * 128 * 300));
    xpose::gemm(xpose::omp, xpose::matrix_view(high.data(), 20, depth),
                xpose::matrix_view(high.data(), depth, 20),
                xpose::matrix_view(sums.data(), 20, 20));
    CHECK(sums == std::vector<std::int32_t>(400, 255 * 255 * 300));
    std::vector<std::int32_t> row(20);
    for (bool const is_turned : {false, true}) {
      auto const columns = [&](auto const& bytes) {
        return is_turned ? xpose::matrix_view(bytes.data(), 20, depth).transposed()
                         : xpose::matrix_view(bytes.data(), depth, 20);
      };
      xpose::gemm(xpose::omp, xpose::matrix_view(low.data(), 1, depth), columns(low),
                  xpose::matrix_view(row.data(), 1, 20));
      CHECK(row == std::vector<std::int32_t>(20, 128 * 128 * 300));
      xpose::gemm(xpose::omp, xpose::matrix_view(high.data(), 1, depth), columns(high),
                  xpose::matrix_view(row.data(), 1, 20));
      CHECK(row == std::vector<std::int32_t>(20, 255 * 255 * 300));
    }
  });
}

template <class In, class Out>
void check_confined(guarded_memory const& a, guarded_memory const& b, guarded_memory const& c,
                    guard g, index m, index n, index k, bool turns_a, bool turns_b) {
  auto const bytes = [](index count, std::size_t each) {
    return static_cast<std::size_t>(count) * each;
  };
  In* const pa = reinterpret_cast<In*>(a.operand(g, bytes(m * k, sizeof(In))));
  In* const pb = reinterpret_cast<In*>(b.operand(g, bytes(k * n, sizeof(In))));
  Out* const pc = reinterpret_cast<Out*>(c.operand(g, bytes(m * n, sizeof(Out))));
  for (index i = 0; i < m * k; ++i) pa[i] = small_integer<In>(0, i, 0, 1);
  for (index i = 0; i < k * n; ++i) pb[i] = small_integer<In>(0, i, 0, 2);
  xpose::matrix_view<In const> const va = turns_a
                                              ? xpose::matrix_view<In const>(pa, k, m).transposed()
                                              : xpose::matrix_view<In const>(pa, m, k);
  xpose::matrix_view<In const> const vb = turns_b
                                              ? xpose::matrix_view<In const>(pb, n, k).transposed()
                                              : xpose::matrix_view<In const>(pb, k, n);
  xpose::matrix_view<Out> const vc(pc, m, n);
  std::vector<Out> expected(static_cast<std::size_t>(m * n));
  xpose::gemm(xpose::reference, va, vb, xpose::matrix_view<Out>(expected.data(), m, n));
  xpose::gemm(xpose::omp, va, vb, vc);
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  CHECK(std::memcmp(pc, expected.data(), bytes(m * n, sizeof(Out))) == 0);
}

template <class In, class Out = In>
void check_confined_everywhere(guarded_memory const& a, guarded_memory const& b,
                               guarded_memory const& c) {
  for (guard const g : {guard::before, guard::behind})
    for (index const m : {1, 5, 12, 13, 67})
      for (index const n : {1, 15, 16, 33, 67})
        for (index const k : {1, 6, 19, 70, 131})
          for (int turns = 0; turns < 4; ++turns)
            check_confined<In, Out>(a, b, c, g, m, n, k, turns % 2 == 1, turns / 2 == 1);
}

TEST_CASE("gemm reads and writes nothing beyond its operands, with every instruction set") {
  guarded_memory const a(256 << 10);
  guarded_memory const b(256 << 10);
  guarded_memory const c(256 << 10);
  for_each_isa([&] {
    check_confined_everywhere<float>(a, b, c);
    check_confined_everywhere<double>(a, b, c);
    check_confined_everywhere<std::complex<float>>(a, b, c);
    check_confined_everywhere<std::complex<double>>(a, b, c);
    check_confined_everywhere<xpose::bfloat16, float>(a, b, c);
    check_confined_everywhere<xpose::float16, float>(a, b, c);
    check_confined_everywhere<std::int8_t, std::int32_t>(a, b, c);
    check_confined_everywhere<std::int64_t>(a, b, c);
  });
}

TEST_CASE("the general driver reads and writes nothing beyond operands, where small kernels lead") {
  guarded_memory const a(256 << 10);
  guarded_memory const b(256 << 10);
  guarded_memory const c(256 << 10);
  general_driver_only const general;
  for_each_isa([&] {
    check_confined_everywhere<float>(a, b, c);
    check_confined_everywhere<double>(a, b, c);
    check_confined_everywhere<std::complex<float>>(a, b, c);
    check_confined_everywhere<std::complex<double>>(a, b, c);
  });
}

/// The same bits with one thread and with others, in shapes whose threads share rows, columns and
/// both.
template <class T, class Out = T>
void check_threads() {
  struct extents {
    index rows, cols, depth;
  };
  for (extents const e : {extents{200, 190, 600}, extents{3000, 5, 40}, extents{5, 3000, 40},
                          extents{61, 67, 3001}, extents{1, 3000, 170}, extents{3000, 1, 170}}) {
    std::vector<T> a(static_cast<std::size_t>(e.rows * e.depth));
    std::vector<T> b(static_cast<std::size_t>(e.depth * e.cols));
    std::vector<Out> one(static_cast<std::size_t>(e.rows * e.cols));
    std::uint32_t state = 1;
    auto const random = [&state] {
      state = state * 1664525u + 1013904223u;
      return static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-31f;
    };
    for (auto& x : a) x = static_cast<T>(random());
    for (auto& x : b) x = static_cast<T>(random());
    auto const run = [&](int threads, std::vector<Out>& c) {
      xpose::gemm(xpose::omp.with(xpose::threads{threads}),
                  xpose::matrix_view<T const>(a.data(), e.rows, e.depth),
                  xpose::matrix_view<T const>(b.data(), e.depth, e.cols),
                  xpose::matrix_view<Out>(c.data(), e.rows, e.cols));
    };
    run(1, one);
    for (int const threads : {2, 3, 8}) {
      std::vector<Out> many(one.size());
      run(threads, many);
      CAPTURE(e.rows);
      CAPTURE(e.cols);
      CHECK(std::memcmp(many.data(), one.data(), one.size() * sizeof(Out)) == 0);
    }
  }
}

TEST_CASE("gemm gives the same bits for every number of threads, type and shape") {
  check_threads<float>();
  check_threads<double>();
  check_threads<std::complex<float>>();
  check_threads<std::complex<double>>();
  check_threads<xpose::float16, float>();
  check_threads<xpose::bfloat16, float>();
}

}  // namespace

TEST_SUITE_END();
