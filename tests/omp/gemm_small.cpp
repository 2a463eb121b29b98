// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Which products the small kernels take on omp, and that these have the general driver's bits, or
// with few rows or columns, or of complex numbers, its sums within the bound.

#include "support/general_driver.hpp"
#include "support/guarded_memory.hpp"
#include "support/instruction_sets.hpp"

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

TEST_SUITE_BEGIN("omp.gemm");

namespace {

using xpose::index;
using xpose::strided;

/// A is m x k, B k x n, C m x n, `count` times; each of them as its strides say, with a gap behind
/// each row, or column.
struct extents {
  index m, n, k;
  index count = 1;
  index gap = 3;
};

template <class T>
class product {
 public:
  explicit product(extents const& e)
      : e_(e), a_(random(e.m, e.k, 1)), b_(random(e.k, e.n, 2)), c_(random(e.m, e.n, 3)) {}

  /// The memory of C afterwards, gaps and all.
  template <class Policy>
  std::vector<T> run(Policy const& policy, int layout, T alpha, T beta, bool conjugate_a = false,
                     bool conjugate_b = false) const {
    std::vector<T> c = c_;
    auto const [a, b, to] = operands(c, layout);
    if (conjugate_a && conjugate_b)
      xpose::gemm(policy, alpha, xpose::conjugated(a), xpose::conjugated(b), beta, to);
    else if (conjugate_a) xpose::gemm(policy, alpha, xpose::conjugated(a), b, beta, to);
    else if (conjugate_b) xpose::gemm(policy, alpha, a, xpose::conjugated(b), beta, to);
    else xpose::gemm(policy, alpha, a, b, beta, to);
    return c;
  }

  /// The same, a call for each matrix.
  std::vector<T> run_one_by_one(int layout, T alpha, T beta) const {
    std::vector<T> c = c_;
    auto const [a, b, to] = operands(c, layout);
    for (index n = 0; n < e_.count; ++n) xpose::gemm(xpose::seq, alpha, a[n], b[n], beta, to[n]);
    return c;
  }

 private:
  using real = decltype(std::abs(T()));

  struct views {
    xpose::batch_view<T const> a, b;
    xpose::batch_view<T> c;
  };
  views operands(std::vector<T>& c, int layout) const {
    return {view(a_.data(), e_.m, e_.k, layout % 2 == 0),
            view(b_.data(), e_.k, e_.n, layout / 2 % 2 == 0),
            view(c.data(), e_.m, e_.n, layout / 4 == 0)};
  }

  template <class U>
  xpose::batch_view<U> view(U* data, index rows, index cols, bool is_by_rows) const {
    strided const by_rows{cols + e_.gap, 1};
    strided const by_cols{1, rows + e_.gap};
    xpose::matrix_view<U> const first(data, rows, cols, is_by_rows ? by_rows : by_cols);
    return {first, e_.count, (rows + 3) * (cols + 3)};
  }
  std::vector<T> random(index rows, index cols, std::uint32_t state) const {
    std::vector<T> values(static_cast<std::size_t>(e_.count * (rows + 3) * (cols + 3)));
    auto const next = [&state] {
      state = state * 1664525u + 1013904223u;
      return static_cast<double>(static_cast<std::int32_t>(state)) * 0x1p-31;
    };
    for (T& x : values) {
      if constexpr (std::is_floating_point_v<T>) x = static_cast<T>(next());
      else x = T(static_cast<real>(next()), static_cast<real>(next()));
    }
    return values;
  }

  extents e_;
  std::vector<T> a_, b_, c_;
};

bool has_512_bits() {
  std::string const name = xpose::detail::isa_name(xpose::detail::active_isa());
  return name.find("AVX3") == 0;
}

/// With AVX-512, sums of up to 8 rows or columns may be several chains.
bool has_general_bits(extents const& e) {
  return !has_512_bits() || std::min(e.m, e.n) > 8 || e.k > 128 || e.m * e.n * e.k > 64 * 64 * 64;
}

template <class T>
bool are_close(std::vector<T> const& x, std::vector<T> const& y, index k) {
  using real = decltype(std::abs(T()));
  real const bound = std::numeric_limits<real>::epsilon() * static_cast<real>(8 * k + 16);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [=](T const& a, T const& b) { return std::abs(a - b) <= bound; });
}

