// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "dist_matrix.hpp"
#include "layouts.hpp"

#include <doctest/doctest.h>

#include <complex>
#include <limits>
#include <string>

namespace {

bool has_scalapack() {
  dist_matrix<float> m(xp::dist_layout::row_slabs(1, 1, context().size()), {});
  dist_matrix<float> c(xp::dist_layout::row_slabs(1, 1, context().size()), {});
  try {
    xp::explain(on_processes(), xp::operation::gemm, m.view(), m.view(), c.view());
    return true;
  } catch (xp::backend_error const& e) {
    CHECK(std::string(e.what()).find("ScaLAPACK") != std::string::npos);
    MESSAGE("no ScaLAPACK for this MPI: products are left out");
    return false;
  }
}

/// Small integers: products and sums are exact in any order.
template <class T>
T element(xp::index i, xp::index j, int salt) {
  auto const n = static_cast<float>((i * 5 + j * 3 + salt) % 7 - 3);
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(n);
  else return {static_cast<typename T::value_type>(n), static_cast<typename T::value_type>(salt)};
}

template <class T>
T sum_of_products(xp::index i, xp::index j, xp::index k_extent) {
  T sum{};
  for (xp::index k = 0; k < k_extent; ++k) sum += element<T>(i, k, 1) * element<T>(k, j, 2);
  return sum;
}

struct product_shape {
  xp::index m, n, k;
};
constexpr product_shape shapes[] = {{7, 9, 5}, {1, 13, 4}, {16, 1, 8}, {24, 24, 24},
                                    {3, 5, 0}, {0, 4, 3},  {5, 7, 1}};

/// How an operand lies: as it is multiplied; or so that its transposed view is what is multiplied,
/// on the transposed grid (whose view is on the grid: op 'N' of p?gemm), or on the grid (op 'T').
enum class lie { as_it_is, on_transposed_grid, on_grid };

/// What changes from call to call: orders, padding, and which operands come transposed.
struct variant {
  int number;
  local_form form(int bit) const {
    return {number >> bit & 1 ? xp::col_major : xp::row_major, number % 3};
  }
  lie a() const { return static_cast<lie>(number % 3); }
  lie b() const { return static_cast<lie>(number / 3 % 3); }
};

template <class T>
dist_matrix<T> operand(xp::index rows, xp::index cols, xp::process_grid grid, lie l,
                       local_form form, int salt) {
  bool const is_transposed = l != lie::as_it_is;
  xp::dist_layout const layout{rows, cols, 3, 4, grid, 0, grid.cols - 1};
  xp::dist_layout const on_grid{cols, rows, 5, 2, grid, grid.rows - 1, 0};
  dist_matrix<T> matrix(l == lie::as_it_is             ? layout
                        : l == lie::on_transposed_grid ? layout.transposed()
                                                       : on_grid,
                        form);
  matrix.fill([&](xp::index i, xp::index j) {
    return is_transposed ? element<T>(j, i, salt) : element<T>(i, j, salt);
  });
  return matrix;
}

template <class T>
void check_product(product_shape s, xp::process_grid grid, variant v) {
  CAPTURE(v.number);
  CAPTURE(s.m);
  CAPTURE(s.n);
  CAPTURE(s.k);
  CAPTURE(grid.rows);
  CAPTURE(grid.cols);
  auto a = operand<T>(s.m, s.k, grid, v.a(), v.form(0), 1);
  auto b = operand<T>(s.k, s.n, grid, v.b(), v.form(1), 2);
  auto c = operand<T>(s.m, s.n, grid, lie::as_it_is, v.form(2), 3);
  auto const a_view = v.a() != lie::as_it_is ? a.view().transposed() : a.view();
  auto const b_view = v.b() != lie::as_it_is ? b.view().transposed() : b.view();
  xp::gemm(on_processes(), T(2), a_view, b_view, T(-1), c.view());
  CHECK(c.unequal_elements([&](xp::index i, xp::index j) {
    return T(2) * sum_of_products<T>(i, j, s.k) - element<T>(i, j, 3);
  }) == 0);
  CHECK(c.written_outside() == 0);
  // C is not read.
  c.fill([](xp::index, xp::index) { return T(std::numeric_limits<float>::quiet_NaN()); });
  xp::gemm(on_processes(), a_view, b_view, c.view());
  CHECK(c.unequal_elements(
            [&](xp::index i, xp::index j) { return sum_of_products<T>(i, j, s.k); }) == 0);
  CHECK(c.written_outside() == 0);
}

template <class T>
void check_products() {
  int number = 0;
  for (product_shape const& shape : shapes)
    for (xp::process_grid const& grid : grids())
      for (int repeat = 0; repeat < 2; ++repeat) check_product<T>(shape, grid, {number++});
}

}  // namespace

TEST_SUITE_BEGIN("mpi.products");

TEST_CASE("gemm of float") {
  if (has_scalapack()) check_products<float>();
}
TEST_CASE("gemm of double") {
  if (has_scalapack()) check_products<double>();
}
TEST_CASE("gemm of complex float") {
  if (has_scalapack()) check_products<std::complex<float>>();
}
TEST_CASE("gemm of complex double") {
  if (has_scalapack()) check_products<std::complex<double>>();
}

TEST_CASE("gemm with alpha zero reads neither A nor B") {
  if (!has_scalapack()) return;
  xp::process_grid const grid{context().size(), 1};
  auto a = operand<double>(7, 5, grid, lie::as_it_is, {}, 1);
  auto b = operand<double>(5, 9, grid, lie::as_it_is, {}, 2);
  auto c = operand<double>(7, 9, grid, lie::as_it_is, {}, 3);
  auto const nan = [](xp::index, xp::index) { return std::numeric_limits<double>::quiet_NaN(); };
  a.fill(nan);
  b.fill(nan);
  xp::gemm(on_processes(), 0.0, a.view(), b.view(), 2.0, c.view());
  CHECK(c.unequal_elements([](xp::index i, xp::index j) { return 2 * element<double>(i, j, 3); }) ==
        0);
}

TEST_CASE("explain names the p?gemm and where it was found") {
  if (!has_scalapack()) return;
  xp::process_grid const grid{1, context().size()};
  auto a = operand<double>(7, 5, grid, lie::as_it_is, {}, 1);
  auto b = operand<double>(5, 9, grid, lie::as_it_is, {}, 2);
  auto c = operand<double>(7, 9, grid, lie::as_it_is, {}, 3);
  auto const how = xp::explain(on_processes(), xp::operation::gemm, a.view(), b.view(), c.view());
  CHECK(how.kernel == "pdgemm");
  CHECK(how.reason.find("scalapack") != std::string::npos);
}

TEST_SUITE_END();
