// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The standard's half of docs/from_std_linalg.md: with <linalg>, or with the implementation of its
// proposal, P1673, that needs C++20 and the mdspan of Kokkos.

#include "from_std_linalg_operands.hpp"

#if __cplusplus > 202302L && __has_include(<linalg>)
#include <linalg>
namespace implementation = std::linalg;
#else
#include <experimental/linalg>
namespace implementation = Kokkos::Experimental::linalg;
#endif

#include <doctest/doctest.h>

namespace {

namespace linalg = implementation;

TEST_CASE("products and their views") {
  operands o;
  auto& [a, b, c, e, f, x_values, y_values, z_values, A, B, C, E, F, x, y, z] = o;
  linalg::matrix_product(A, B, C);  // C = A B
  CHECK(c == product_onto(0, c, o));
  // C = 2 F^T B, F is k x m
  linalg::matrix_product(linalg::scaled(2., linalg::transposed(F)), B, C);
  CHECK(c == sum_of_product(0, c, 2, f, 1, operands::m, b, operands::n));
}

TEST_CASE("products with addends") {
  operands o;
  auto& [a, b, c, e, f, x_values, y_values, z_values, A, B, C, E, F, x, y, z] = o;
  auto const sum = product_onto(1, e, o);
  linalg::matrix_product(A, B, E, C);                      // C = E + A B
  linalg::matrix_product(A, B, linalg::scaled(3., C), C);  // C = 3 C + A B
  CHECK(c == product_onto(3, sum, o));
}

TEST_CASE("products with vectors") {
  operands o;
  auto& [a, b, c, e, f, x_values, y_values, z_values, A, B, C, E, F, x, y, z] = o;
  linalg::matrix_vector_product(A, x, y);                          // y = A x
  linalg::matrix_vector_product(A, x, linalg::scaled(-1., y), z);  // z = A x - y
  CHECK(y_values == vector_onto(0, y_values, o));
  CHECK(z_values == vector_onto(-1, y_values, o));
}

TEST_CASE("sums, copies and scaling") {
  operands o;
  auto const before = o;
  auto& [a, b, c, e, f, x_values, y_values, z_values, A, B, C, E, F, x, y, z] = o;
  linalg::add(C, linalg::scaled(-0.5, E), C);  // C = C - E / 2
  linalg::copy(linalg::transposed(F), A);      // A = F^T
  linalg::scale(2., y);                        // y = 2 y
  for (int i = 0; i < operands::m; ++i) {
    for (int j = 0; j < operands::n; ++j)
      CHECK(at(c, 3, i, j) == at(before.c, 3, i, j) - at(e, 3, i, j) / 2);
    for (int l = 0; l < operands::k; ++l) CHECK(at(a, 5, i, l) == at(f, 4, l, i));
    CHECK(at(y_values, 1, i, 0) == 2 * at(before.y_values, 1, i, 0));
  }
}

}  // namespace
