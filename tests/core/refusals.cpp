// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What calls refuse, on every backend: the named exception, its message, the output untouched, the
// next call fine.

#include "cases/gemm_cases.hpp"
#include "support/refusal.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <limits>
#include <string>

TEST_SUITE_BEGIN("errors");

namespace {

using gemm_cases::index;

using xpose::matrix_view;
using xpose::strided;

/// A row-major matrix in the backend's place, all elements 7.
struct sevens : matrix<float> {
  sevens(backend const& on, index rows, index cols)
      : matrix<float>(on.where, rows, cols, cases::pattern::row_major) {
    fill([](index, index, index) { return 7.f; });
  }
};

bool contains_sharing(std::string const& text) {
  return text.find("some elements share an address") != std::string::npos;
}

TEST_CASE_TEMPLATE("transpose and copy refuse shapes that do not fit", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  sevens in(on, 300, 200);
  sevens out(on, 32, 300);
  CHECK(refusal<xpose::shape_error>([&] {
          xpose::transpose(on.policy, in.there(), out.there());
        }) == "transpose: out is 32x300, expected 200x300");
  CHECK(refusal<xpose::shape_error>([&] { xpose::copy(on.policy, in.there(), out.there()); }) ==
        "copy: out is 32x300, expected 300x200");
  CHECK(out.is_untouched());
}

TEST_CASE_TEMPLATE("transpose refuses batches of different counts", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  sevens in(on, 6, 2);
  sevens out(on, 4, 4);
  CHECK(refusal<xpose::shape_error>([&] {
          xpose::transpose(on.policy, xpose::batch(in.there().data(), 3, 2, 2),
                           xpose::batch(out.there().data(), 2, 2, 2));
        }) == "transpose: out is 2 of 2x2, expected 3 of 2x2");
  CHECK(out.is_untouched());
}

TEST_CASE_TEMPLATE("outputs whose elements share an address are refused", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  sevens in(on, 4, 5);
  sevens out(on, 20, 20);
  auto const refused = [&](index row_stride, index col_stride) {
    return refusal<xpose::layout_error>([&] {
      xpose::copy(
          on.policy, in.there(),
          matrix_view<float>(out.there().data() + 100, 4, 5, strided{row_stride, col_stride}));
    });
  };
  CHECK(refused(0, 1) ==
        "copy: out is 4x5 with row stride 0, column stride 1: some elements share an address, and "
        "an output's must be "
        "distinct");
  CHECK(contains_sharing(refused(1, 1)));
  CHECK(contains_sharing(refused(4, 1)));
  CHECK(contains_sharing(refused(-2, 2)));
  CHECK(contains_sharing(refused(6, 4)));
  CHECK(refused(5, 4) == "nothing thrown");  // interleaved, yet distinct
  CHECK(refused(-5, -1) == "nothing thrown");
}

TEST_CASE_TEMPLATE("an output that overlaps its input is refused", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  sevens memory(on, 40, 40);
  auto const v = memory.there();
  auto const refused = [&](matrix_view<float> in, matrix_view<float> out) {
    return refusal<xpose::alias_error>([&] { xpose::transpose(on.policy, in, out); });
  };
  CHECK(refused(v, v).find("transpose: out [0x") == 0);
  CHECK(refused(v, v).find("overlaps in [0x") != std::string::npos);
  CHECK(refused(v.submatrix(0, 0, 20, 20), v.submatrix(19, 19, 20, 20)).find("overlaps") !=
        std::string::npos);
  CHECK(refused(v.submatrix(0, 0, 20, 20), v.submatrix(19, 0, 20, 20)).find("overlaps") !=
        std::string::npos);
  CHECK(memory.is_untouched());
  CHECK(refused(v.submatrix(0, 0, 20, 20), v.submatrix(19, 20, 20, 20)) == "nothing thrown");
  CHECK(refused(v.submatrix(0, 0, 20, 20), v.submatrix(20, 0, 20, 20)) == "nothing thrown");
  matrix_view<float> const even(v.data(), 40, 20, strided{40, 2});
  matrix_view<float> const odd(v.data() + 1, 20, 40, strided{2, 40});
  CHECK(refused(even, odd) == "nothing thrown");
}

TEST_CASE_TEMPLATE("gemm refuses shapes that do not fit, naming the operands", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  sevens a(on, 3, 4);
  sevens b(on, 5, 7);
  sevens c(on, 3, 7);
  auto const refused = [&](auto const& x, auto const& y, auto const& z) {
    return refusal<xpose::shape_error>([&] { xpose::gemm(on.policy, x, y, z); });
  };
  CHECK(refused(a.there(), b.there(), c.there()) ==
        "gemm: A is 3x4 and B is 5x7: A's columns (4) must equal B's rows (5)");
  sevens fitting(on, 4, 7);
  sevens wrong(on, 7, 3);
  CHECK(refused(a.there(), fitting.there(), wrong.there()) ==
        "gemm: C is 7x3, expected 3x7 for A 3x4 and B 4x7");
  CHECK(refused(xpose::batch(a.there(), 2, 0), fitting.there(), c.there()) ==
        "gemm: A is 2 of 3x4, B is 4x7 and C is 3x7: batches must have the same count");
  CHECK(c.is_untouched());
  CHECK(wrong.is_untouched());
}

TEST_CASE_TEMPLATE("gemm refuses a C that overlaps A or B, or itself", Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  sevens a(on, 8, 8);
  sevens b(on, 8, 8);
  auto const refused = [&](auto const& c) {
    return refusal<xpose::alias_error>([&] { xpose::gemm(on.policy, a.there(), b.there(), c); });
  };
  CHECK(refused(a.there()).find("gemm: C [0x") == 0);
  CHECK(refused(a.there()).find("overlaps A") != std::string::npos);
  CHECK(refused(b.there()).find("overlaps B") != std::string::npos);
  CHECK(a.is_untouched());
  CHECK(b.is_untouched());
  CHECK(refusal<xpose::layout_error>([&] {
          xpose::gemm(on.policy, a.there(), b.there(),
                      matrix_view<float>(b.there().data(), 8, 8, strided{1, 1}));
        }).find("gemm: C is 8x8 with row stride 1, column stride 1") == 0);
}

TEST_CASE_TEMPLATE("a pointer that is not aligned to its element type is refused", Backend,
                   ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  backend const on = Backend::get();
  sevens in(on, 4, 4);
  sevens out(on, 5, 5);
  auto* const off = reinterpret_cast<float*>(reinterpret_cast<char*>(out.there().data()) + 2);
  auto const text = refusal<xpose::layout_error>(
      [&] { xpose::transpose(on.policy, in.there(), matrix_view<float>(off, 4, 4)); });
  CHECK(text.find("transpose: out at 0x") == 0);
  CHECK(text.find("is not aligned to its element type (4 bytes)") != std::string::npos);
  CHECK(out.is_untouched());
}

TEST_CASE("empty operands are a no-op whatever their pointers and strides") {
  float* const null = nullptr;
  CHECK_NOTHROW(
      xpose::transpose(xpose::omp, matrix_view<float>(null, 0, 5), matrix_view<float>(null, 5, 0)));
  CHECK_NOTHROW(xpose::transpose(xpose::cuda, matrix_view<float>(null, 3, 0),
                                 matrix_view<float>(null, 0, 3)));
  CHECK_NOTHROW(xpose::gemm(xpose::cuda, matrix_view<float>(null, 0, 5),
                            matrix_view<float>(null, 5, 0), matrix_view<float>(null, 0, 0)));
}

TEST_CASE("every argument error is a std::invalid_argument, a std::exception and an xpose::error") {
  auto const fail = [] { matrix_view<float>(nullptr, 1, 1); };
  CHECK_THROWS_AS(fail(), std::invalid_argument);
  CHECK_THROWS_AS(fail(), xpose::error);
  CHECK_THROWS_AS(fail(), xpose::argument_error);
  CHECK_THROWS_AS(fail(), std::exception);
  CHECK_THROWS_AS(xpose::omp.with(xpose::threads{-1}), xpose::shape_error);
}

TEST_CASE("a cuda_error is a std::system_error with the runtime's code and words") {
  xpose::cuda_error const e(400, "cudaLaunchKernel");
  std::system_error const& base = e;
  CHECK(base.code().value() == 400);
  CHECK(base.code().category() == xpose::cuda_category());
  CHECK(std::string(base.what()).find("cudaLaunchKernel") == 0);
  CHECK(std::string(base.what()).find("400") != std::string::npos);
}

TEST_CASE("a device_lost is a cuda_error") {
  auto const fail = [] { throw xpose::device_lost(700, "cudaStreamSynchronize"); };
  CHECK_THROWS_AS(fail(), xpose::cuda_error);
  CHECK_THROWS_AS(fail(), xpose::error);
  CHECK_THROWS_AS(fail(), std::system_error);
}

// No typed call sends such a request.
TEST_CASE_TEMPLATE("a request of types that are not compiled is refused, and never left undone",
                   Backend, ALL_BACKENDS) {
  if (!Backend::is_here()) return;
  using namespace xpose::detail;
  backend const on = Backend::get();
  sevens a(on, 4, 4);
  sevens c(on, 4, 4);
  float const one = 1;
  operand of_a = view_traits<matrix_view<float>>::make(a.there());
  operand of_c = view_traits<matrix_view<float>>::make(c.there());
  of_a.type = of_c.type = element_type::other;
  execution const where = policy_traits<run_time_policy>::make(on.policy);
  CHECK(refusal<xpose::backend_error>([&] {
          run_gemm(where, {of_a, of_a, of_c, element_type::f32, semiring_id::plus_times, &one, &one,
                           true, false, true, xpose::gemm_precision::full});
        }) == "gemm: these element types are not compiled into xpose");
  CHECK(refusal<xpose::backend_error>([&] {
          run_add(where, {of_a, of_a, of_c, &one, &one, scalar_kind::one, scalar_kind::one});
        }) == "add: these element types are not compiled into xpose");
  CHECK(c.is_untouched());
}

}  // namespace

TEST_SUITE_END();
