// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// transpose and copy through a function of the user's, on the host.

#include "cases/copy_case.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

TEST_SUITE_BEGIN("element_functions");

namespace {

using cases::index;

struct pair_of_ints {
  int first, second;
};

TEST_CASE_TEMPLATE("a user's function may change the type and take a user's type", Backend,
                   HOST_BACKENDS) {
  backend const on = Backend::get();
  matrix<pair_of_ints> in(on.where, 60, 43, cases::pattern::row_major);
  matrix<double> out(on.where, 43, 60, cases::pattern::negative_rows);
  in.fill([](index, index i, index j) {
    return pair_of_ints{static_cast<int>(i), static_cast<int>(j)};
  });
  double const scale = 0.5;
  xpose::transpose(on.policy, in.there(), out.there(),
                   [scale](pair_of_ints const& x) { return scale * x.first + 1000 * x.second; });
  CHECK(out.holds([](index, index i, index j) {
    return 0.5 * static_cast<double>(j) + 1000.0 * static_cast<double>(i);
  }));
}

TEST_CASE_TEMPLATE("an exception of a user's function reaches the caller", Backend, HOST_BACKENDS) {
  backend const on = Backend::get();
  matrix<int> in(on.where, 300, 300, cases::pattern::row_major);
  matrix<int> out(on.where, 300, 300, cases::pattern::row_major);
  in.fill([](index, index i, index j) { return i * 300 + j; });
  CHECK_THROWS_WITH_AS(
      xpose::transpose(on.policy, in.there(), out.there(),
                       [](int x) { return x == 77777 ? throw std::runtime_error("seven") : x; }),
      "seven", std::runtime_error);
}

TEST_CASE("a user's function on xpose::automatic runs on omp for data on the host") {
  std::vector<float> in(6, 2.f);
  std::vector<float> out(6);
  xpose::transpose(xpose::automatic, xpose::matrix_view<float const>(in.data(), 2, 3),
                   xpose::matrix_view<float>(out.data(), 3, 2), [](float x) { return 3 * x; });
  CHECK(out == std::vector<float>(6, 6.f));
}

}  // namespace

TEST_SUITE_END();