template <class T>
void check_bits() {
  int of_another_order = 0;
  for (extents const& e : {extents{2, 2, 1},        extents{4, 4, 4},        extents{5, 3, 7, 5},
                           extents{13, 17, 9},      extents{16, 48, 20},     extents{31, 65, 40},
                           extents{64, 64, 64},     extents{3, 300, 256},    extents{300, 3, 20},
                           extents{63, 7, 59, 2},   extents{25, 33, 8, 700}, extents{100, 90, 117},
                           extents{37, 110, 99, 3}, extents{8, 300, 128},    extents{2, 9, 33, 4},
                           extents{20, 4, 47, 3},   extents{41, 41, 2, 3},   extents{60, 5, 3},
                           extents{29, 8, 16},      extents{6, 6, 100, 2},   extents{33, 5, 40},
                           extents{5, 33, 65},      extents{34, 6, 70},      extents{6, 41, 33},
                           extents{24, 4, 44},      extents{50, 2, 64, 2},   extents{7, 60, 128}}) {
    CAPTURE(e.m);
    CAPTURE(e.n);
    CAPTURE(e.k);
    product<T> const p(e);
    for (int layout = 0; layout < 8; ++layout) {
      CAPTURE(layout);
      T const alpha = layout % 3 == 0 ? T(1) : T(-0.7);
      T const beta = layout % 2 == 0 ? T(0) : T(1.3);
      std::vector<T> const small = p.run(xpose::seq, layout, alpha, beta);
      std::vector<T> const shared = p.run(xpose::omp.with(xpose::threads{3}), layout, alpha, beta);
      std::vector<T> const general = [&] {
        general_driver_only const scope;
        return p.run(xpose::seq, layout, alpha, beta);
      }();
      if (has_general_bits(e))
        CHECK(std::memcmp(small.data(), general.data(), small.size() * sizeof(T)) == 0);
      else CHECK(are_close(small, general, e.k));
      of_another_order += small != general ? 1 : 0;
      CHECK(std::memcmp(small.data(), shared.data(), small.size() * sizeof(T)) == 0);
      CHECK(small == p.run_one_by_one(layout, alpha, beta));
    }
  }
  CHECK((of_another_order > 0) == has_512_bits());  // some are dots
}

/// The last bytes of each operand end before a guard page, or the first lie behind one.
template <class T>
void check_few(guarded_memory const& a, guarded_memory const& b, guarded_memory const& c, guard g,
               index m, index n, index k, int layout) {
  auto const view = [=](guarded_memory const& memory, index rows, index cols, bool is_by_rows) {
    auto* const data =
        reinterpret_cast<T*>(memory.operand(g, static_cast<std::size_t>(rows * cols) * sizeof(T)));
    return xpose::matrix_view<T>(data, rows, cols,
                                 is_by_rows ? xpose::row_major : xpose::col_major);
  };
  auto const of_a = view(a, m, k, layout % 2 == 0);
  auto const of_b = view(b, k, n, layout / 2 % 2 == 0);
  auto const of_c = view(c, m, n, layout / 4 == 0);
  for (index i = 0; i < m * k; ++i) of_a.data()[i] = static_cast<T>(i % 7 - 3);
  for (index i = 0; i < k * n; ++i) of_b.data()[i] = static_cast<T>(i % 5 - 2);
  for (index i = 0; i < m * n; ++i) of_c.data()[i] = static_cast<T>(i % 3);
  std::vector<T> expected(of_c.data(), of_c.data() + m * n);
  xpose::matrix_view<T> const wanted(expected.data(), m, n,
                                     layout / 4 == 0 ? xpose::row_major : xpose::col_major);
  xpose::gemm(xpose::reference, T(2), of_a, of_b, T(3), wanted);
  xpose::gemm(xpose::seq, T(2), of_a, of_b, T(3), of_c);
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  CAPTURE(layout);
  CHECK(std::equal(expected.begin(), expected.end(), of_c.data()));
}

