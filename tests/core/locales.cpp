// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the library says does not depend on the locale of the program that it runs in.

#include "support/refusal.hpp"
#include "support/verbose_lines.hpp"

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <clocale>
#include <cstdint>
#include <locale>
#include <string>
#include <vector>

TEST_SUITE_BEGIN("errors");

namespace {

using xpose::index;
using xpose::matrix_view;
using xpose::strided;

/// Numbers as de_DE has them, whatever locales the machine has.
struct grouping : std::numpunct<char> {
  char do_thousands_sep() const override { return '.'; }
  char do_decimal_point() const override { return ','; }
  std::string do_grouping() const override { return "\3"; }
  std::string do_truename() const override { return "wahr"; }
};

class other_locale {
 public:
  other_locale() : before_(std::locale::global(std::locale(std::locale(), new grouping))) {
    // Where the machine has one with a comma, C's own too.
    for (char const* const name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"})
      if (std::setlocale(LC_ALL, name) != nullptr) break;
  }
  ~other_locale() {
    std::setlocale(LC_ALL, "C");
    std::locale::global(before_);
  }

 private:
  std::locale before_;
};

std::string everything_said() {
  auto* const far = reinterpret_cast<float*>(std::uintptr_t{0x7f52cafb0});  // never read
  matrix_view<float> const in(far, 3000, 2000);
  std::string text =
      refusal<xpose::shape_error>([&] { xpose::copy(xpose::omp, in, in.transposed()); });
  text += refusal<xpose::layout_error>([&] {
    xpose::copy(xpose::seq, in, matrix_view<float>(far, 3000, 2000, strided{1000, 1000}));
  });
  text += refusal<xpose::alias_error>(
      [&] { xpose::copy(xpose::seq, in, matrix_view<float>(far + 1000, 3000, 2000)); });
  text += refusal<xpose::overflow_error>([&] { matrix_view<float>(far, index{1} << 62, 4); });
  text += refusal<xpose::layout_error>([] { matrix_view<float>(nullptr, 1000, 1000); });
  text += refusal<xpose::shape_error>([] { xpose::omp.with(xpose::threads{-1000}); });
  std::vector<float> const row(2000);
  std::vector<float> column(2000);
  matrix_view<float const> const from(row.data(), 1, 2000);
  matrix_view<float> const to(column.data(), 2000, 1);
  text += verbose_lines([&] { xpose::transpose(xpose::omp.with(xpose::threads{1000}), from, to); });
  try {
    throw xpose::cuda_error(99999, "cudaLaunchKernel");
  } catch (xpose::cuda_error const& e) {
    text += e.what();
  }
  return text;
}

TEST_CASE("messages and reports are the same in every locale") {
  std::string const plain = everything_said();
  std::string elsewhere;
  {
    other_locale const here;
    elsewhere = everything_said();
  }
  CHECK(elsewhere == plain);
  CHECK(contains(plain, "copy: out is 2000x3000, expected 3000x2000"));
  CHECK(contains(plain, "row stride 1000"));
  CHECK(contains(plain, "out [0x7f52cbf50, 0x"));
  CHECK(contains(plain, "threads 1000"));
  CHECK(contains(plain, "99999"));
}

}  // namespace

TEST_SUITE_END();
