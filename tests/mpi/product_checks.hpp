// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Products of matrices in memory of the host or of a device.
#pragma once

#include "dist_matrix.hpp"
#include "layouts.hpp"

#include <doctest/doctest.h>

#include <complex>
#include <limits>

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
inline constexpr product_shape shapes[] = {{7, 9, 5}, {1, 13, 4}, {16, 1, 8}, {24, 24, 24},
                                           {3, 5, 0}, {0, 4, 3},  {5, 7, 1}};

/// How an operand lies: as it is multiplied; or so that its transposed view is what is multiplied,
/// on the transposed grid (whose view is on the grid: op 'N' of p?gemm), or on the grid (op 'T').
enum class lie { as_it_is, on_transposed_grid, on_grid };

/// What changes from call to call: orders, padding, and which operands come transposed.
struct product_variant {
  int number;
  local_form form(int bit) const {
    return {number >> bit & 1 ? xp::col_major : xp::row_major, number % 3};
  }
  lie a() const { return static_cast<lie>(number % 3); }
  lie b() const { return static_cast<lie>(number / 3 % 3); }
};

/// A has blocks of m x k, B of k x n, C of m x n, as cuBLASMp wants them; or 0.
struct product_blocks {
  xp::index m, k, n;
};
inline constexpr product_blocks fitting{3, 2, 4};

/// Of blocks 0 x 0: of any sizes, and beginning anywhere.
template <template <class> class Matrix, class T>
Matrix<T> operand(xp::index rows, xp::index cols, xp::process_grid grid, lie l, local_form form,
                  int salt, xp::index block_rows = 0, xp::index block_cols = 0) {
  bool const is_transposed = l != lie::as_it_is;
  xp::dist_layout layout{rows, cols, 3, 4, grid, 0, grid.cols - 1};
  xp::dist_layout on_grid{cols, rows, 5, 2, grid, grid.rows - 1, 0};
  if (block_rows > 0) {
    layout = {rows, cols, block_rows, block_cols, grid, 0, 0};
    on_grid = {cols, rows, block_cols, block_rows, grid, 0, 0};
  }
  Matrix<T> matrix(l == lie::as_it_is             ? layout
                   : l == lie::on_transposed_grid ? layout.transposed()
                                                  : on_grid,
                   form);
  matrix.fill([&](xp::index i, xp::index j) {
    return is_transposed ? element<T>(j, i, salt) : element<T>(i, j, salt);
  });
  return matrix;
}

template <template <class> class Matrix, class T>
void check_product(xp::mpi_policy const& policy, product_shape s, xp::process_grid grid,
                   product_variant v, product_blocks blocks = {0, 0, 0}) {
  CAPTURE(v.number);
  CAPTURE(s.m);
  CAPTURE(s.n);
  CAPTURE(s.k);
  CAPTURE(grid.rows);
  CAPTURE(grid.cols);
  auto a = operand<Matrix, T>(s.m, s.k, grid, v.a(), v.form(0), 1, blocks.m, blocks.k);
  auto b = operand<Matrix, T>(s.k, s.n, grid, v.b(), v.form(1), 2, blocks.k, blocks.n);
  auto c = operand<Matrix, T>(s.m, s.n, grid, lie::as_it_is, v.form(2), 3, blocks.m, blocks.n);
  auto const a_view = v.a() != lie::as_it_is ? a.view().transposed() : a.view();
  auto const b_view = v.b() != lie::as_it_is ? b.view().transposed() : b.view();
  xp::gemm(policy, T(2), a_view, b_view, T(-1), c.view());
  CHECK(c.unequal_elements([&](xp::index i, xp::index j) {
    return T(2) * sum_of_products<T>(i, j, s.k) - element<T>(i, j, 3);
  }) == 0);
  CHECK(c.written_outside() == 0);
  // C is not read.
  c.fill([](xp::index, xp::index) { return T(std::numeric_limits<float>::quiet_NaN()); });
  xp::gemm(policy, a_view, b_view, c.view());
  CHECK(c.unequal_elements(
            [&](xp::index i, xp::index j) { return sum_of_products<T>(i, j, s.k); }) == 0);
  CHECK(c.written_outside() == 0);
}

template <template <class> class Matrix>
void check_alpha_zero(xp::mpi_policy const& policy) {
  xp::process_grid const grid{context().size(), 1};
  auto a = operand<Matrix, double>(7, 5, grid, lie::as_it_is, {}, 1);
  auto b = operand<Matrix, double>(5, 9, grid, lie::as_it_is, {}, 2);
  auto c = operand<Matrix, double>(7, 9, grid, lie::as_it_is, {}, 3);
  auto const nan = [](xp::index, xp::index) { return std::numeric_limits<double>::quiet_NaN(); };
  a.fill(nan);
  b.fill(nan);
  xp::gemm(policy, 0.0, a.view(), b.view(), 2.0, c.view());
  CHECK(c.unequal_elements([](xp::index i, xp::index j) { return 2 * element<double>(i, j, 3); }) ==
        0);
}
