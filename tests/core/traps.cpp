// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Calls at the edge of what compiles and of what a type can hold: each once gave a wrong answer or
// no end.

#include "cases/gemm_cases.hpp"

#include <doctest/doctest.h>

#include <limits>

TEST_SUITE_BEGIN("limits");

namespace {

using cases::index;
using complex = std::complex<float>;
using xpose::matrix_view;

constexpr auto packed = cases::pattern::row_major;

float plus_one(float x) { return x + 1; }

TEST_CASE_TEMPLATE("a real becomes a complex number with an imaginary part of zero", Backend,
                   HOST_BACKENDS) {
  backend const on = Backend::get();
  matrix<float> in(on.where, 40, 33, [](index i, index j) { return i * 100 + j; });
  matrix<complex> out(on.where, 33, 40, packed);
  xpose::transpose(on.policy, in.there(), out.there(), xpose::cast<complex>{});
  CHECK(out.is([](index i, index j) { return complex(static_cast<float>(j * 100 + i), 0); }));
}

TEST_CASE_TEMPLATE("integers of 16 bytes are not taken for 8", Backend, HOST_BACKENDS) {
  __extension__ using wide = __int128;
  backend const on = Backend::get();
  matrix<wide> in(on.where, 3, 2,
                  [](index i, index j) { return (static_cast<wide>(i) << 60) + j; });
  matrix<wide> out(on.where, 2, 3, packed);
  xpose::transpose(on.policy, in.there(), out.there());
  CHECK(out.is([](index i, index j) { return (static_cast<wide>(j) << 60) + i; }));
  matrix<wide> product(on.where, 3, 3, packed);
  xpose::gemm(on.policy, in.there(), out.there(), product.there());
  CHECK(product.is([&](index i, index j) {
    return in.here()(i, 0) * in.here()(j, 0) + in.here()(i, 1) * in.here()(j, 1);
  }));
}

TEST_CASE_TEMPLATE("empty calls with a user's function end at once, whatever the other extent",
                   Backend, HOST_BACKENDS) {
  backend const on = Backend::get();
  int* const none = nullptr;
  index const many = index{1} << 60;
  auto const negate = [](int x) { return -x; };
  xpose::copy(on.policy, matrix_view<int>(none, many, 0), matrix_view<int>(none, many, 0), negate);
  xpose::transpose(on.policy, xpose::batch(none, many, 0, 3), xpose::batch(none, many, 3, 0),
                   negate);
  xpose::gemm(on.policy, matrix_view<int>(none, many, 0), matrix_view<int>(none, 0, 0),
              matrix_view<int>(none, many, 0), xpose::options().epilogue(negate));
}

TEST_CASE("more threads than the system can give are not asked for") {
  matrix<float> in(place::host, 1000, 700, [](index i, index j) { return i - j; });
  matrix<float> out(place::host, 700, 1000, packed);
  xpose::transpose(xpose::omp.with(xpose::threads{1000000}), in.there(), out.there());
  CHECK(out.is([](index i, index j) { return j - i; }));
}

TEST_CASE_TEMPLATE("free functions serve as element function and epilogue", Backend,
                   HOST_BACKENDS) {
  backend const on = Backend::get();
  matrix<float> in(on.where, 5, 4, [](index i, index j) { return i * 4 + j; });
  matrix<float> out(on.where, 4, 5, packed);
  xpose::transpose(on.policy, xpose::conjugated(in.there()), out.there(), plus_one);
  CHECK(out.is([](index i, index j) { return j * 4 + i + 1; }));
  matrix<float> product(on.where, 5, 5, packed);
  xpose::gemm(on.policy, in.there(), out.there(), product.there(),
              xpose::options().epilogue(plus_one));
  CHECK(product.is([&](index i, index j) {
    float sum = 0;
    for (index k = 0; k < 4; ++k) sum += in.here()(i, k) * out.here()(k, j);
    return sum + 1;
  }));
}

TEST_CASE_TEMPLATE("C may have a type that does not convert back to the accumulate type", Backend,
                   HOST_BACKENDS) {
  backend const on = Backend::get();
  matrix<float> a(on.where, 3, 2, [](index i, index j) { return i + j; });
  matrix<complex> c(on.where, 3, 3, packed);
  xpose::gemm(on.policy, a.there(), a.there().transposed(), c.there(),
              xpose::options().epilogue([](float x) { return complex(x, -x); }));
  CHECK(c.is([&](index i, index j) {
    float const sum = a.here()(i, 0) * a.here()(j, 0) + a.here()(i, 1) * a.here()(j, 1);
    return complex(sum, -sum);
  }));
}

TEST_CASE_TEMPLATE("gemm accumulates in any numeric type it is told to", Backend, HOST_BACKENDS) {
  backend const on = Backend::get();
  matrix<std::uint16_t> a(on.where, 1, 2, [](index, index) { return 65535; });
  matrix<std::uint16_t> b(on.where, 2, 1, [](index, index) { return 65535; });
  matrix<std::uint64_t> wide(on.where, 1, 1, packed);
  xpose::gemm(on.policy, a.there(), b.there(), wide.there());
  CHECK(wide.is([](index, index) { return 2ull * 65535 * 65535; }));
  matrix<std::uint16_t> narrow(on.where, 1, 1, packed);
  xpose::gemm(on.policy, a.there(), b.there(), narrow.there(),
              xpose::options().accumulate<std::uint16_t>());
  CHECK(narrow.is([](index, index) { return 2; }));  // (-1)(-1) + (-1)(-1) modulo 2^16
  matrix<float> c(on.where, 1, 1, packed);
  xpose::gemm(on.policy, a.there(), b.there(), c.there(),
              xpose::options().accumulate<xpose::bfloat16>());
  CHECK(c.is([](index, index) { return 8589934592.f; }));
  matrix<long long> d(on.where, 1, 1, packed);
  matrix<long long> e(on.where, 1, 1, [](index, index) { return 7; });
  xpose::gemm(on.policy, 2, e.there(), e.there(), 0, d.there());
  CHECK(d.is([](index, index) { return 98; }));
}

TEST_CASE("strides of a dimension without a second element are never multiplied") {
  constexpr index largest = std::numeric_limits<index>::max();
  int in[4] = {1, 2, 3, 4};
  int out[4] = {};
  xpose::copy(xpose::omp, matrix_view<int>(in, 1, 4, xpose::strided{largest, 1}),
              matrix_view<int>(out, 1, 4, xpose::strided{-largest, 1}));
  CHECK(out[3] == 4);
  xpose::copy(xpose::omp, matrix_view<int>(in, 0, 4, xpose::strided{largest, largest}),
              matrix_view<int>(out, 0, 4, xpose::strided{largest, largest}));
}

TEST_CASE("explain names the kernel that a function needs, and refuses the wrong number of views") {
  matrix<complex> in(place::host, 20, 30, packed);
  matrix<complex> out(place::host, 30, 20, packed);
  using xpose::operation;
  CHECK(xpose::explain(xpose::omp, operation::transpose, in.there(), out.there()).kernel ==
        "transpose_tile<8>");
  CHECK(xpose::explain(xpose::omp, operation::transpose, xpose::conjugated(in.there()), out.there())
            .kernel == "transpose_tile<function>");
  CHECK(
      xpose::explain(xpose::omp, operation::transpose, in.there(), out.there(), xpose::conjugate{})
          .kernel == "transpose_tile<function>");
  CHECK_THROWS_AS(xpose::explain(xpose::omp, operation::gemm, in.there(), out.there()),
                  xpose::shape_error);
  CHECK_THROWS_AS(xpose::explain(xpose::omp, operation::copy, in.there(), out.there(), in.there()),
                  xpose::shape_error);
}

}  // namespace

TEST_SUITE_END();
