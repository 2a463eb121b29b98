// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on omp where few columns or rows take part, or few steps along k: many panels of A that go
// through all of k one by one, and many tiles side by side. Exact, with every instruction set, and
// the same bits for any number of threads.

#include "cases/gemm_cases.hpp"
#include "support/instruction_sets.hpp"

#include <doctest/doctest.h>

#include <complex>
#include <cstring>
#include <vector>

TEST_SUITE_BEGIN("omp.gemm");

namespace {

using namespace gemm_cases;
using cases::pattern;
using gemm_cases::index;

template <class In, class Out = In, class Accumulate = Out>
struct types {
  using input = In;
  using output = Out;
  using accumulate = Accumulate;
};

/// Another pattern of C, alpha and beta for each number of a case.
void vary_output(gemm_case& c, int turn) {
  c.c = cases::output_patterns[turn % 8];
  c.alpha = turn % 4 == 3 ? -2 : 1;
  c.beta = turn % 5 == 4 ? 3 : 0;
}

/// Operands end right before a page that may not be touched.
template <class Types>
void check_before_guard(gemm_case const& c, int threads) {
  check_exact<Types>(
      make_backend("omp", place::host_guard_behind, xpose::omp.with(xpose::threads{threads})), c);
}

/// C above the 256 KB below which k has parts of its own. A by rows and in no unit stride: in
/// place, if it can be, and packed.
template <class Types>
void check_columns(index depth) {
  int turn = 0;
  for (index const cols : {3, 19, 70})
    for (int const threads : {1, 3}) {
      gemm_case c;
      c.rows = (256 << 10) / (cols * index{sizeof(typename Types::accumulate)}) + 100;
      c.cols = cols;
      c.depth = depth;
      c.a = turn % 3 == 2   ? pattern::spread
            : turn % 2 == 0 ? pattern::row_major
                            : pattern::odd_offset;
      c.b = cases::input_patterns[turn];
      c.c = cases::output_patterns[turn];
      c.alpha = turn % 2 == 0 ? 1 : -2;
      c.beta = turn % 3 == 0 ? 0 : 3;
      c.conjugate_a = turn == 1;
      c.conjugate_b = turn == 2;
      check_exact<Types>(make_backend("omp", place::host, xpose::omp.with(xpose::threads{threads})),
                         c);
      ++turn;
    }
}

TEST_CASE("gemm of few columns is exact across blocks of k, with every instruction set") {
  for_each_isa([] {
    check_columns<types<float>>(517);
    check_columns<types<double>>(259);
    check_columns<types<std::complex<float>>>(259);
    check_columns<types<xpose::bfloat16, float>>(517);
  });
  check_columns<types<std::int8_t, std::int32_t>>(2051);
  check_columns<types<std::int64_t>>(259);
}

/// B above the megabyte from which it is read where it is, in whole vectors and not, right before a
/// page that may not be touched.
template <class Types>
void check_rows() {
  int turn = 0;
  for (index const rows : {1, 5, 16, 40})
    for (index const cols : {1280, 1536, 1283})
      for (int const threads : {1, 3}) {
        gemm_case c;
        c.rows = rows;
        c.cols = cols;
        c.depth = 221 + turn;
        c.a = turn % 3 == 0   ? pattern::padded_rows
              : turn % 3 == 1 ? pattern::col_major
                              : pattern::odd_offset;
        c.b = turn % 3 == 1 ? pattern::padded_rows : pattern::row_major;
        vary_output(c, turn);
        c.batch = turn == 7 ? 2 : 1;
        check_before_guard<Types>(c, threads);
        ++turn;
      }
}

TEST_CASE("gemm of few rows is exact across its blocks of k, with every instruction set") {
  for_each_isa([] {
    check_rows<types<float>>();
    check_rows<types<double>>();
  });
}

/// More rows than columns, of an A with contiguous columns, and a k of seven times the columns, or
/// just less; operands end right before a page that may not be touched.
template <class Types>
void check_columns_of_groups() {
  int turn = 0;
  for (index const cols : {3, 19, 70})
    for (index const depth : {7 * cols - 1, 7 * cols, 7 * cols + 2600})
      for (int const threads : {1, 3}) {
        gemm_case c;
        c.rows = 2 * cols + 33;
        c.cols = cols;
        c.depth = depth;
        c.a = turn % 3 == 0 ? pattern::padded_cols : pattern::col_major;
        c.b = cases::input_patterns[turn % 8];
        vary_output(c, turn);
        c.batch = turn == 5 ? 2 : 1;
        check_before_guard<Types>(c, threads);
        ++turn;
      }
}

TEST_CASE(
    "gemm of bytes and bfloat16 is exact where A has contiguous columns and B few of them, with "
    "every instruction set") {
  for_each_isa([] {
    check_columns_of_groups<types<std::int8_t, std::int32_t>>();
    check_columns_of_groups<types<std::uint8_t, std::int32_t>>();
    check_columns_of_groups<types<xpose::bfloat16, float>>();
  });
}

/// A and B with contiguous columns, and a k of several times the rows, and less; operands end right
/// before a page that may not be touched.
template <class Types>
void check_contiguous_columns() {
  int turn = 0;
  for (index const rows : {2, 33, 130, 260})
    for (index const cols : {45, 300})
      for (int const threads : {1, 3}) {
        gemm_case c;
        c.rows = rows;
        c.cols = cols;
        c.depth = turn % 5 == 0 ? 2 * rows : 3 * rows + 511;
        c.a = turn % 3 == 0 ? pattern::padded_cols : pattern::col_major;
        c.b = turn / 2 % 2 == 0 ? pattern::col_major : pattern::padded_cols;
        vary_output(c, turn);
        check_before_guard<Types>(c, threads);
        ++turn;
      }
  gemm_case c;  // A above a megabyte, which B' then reads where it is
  c.rows = 1291;
  c.cols = 45;
  c.depth = 300;
  c.a = pattern::col_major;
  c.b = pattern::col_major;
  c.c = pattern::padded_rows;
  check_exact<Types>(make_backend("omp", place::host_guard_behind, xpose::omp), c);
}

/// An A of more than half a megabyte, which is packed as the B of C' = B' A'.
template <class Types>
void check_large_a_by_columns() {
  for (auto const b : {pattern::col_major, pattern::padded_rows})
    for (int const threads : {1, 3}) {
      gemm_case c;
      c.rows = 333;
      c.cols = 33;
      c.depth = 999;
      c.a = pattern::col_major;
      c.b = b;
      c.c = threads == 1 ? pattern::row_major : pattern::odd_offset;
      c.beta = threads == 1 ? 0 : 3;
      check_before_guard<Types>(c, threads);
    }
}

TEST_CASE("gemm of operands with contiguous columns is exact, with every instruction set") {
  for_each_isa([] {
    check_contiguous_columns<types<float>>();
    check_contiguous_columns<types<double>>();
    check_contiguous_columns<types<xpose::bfloat16, float>>();
    check_contiguous_columns<types<std::int8_t, std::int32_t>>();
    check_large_a_by_columns<types<float>>();
    check_large_a_by_columns<types<double>>();
    check_large_a_by_columns<types<std::complex<float>>>();
  });
}

template <class Types>
void check_few_steps() {
  int turn = 0;
  for (index const depth : {1, 7, 16})
    for (index const cols : {64, 100, 257}) {
      gemm_case c;
      c.rows = 40 + turn;
      c.cols = cols;
      c.depth = depth;
      c.a = turn % 2 == 0 ? pattern::row_major : cases::input_patterns[turn % 9];
      c.b = turn % 3 == 0 ? pattern::row_major : cases::input_patterns[(turn + 4) % 9];
      c.c = turn % 4 == 0 ? pattern::padded_rows : cases::output_patterns[turn % 8];
      c.beta = turn % 5 == 4 ? -1 : 0;
      check_exact<Types>(on_omp::get(), c);
      ++turn;
    }
}

TEST_CASE("gemm of tiles side by side is exact, with every instruction set") {
  for_each_isa([] {
    check_few_steps<types<float>>();
    check_few_steps<types<double>>();
    check_few_steps<types<std::complex<float>>>();
    check_few_steps<types<std::complex<double>>>();
    check_few_steps<types<xpose::float16, float>>();
    check_few_steps<types<std::int8_t, std::int32_t>>();
    check_few_steps<types<std::uint8_t, std::int32_t>>();
    check_few_steps<types<std::int64_t>>();
  });
}

template <class T>
void check_bits(index rows, index cols, index depth, bool a_is_by_columns = false,
                bool b_is_by_columns = false) {
  std::vector<T> a(static_cast<std::size_t>(rows * depth));
  std::vector<T> b(static_cast<std::size_t>(depth * cols));
  std::uint32_t state = 1;
  auto const random = [&state] {
    state = state * 1664525u + 1013904223u;
    return static_cast<T>(static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-31f);
  };
  for (T& x : a) x = random();
  for (T& x : b) x = random();
  auto const run = [&](int threads) {
    std::vector<T> c(static_cast<std::size_t>(rows * cols));
    xpose::gemm(xpose::omp.with(xpose::threads{threads}),
                a_is_by_columns ? xpose::matrix_view<T const>(a.data(), depth, rows).transposed()
                                : xpose::matrix_view<T const>(a.data(), rows, depth),
                b_is_by_columns ? xpose::matrix_view<T const>(b.data(), cols, depth).transposed()
                                : xpose::matrix_view<T const>(b.data(), depth, cols),
                xpose::matrix_view<T>(c.data(), rows, cols));
    return c;
  };
  auto const one = run(1);
  for (int const threads : {2, 3, 8, 1000}) {
    CAPTURE(rows);
    CAPTURE(cols);
    CAPTURE(threads);
    CHECK(std::memcmp(run(threads).data(), one.data(), one.size() * sizeof(T)) == 0);
  }
}

TEST_CASE("gemm of thin shapes gives the same bits for every number of threads") {
  check_bits<float>(5000, 16, 1100);
  check_bits<float>(16, 5000, 1100);
  check_bits<float>(16, 5000, 1100, true);
  check_bits<double>(64, 2048, 501, true);
  check_bits<float>(16, 4096, 1100);
  check_bits<double>(7, 2048, 501);
  check_bits<float>(1500, 1600, 16);
  check_bits<double>(4000, 9, 600);
  check_bits<double>(700, 70, 600);
  check_bits<std::complex<float>>(3000, 17, 300);
  check_bits<float>(96, 100, 5000, true, true);
  check_bits<double>(250, 60, 900, true, true);
  check_bits<float>(1300, 70, 600, true, true);
}

}  // namespace

TEST_SUITE_END();
