// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What explain() answers, what XPOSE_VERBOSE prints and what runs are one: the name that the driver
// tells before it launches.

#include "support/refusal.hpp"
#include "support/verbose_lines.hpp"

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

TEST_SUITE_BEGIN("explain");

namespace {

using xpose::index;
using xpose::operation;

struct plus_one {
  template <class T>
  T operator()(T const& x) const {
    return x + T(1);
  }
};

/// The kernel of gemm, which explain() and the call itself agree on.
template <class A, class C, class Policy, class Options>
std::string kernel_of_gemm(Policy const& policy, index rows, index cols, index depth,
                           Options const& options) {
  std::vector<A> const a(static_cast<std::size_t>(rows * depth), A(1.f));
  std::vector<A> const b(static_cast<std::size_t>(depth * cols), A(1.f));
  std::vector<C> c(static_cast<std::size_t>(rows * cols), C(9));
  std::vector<C> const before = c;
  xpose::matrix_view<A const> const of_a(a.data(), rows, depth);
  xpose::matrix_view<A const> const of_b(b.data(), depth, cols);
  xpose::matrix_view<C> const of_c(c.data(), rows, cols);
  auto const told = xpose::explain(policy, operation::gemm, of_a, of_b, of_c, options);
  CHECK(c == before);  // to ask writes nothing
  std::string const line = verbose_lines([&] { xpose::gemm(policy, of_a, of_b, of_c, options); });
  CAPTURE(line);
  CHECK(contains(line, "backend " + told.backend + ", kernel " + told.kernel));
  CHECK(c != before);
  return told.kernel;
}

TEST_CASE("gemm with an epilogue is told to run on the kernel that it runs on") {
  auto const plain = xpose::options();
  auto const with_epilogue = xpose::options().epilogue(plus_one{});
  for (index const side : {10, 100}) {
    CHECK(kernel_of_gemm<xpose::bfloat16, float>(xpose::omp, side, side, side, with_epilogue) ==
          kernel_of_gemm<xpose::bfloat16, float>(xpose::omp, side, side, side, plain));
    CHECK(kernel_of_gemm<std::int8_t, std::int32_t>(xpose::omp, side, side, side, with_epilogue) ==
          kernel_of_gemm<std::int8_t, std::int32_t>(xpose::omp, side, side, side, plain));
  }
}

TEST_CASE("gemm to another type is told to run on the kernel of its operands") {
  CHECK(kernel_of_gemm<float, double>(xpose::omp, 90, 80, 270, xpose::options()) ==
        kernel_of_gemm<float, float>(xpose::omp, 90, 80, 270, xpose::options()));
  CHECK(kernel_of_gemm<float, float>(xpose::reference, 9, 8, 7, xpose::options()) ==
        "gemm_in_blocks");
}

struct counting_ring {
  float zero() const { return 0; }
  float add(float x, float y) const { return x + y; }
  float multiply(float x, float y) const { return x * y + 1; }
};

TEST_CASE("gemm over a semiring of the user's is told to run on the kernel for any type") {
  CHECK(kernel_of_gemm<float, float>(xpose::omp, 90, 80, 70,
                                     xpose::options().over(counting_ring{})) == "gemm_any_type");
}

TEST_CASE("a matrix times a vector is told not to run by tiles, where it does not") {
  std::string const by_vector =
      kernel_of_gemm<std::int8_t, std::int32_t>(xpose::omp, 300, 1, 200, xpose::options());
  std::string const by_tiles =
      kernel_of_gemm<std::int8_t, std::int32_t>(xpose::omp, 300, 2, 200, xpose::options());
  if (by_tiles != "gemm_any_type") CHECK(by_vector == "gemv");
}

TEST_CASE("a user's function is told to run on the kernel that it runs on") {
  std::vector<float> const in(90 * 70, 1);
  std::vector<double> out(90 * 70);
  xpose::matrix_view<float const> const from(in.data(), 90, 70);
  xpose::matrix_view<double> const to(out.data(), 70, 90);
  auto const f = [](float x) { return 2 * static_cast<double>(x); };
  auto const told = xpose::explain(xpose::omp, operation::transpose, from, to, f);
  CHECK(out[0] == 0);
  std::string const line = verbose_lines([&] { xpose::transpose(xpose::omp, from, to, f); });
  CHECK(contains(line, "kernel " + told.kernel));
  CHECK(out[0] == 2);
}

/// A type that can be added and not multiplied into sums, and the other way round.
struct length {
  float value;
  [[maybe_unused]] friend length operator+(length x, length y) { return {x.value + y.value}; }
};

TEST_CASE("explain() of types that have no such operation says so") {
  std::vector<length> memory(12);
  xpose::matrix_view<length> const view(memory.data(), 3, 4);
  CHECK(contains(refusal<xpose::backend_error>(
                     [&] { xpose::explain(xpose::omp, operation::add, view, view, view); }),
                 "explain: add cannot be called here with these element types"));
}

TEST_CASE("explain() runs nothing in place") {
  std::vector<float> memory(30 * 20, 1);
  memory[1] = 2;
  auto const before = memory;
  for (index const cols : {20, 30}) {
    xpose::matrix_view<float> const view(memory.data(), 20, cols);
    auto const check = [&](auto const& policy) {
      CHECK_FALSE(xpose::explain(policy, operation::transpose_inplace, view).kernel.empty());
      CHECK(memory == before);
    };
    check(xpose::reference);
    check(xpose::seq);
    check(xpose::omp);
  }
}

}  // namespace

TEST_SUITE_END();
