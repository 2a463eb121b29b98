// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The operands that docs/from_std_linalg.md speaks of, in the mdspan of whoever has one here, and
// what its calls give, by plain loops.
#pragma once

#if __cplusplus > 202002L && __has_include(<mdspan>)
#include <mdspan>
namespace spans = std;
#elif __has_include(<mdspan/mdspan.hpp>)
#include <mdspan/mdspan.hpp>
namespace spans = Kokkos;
#else
#include <cuda/std/mdspan>
namespace spans = cuda::std;
#endif

#include <cstddef>
#include <vector>

using matrix = spans::mdspan<double, spans::dextents<int, 2>>;
using vector = spans::mdspan<double, spans::dextents<int, 1>>;

struct operands {
  static constexpr int m = 4, n = 3, k = 5;

  static std::vector<double> numbers(int count) {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(i * 7 % 11 - 5);
    return values;
  }

  std::vector<double> a = numbers(m * k), b = numbers(k * n), c = numbers(m * n),
                      e = numbers(m * n), f = numbers(k * m), x_values = numbers(k),
                      y_values = numbers(m), z_values = numbers(m);
  matrix A{a.data(), m, k}, B{b.data(), k, n}, C{c.data(), m, n}, E{e.data(), m, n},
      F{f.data(), k, m};
  vector x{x_values.data(), k}, y{y_values.data(), m}, z{z_values.data(), m};
};

inline double at(std::vector<double> const& values, int cols, int i, int j) {
  return values[static_cast<std::size_t>(i * cols + j)];
}

/// first * before + factor * P Q; P is read at any strides, Q and the result are row-major.
inline std::vector<double> sum_of_product(double first, std::vector<double> before, double factor,
                                          std::vector<double> const& p, int p_row, int p_col,
                                          std::vector<double> const& q, int cols) {
  int const depth = operands::k;
  for (int i = 0; i < operands::m; ++i)
    for (int j = 0; j < cols; ++j) {
      double sum = 0;
      for (int l = 0; l < depth; ++l)
        sum += p[static_cast<std::size_t>(i * p_row + l * p_col)] * at(q, cols, l, j);
      double& out = before[static_cast<std::size_t>(i * cols + j)];
      out = first * out + factor * sum;
    }
  return before;
}
inline std::vector<double> product_onto(double first, std::vector<double> const& before,
                                        operands const& o) {
  return sum_of_product(first, before, 1, o.a, operands::k, 1, o.b, operands::n);
}
inline std::vector<double> vector_onto(double first, std::vector<double> const& before,
                                       operands const& o) {
  return sum_of_product(first, before, 1, o.a, operands::k, 1, o.x_values, 1);
}