/// C of one column or one row, all that is contiguous and not. Real ones may be tiles or dots with
/// AVX-512.
template <class T>
void check_gemv_bits() {
  constexpr bool is_complex = !std::is_floating_point_v<T>;
  int of_another_order = 0;
  for (extents const& e :
       {extents{50, 1, 50},        extents{1, 50, 50},        extents{1, 1, 9},
        extents{7, 1, 1},          extents{1, 7, 1},          extents{1, 1, 1},
        extents{128, 1, 128},      extents{3, 1, 1000},       extents{1000, 1, 3},
        extents{1, 333, 31},       extents{1, 31, 333},       extents{64, 1, 300},
        extents{20, 1, 20, 3},     extents{1, 6, 60, 5},      extents{60, 1, 60, 700},
        extents{35, 1, 1, 900, 0}, extents{1, 35, 1, 900, 0}, extents{1, 1, 35, 900, 0},
        extents{32, 1, 512, 2},    extents{40, 1, 33},        extents{1, 40, 33, 3},
        extents{14, 1, 2},         extents{20, 1, 200},       extents{1, 20, 200},
        extents{2, 1, 6},          extents{1, 13, 128}}) {
    CAPTURE(e.m);
    CAPTURE(e.n);
    CAPTURE(e.k);
    product<T> const p(e);
    for (int turn = 0; turn < (is_complex ? 32 : 8); ++turn) {
      CAPTURE(turn);
      auto const run = [&](auto const& policy) {
        return p.run(policy, turn % 8, T(1), T(0), turn / 8 % 2 == 1, turn / 16 == 1);
      };
      std::vector<T> const small = run(xpose::seq);
      std::vector<T> const shared = run(xpose::omp.with(xpose::threads{3}));
      if constexpr (!is_complex) {
        std::vector<T> const alone = p.run_one_by_one(turn, T(1), T(0));
        CHECK(std::memcmp(small.data(), alone.data(), small.size() * sizeof(T)) == 0);
      }
      general_driver_only const scope;
      std::vector<T> const general = run(xpose::seq);
      CHECK(std::memcmp(small.data(), shared.data(), small.size() * sizeof(T)) == 0);
      if constexpr (!is_complex) {
        bool const is_small = e.m * e.n * e.k <= 64 * 64 && e.k >= 2;
        if (has_512_bits() && is_small) {
          CHECK(are_close(small, general, e.k));
          of_another_order += small != general ? 1 : 0;
          continue;
        }
      }
      CHECK(std::memcmp(small.data(), general.data(), small.size() * sizeof(T)) == 0);
    }
  }
  CHECK((of_another_order > 0) == (!is_complex && has_512_bits()));
}

/// Sums of complex numbers come in another order: within the bound for k products, of numbers up to
/// 1, and for the scalars.
template <class R>
void check_complex() {
  using T = std::complex<R>;
  for (extents const& e : {extents{2, 2, 1}, extents{4, 4, 4}, extents{5, 3, 7, 5},
                           extents{13, 17, 9}, extents{25, 33, 40}, extents{64, 64, 64},
                           extents{3, 300, 256}, extents{63, 3, 40}, extents{25, 33, 8, 700}}) {
    CAPTURE(e.m);
    CAPTURE(e.n);
    CAPTURE(e.k);
    product<T> const p(e);
    for (int turn = 0; turn < 32; ++turn) {
      CAPTURE(turn);
      int const layout = turn % 8;
      T const alpha = turn % 3 == 0 ? T(1) : T(R(-0.7), R(0.4));
      T const beta = turn % 2 == 0 ? T(0) : T(R(0.3), R(1.2));
      bool const conjugate_a = turn / 8 % 2 == 1;
      bool const conjugate_b = turn / 16 == 1;
      auto const run = [&](auto const& policy) {
        return p.run(policy, layout, alpha, beta, conjugate_a, conjugate_b);
      };
      std::vector<T> const small = run(xpose::seq);
      std::vector<T> const shared = run(xpose::omp.with(xpose::threads{3}));
      CHECK(std::memcmp(small.data(), shared.data(), small.size() * sizeof(T)) == 0);
      general_driver_only const scope;
      std::vector<T> const general = run(xpose::seq);
      CHECK(are_close(small, general, e.k));
    }
  }
}

