// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The case of xpose-bench that XPOSE_LOG gives for each operation, layout and type. That the bench
// takes them is tested in tests/bench/test_replay.py.

#include "support/environment_variable.hpp"
#include "support/refusal.hpp"
#include "traced_program.hpp"

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <string>

namespace {

using xpose::index;
using xpose::matrix_view;
using xpose::strided;

/// Aligned to 16 bytes, of zeros.
template <class T>
T* memory(index which) {
  alignas(64) static unsigned char all[3][1 << 16];
  return reinterpret_cast<T*>(all[which]);
}
template <class T, class... Layout>
matrix_view<T const> in(index rows, index cols, Layout... layout) {
  return {memory<T>(0), rows, cols, layout...};
}
template <class T, class... Layout>
matrix_view<T const> also_in(index rows, index cols, Layout... layout) {
  return {memory<T>(1), rows, cols, layout...};
}
template <class T, class... Layout>
matrix_view<T> out(index rows, index cols, Layout... layout) {
  return {memory<T>(2), rows, cols, layout...};
}

/// What is logged of one call, without the heading.
template <class Call>
std::string line_of(Call const& call) {
  temporary_folder const folder;
  std::string const file = folder.file("log");
  environment_variable const log("XPOSE_LOG", ("calls:" + file).c_str());
  call();
  auto const lines = lines_of(file);
  REQUIRE(lines.size() == 2);
  return lines[1];
}
/// The case alone; its policy is that of `two`.
template <class Call>
std::string case_of(Call const& call) {
  std::string const line = line_of(call);
  std::string const policy = " --policy omp --threads 2";
  auto const at = line.find(policy);
  if (at == std::string::npos) return line;
  return line.substr(12, at - 12) +
         line.substr(at + policy.size(), line.find("  #") - at - policy.size());
}
bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

auto const two = xpose::omp.with(xpose::threads{2});

TEST_CASE("a transpose is logged with its leading dimensions and its batch") {
  auto const transpose = [](auto from, auto to) {
    return case_of([&] { xpose::transpose(two, from, to); });
  };
  CHECK(transpose(in<float>(6, 4), out<float>(4, 6)) == "transpose --types f32 --shapes 6x4");
  CHECK(transpose(in<double>(6, 4, xpose::row_major, 5), out<double>(4, 6, xpose::row_major, 9)) ==
        "transpose --types f64 --shapes 6x4:ld=5/9");
  CHECK(
      transpose(xpose::batch(memory<float>(0), 3, 6, 4), xpose::batch(memory<float>(2), 3, 4, 6)) ==
      "transpose --types f32 --shapes 3*6x4");
  CHECK(transpose(in<std::uint16_t>(6, 4), out<std::uint16_t>(4, 6)) ==
        "transpose --types b2 --shapes 6x4");
  using three_bytes = std::array<unsigned char, 3>;
  CHECK(transpose(in<three_bytes>(6, 4), out<three_bytes>(4, 6)) ==
        "transpose --types b3 --shapes 6x4");
}

TEST_CASE("a layout of contiguous columns is logged as the case that is the same in memory") {
  auto const col_major = xpose::col_major;
  CHECK(case_of([&] { xpose::transpose(two, in<float>(6, 4, col_major), out<float>(4, 6)); }) ==
        "copy --types f32 --shapes 4x6");
  CHECK(case_of([&] { xpose::copy(two, in<float>(6, 4, col_major, 7), out<float>(6, 4)); }) ==
        "transpose --types f32 --shapes 4x6:ld=7/4");
  CHECK(case_of([&] {
          xpose::transpose(two, in<float>(6, 4, col_major), out<float>(4, 6, col_major));
        }) == "transpose --types f32 --shapes 4x6");
  CHECK(case_of([&] {
          xpose::gemm(two, in<float>(6, 4), also_in<float>(4, 5), out<float>(6, 5, col_major));
        }) == "gemm --types f32 --shapes 5x6x4:TT");
  CHECK(case_of([&] {
          xpose::gemm(two, in<float>(6, 4, col_major), also_in<float>(4, 5, col_major, 9),
                      out<float>(6, 5, col_major));
        }) == "gemm --types f32 --shapes 5x6x4:ld=9/6/6");
  CHECK(case_of([&] {
          xpose::add(two, 2.f, in<float>(6, 4, col_major), 1.f, also_in<float>(6, 4),
                     out<float>(6, 4, col_major));
        }) == "add --types f32 --shapes 4x6:NT");
}

TEST_CASE("every operation is logged as its own case") {
  CHECK(case_of([] { xpose::copy(two, in<float>(6, 4), out<float>(6, 4)); }) ==
        "copy --types f32 --shapes 6x4");
  CHECK(case_of([] {
          xpose::transpose(two, in<float>(6, 4), out<xpose::bfloat16>(4, 6),
                           xpose::cast<xpose::bfloat16>{});
        }) == "transpose --cast f32:bf16 --shapes 6x4");
  CHECK(case_of([] { xpose::transpose_inplace(two, out<float>(6, 4, xpose::col_major)); }) ==
        "transpose --in-place --types f32 --shapes 4x6");
  CHECK(case_of([] {
          xpose::add(two, 2., in<double>(6, 4).transposed(), 1., also_in<double>(4, 6),
                     out<double>(4, 6));
        }) == "add --types f64 --shapes 4x6:TN");
  CHECK(case_of([] {
          xpose::permute(two, xpose::tensor_view<float const, 3>{memory<float>(0), {4, 5, 6}},
                         xpose::tensor_view<float, 3>{memory<float>(2), {6, 4, 5}},
                         std::array<int, 3>{2, 0, 1});
        }) == "permute --types f32 --shapes 4x5x6:201");
  CHECK(case_of([] {
          xpose::gemm(two, xpose::batch(memory<float>(0), 3, 6, 4),
                      xpose::batch(memory<float>(1), 3, 4, 5),
                      xpose::batch(memory<float>(2), 3, 6, 5));
        }) == "gemm --types f32 --shapes 3*6x5x4");
}

TEST_CASE("a gemm is logged with its types and its semiring") {
  auto const gemm = [](auto a, auto b, auto c, auto options) {
    return case_of([&] { xpose::gemm(two, a, b, c, options); });
  };
  auto const plain = xpose::options();
  using f16 = xpose::float16;
  CHECK(gemm(in<f16>(6, 4), also_in<f16>(4, 5), out<float>(6, 5), plain) ==
        "gemm --types f16_f32 --shapes 6x5x4");
  CHECK(gemm(in<std::int8_t>(6, 4), also_in<std::int8_t>(4, 5), out<std::int32_t>(6, 5), plain) ==
        "gemm --types i8 --shapes 6x5x4");
  using c64 = std::complex<float>;
  CHECK(gemm(in<c64>(6, 4), also_in<c64>(5, 4).transposed(), out<c64>(6, 5), plain) ==
        "gemm --types c64 --shapes 6x5x4:NT");
  CHECK(gemm(in<float>(6, 4), also_in<float>(4, 5), out<float>(6, 5),
             plain.over(xpose::min_plus{})) == "gemm --types min_plus_f32 --shapes 6x5x4");
}

TEST_CASE("operands behind an aligned address are logged with their offset") {
  matrix_view<float const> const from(memory<float>(0) + 3, 6, 4);
  CHECK(case_of([&] {
          xpose::transpose(two, from, matrix_view<float>(memory<float>(2) + 7, 4, 6));
        }) == "transpose --types f32 --shapes 6x4:offset=3");
  CHECK(contains(line_of([&] { xpose::transpose(two, from, out<float>(4, 6)); }),
                 "on omp with threads 2: the operands' offsets from multiples of 16 bytes differ"));
}

TEST_CASE("the line names the policy that ran the call, and the threads of omp") {
  CHECK(line_of([] {
          xpose::transpose(xpose::seq, in<float>(6, 4), out<float>(4, 6));
        }).rfind("xpose-bench transpose --policy seq --types", 0) == 0);
  CHECK(line_of([] {
          xpose::transpose(xpose::omp.with(xpose::threads{1}), in<float>(6, 4), out<float>(4, 6));
        }).rfind("xpose-bench transpose --policy omp --threads 1 --types", 0) == 0);
  CHECK(line_of([] {
          xpose::transpose(xpose::reference, in<float>(6, 4), out<float>(4, 6));
        }).rfind("# not replayable: transpose f32 6x4 on reference: plain loops", 0) == 0);
}

TEST_CASE("what a case leaves out is said behind it") {
  auto const gemm = [](float beta) {
    return line_of([&] {
      xpose::gemm(two, 1.f, in<float>(6, 4), also_in<float>(4, 5), beta, out<float>(6, 5));
    });
  };
  CHECK(contains(gemm(1), "--shapes 6x5x4  # calls 1, seconds "));
  CHECK(contains(gemm(1), "; the call read C, too"));
  CHECK_FALSE(contains(gemm(0), "read C"));
}

TEST_CASE("a call that the bench has no case of is a comment with the reason") {
  auto const reason = [](auto const& call) {
    std::string const line = line_of(call);
    CAPTURE(line);
    CHECK(line.rfind("# not replayable: ", 0) == 0);
    auto const at = line.find("threads 2: ");
    return at == std::string::npos ? line : line.substr(at + 11, line.find("  #") - at - 11);
  };
  CHECK(reason([] {
          xpose::transpose(two, in<float>(6, 4), out<float>(4, 6), [](float x) { return x + 1; });
        }) == "user function");
  CHECK(reason([] {
          xpose::gemm(two, in<float>(6, 4), also_in<float>(4, 5), out<float>(6, 5),
                      xpose::options().epilogue([](float x) { return x; }));
        }) == "user function");
  CHECK(reason([] {
          xpose::copy(two, in<float>(6, 4, strided{20, 3}), out<float>(6, 4));
        }) == "in is neither row-major nor col-major");
  CHECK(reason([] {
          xpose::gemm(two, xpose::batch(memory<float>(0), 3, 6, 4), also_in<float>(4, 5),
                      xpose::batch(memory<float>(2), 3, 6, 5));
        }) == "B's batch stride is 0");
  CHECK(reason([] {
          xpose::permute(
              two, xpose::tensor_view<float const, 3>{memory<float>(0), {4, 5, 6}, {40, 7, 1}},
              xpose::tensor_view<float, 3>{memory<float>(2), {6, 4, 5}},
              std::array<int, 3>{2, 0, 1});
        }) == "in is not packed: strides 1, 40, 7");
  CHECK(reason([] { xpose::transpose(two, in<float>(0, 4), out<float>(4, 0)); }) == "no elements");
  CHECK(reason([] {
          xpose::gemm(two, 0.f, in<float>(6, 4), also_in<float>(4, 5), 2.f, out<float>(6, 5));
        }) == "alpha is zero: A and B are not read");
  using c64 = std::complex<float>;
  CHECK(reason([] {
          xpose::gemm(two, conjugated(in<c64>(6, 4)), also_in<c64>(4, 5), out<c64>(6, 5));
        }) == "a conjugated operand");
  CHECK(reason([] { xpose::add(two, 1, in<int>(6, 4), 1, also_in<int>(6, 4), out<int>(6, 4)); }) ==
        "sums of i32");
  CHECK(reason([] { xpose::transpose_inplace(two, out<float>(6, 6, xpose::row_major, 7)); }) ==
        "in place the bench has packed matrices");
}

TEST_CASE("a call that is refused and a call of explain() are not logged") {
  temporary_folder const folder;
  std::string const file = folder.file("log");
  environment_variable const log("XPOSE_LOG", ("calls:" + file).c_str());
  CHECK_THROWS_AS(xpose::transpose(two, in<float>(6, 4), out<float>(6, 4)), xpose::shape_error);
  xpose::explain(two, xpose::operation::transpose, in<float>(6, 4), out<float>(4, 6));
  CHECK(lines_of(file).size() == 1);
}

TEST_CASE("an XPOSE_LOG that asks for nothing known is an error before any work") {
  for (char const* const value : {"benhc", "1", "benches:/tmp/x"}) {
    environment_variable const log("XPOSE_LOG", value);
    CHECK(contains(refusal<xpose::backend_error>(
                       [] { xpose::transpose(two, in<float>(6, 4), out<float>(4, 6)); }),
                   std::string("XPOSE_LOG is \"") + value + "\", and may be \"bench\""));
  }
  environment_variable const log("XPOSE_LOG", "bench:/nonexistent/log");
  CHECK(contains(refusal<xpose::backend_error>(
                     [] { xpose::transpose(two, in<float>(6, 4), out<float>(4, 6)); }),
                 "/nonexistent/log cannot be written: No such file"));
}

}  // namespace