template <class T>
std::string kernel_of(index m, index n, index k, index col_stride = 1) {
  std::vector<T> memory(static_cast<std::size_t>((m * k + k * n + m * n) * col_stride));
  T* const a = memory.data();
  T* const b = a + m * k * col_stride;
  auto const view = [=](T* data, index rows, index cols) {
    return xpose::matrix_view<T>(data, rows, cols, strided{cols * col_stride, col_stride});
  };
  return xpose::explain(xpose::seq, xpose::operation::gemm, view(a, m, k), view(b, k, n),
                        view(b + k * n * col_stride, m, n))
      .kernel;
}

TEST_CASE("products of reals and complex numbers up to 64 cubed have kernels of their own on omp") {
  CHECK(kernel_of<float>(2, 2, 1) == "gemm_f32_small");
  CHECK(kernel_of<float>(64, 64, 64) == "gemm_f32_small");
  CHECK(kernel_of<double>(64, 64, 64) == "gemm_f64_small");
  CHECK(kernel_of<double>(2, 500, 256) == "gemm_f64_small");
  CHECK(kernel_of<std::complex<float>>(8, 8, 8) == "gemm_c64_small");
  CHECK(kernel_of<std::complex<float>>(64, 65, 64) == "gemm_c64");
  CHECK(kernel_of<float>(4, 4, 257) == "gemm_f32");
  std::string const of_vector = has_512_bits() ? "gemm_f32_small" : "gemv_small";
  CHECK(kernel_of<float>(1, 64, 64) == of_vector);
  CHECK(kernel_of<float>(1, 64, 6) == of_vector);
  CHECK(kernel_of<float>(1, 64, 5) == "gemv_small");
  CHECK(kernel_of<float>(1, 65, 64) == "gemv_small");
  CHECK(kernel_of<float>(13, 1, 2) == of_vector);
  CHECK(kernel_of<float>(12, 1, 40) == "gemv_small");
  CHECK(kernel_of<double>(20, 1, 128) == (has_512_bits() ? "gemm_f64_small" : "gemv_small"));
  CHECK(kernel_of<double>(20, 1, 129) == "gemv_small");
  CHECK(kernel_of<std::complex<double>>(128, 1, 128) == "gemv_small");
  CHECK(kernel_of<float>(1, 128, 129) == "gemv");
  CHECK(kernel_of<float>(8, 1, 8, 2) == "gemm_f32");
  CHECK(kernel_of<float>(8, 8, 8, 2) == "gemm_f32");
  CHECK(kernel_of<std::int32_t>(8, 8, 8) == "gemm_i32");
}

TEST_CASE("products of reals up to 160 cubed have small kernels with AVX-512 on one thread") {
  auto const kernel = [](auto const& policy, auto zero, index m, index n, index k) {
    using T = decltype(zero);
    std::vector<T> const a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n));
    std::vector<T> c(static_cast<std::size_t>(m * n));
    return std::string(xpose::explain(policy, xpose::operation::gemm,
                                      xpose::matrix_view<T const>(a.data(), m, k),
                                      xpose::matrix_view<T const>(b.data(), k, n),
                                      xpose::matrix_view<T>(c.data(), m, n))
                           .kernel);
  };
  for_each_isa([&] {
    if (std::string(xpose::detail::isa_name(xpose::detail::active_isa())) == "SCALAR") return;
    auto const one = xpose::omp.with(xpose::threads{1});
    CHECK((kernel(one, 0.f, 160, 160, 160) == "gemm_f32_small") == has_512_bits());
    CHECK((kernel(one, 0., 128, 128, 128) == "gemm_f64_small") == has_512_bits());
    CHECK(kernel(one, 0., 128, 129, 128) == "gemm_f64");
    CHECK(kernel(one, 0.f, 161, 160, 160) == "gemm_f32");
    CHECK(kernel(xpose::omp.with(xpose::threads{2}), 0.f, 100, 100, 100) == "gemm_f32");
  });
}

TEST_CASE("every instruction set with vectors has kernels of its own for products") {
  for_each_isa([] {
    bool const has_vectors =
        std::string(xpose::detail::isa_name(xpose::detail::active_isa())) != "SCALAR";
    CHECK((kernel_of<float>(300, 300, 300) == "gemm_f32") == has_vectors);
    CHECK((kernel_of<std::int32_t>(300, 300, 300) == "gemm_i32") == has_vectors);
    CHECK((kernel_of<float>(8, 8, 8) == "gemm_f32_small") == has_vectors);
  });
}

TEST_CASE(
    "small products have the bits of every thread count and batch, and but for few rows or columns "
    "the general driver's") {
  for_each_isa([] {
    check_bits<float>();
    check_bits<double>();
  });
}

TEST_CASE(
    "small matrices times vectors have the bits of every thread count and batch, and but for tiles "
    "and dots the general driver's, whatever layout") {
  for_each_isa([] {
    check_gemv_bits<float>();
    check_gemv_bits<double>();
    check_gemv_bits<std::complex<float>>();
    check_gemv_bits<std::complex<double>>();
  });
}

TEST_CASE("steps of a single row or column address nothing, however large") {
  constexpr index rows = 21, k = 19;
  std::vector<float> a(rows * k), b(k), expected(rows);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < k; ++j)
      expected[static_cast<std::size_t>(i)] +=
          a[static_cast<std::size_t>(i * k + j)] * b[static_cast<std::size_t>(j)];
  for_each_isa([&] {
    for (index const step : {index{0}, index{-3}, index{1}, index{1} << 27, index{1} << 41}) {
      CAPTURE(step);
      std::vector<float> c(rows, 100.f);
      xpose::matrix_view<float const> const matrix(a.data(), rows, k);
      xpose::matrix_view<float const> const column(b.data(), k, 1, strided{1, step});
      xpose::gemm(xpose::seq, matrix, column, xpose::matrix_view<float>(c.data(), rows, 1));
      CHECK(c == expected);
      c.assign(rows, 100.f);
      xpose::gemm(xpose::seq, column.transposed(), matrix.transposed(),
                  xpose::matrix_view<float>(c.data(), 1, rows));
      CHECK(c == expected);
    }
  });
}

TEST_CASE("small complex products are within the bound, whatever layout, conjugation and scalars") {
  for_each_isa([] {
    check_complex<float>();
    check_complex<double>();
  });
}

TEST_CASE("products with few rows or columns read and write nothing beyond their operands") {
  guarded_memory const a(64 << 10);
  guarded_memory const b(64 << 10);
  guarded_memory const c(64 << 10);
  for_each_isa([&] {
    for (guard const g : {guard::before, guard::behind})
      for (index const m : {1, 2, 3, 8, 17, 41})
        for (index const n : {1, 2, 3, 4, 5, 6, 7, 9, 33})
          for (index const k : {1, 2, 3, 5, 16, 19, 40})
            for (int layout = 0; layout < 8; ++layout) {
              check_few<float>(a, b, c, g, m, n, k, layout);
              check_few<double>(a, b, c, g, m, n, k, layout);
            }
  });
}

}  // namespace

TEST_SUITE_END();
