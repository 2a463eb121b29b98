// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// One transpose for every policy under test: 300x200 floats in, 200x300 out, and the loop that says
// whether the output is right.
#pragma once

#include "support/gpu.hpp"
#include "support/verbose_lines.hpp"

#include <xpose/thrust.hpp>
#include <xpose/xpose.hpp>

#include <thrust/host_vector.h>

// In place it takes a workspace on every backend.
inline constexpr xpose::index rows_in = 400;
inline constexpr xpose::index cols_in = 300;

inline thrust::host_vector<float> counting_matrix() {
  thrust::host_vector<float> matrix(rows_in * cols_in);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<float>(i);
  return matrix;
}

inline bool is_transposed(thrust::host_vector<float> const& out) {
  for (xpose::index i = 0; i < rows_in; ++i)
    for (xpose::index j = 0; j < cols_in; ++j)
      if (out[static_cast<std::size_t>(j * rows_in + i)] != static_cast<float>(i * cols_in + j))
        return false;
  return true;
}

/// in and out in memory of one kind: thrust::host_vector, device_vector or universal_vector.
template <class Vector>
struct matrices {
  Vector in = counting_matrix();
  Vector out = Vector(rows_in * cols_in, -1.f);

  xpose::matrix_view<float const> in_view() const { return xpose::view(in, rows_in, cols_in); }
  xpose::matrix_view<float> out_view() { return xpose::view(out, cols_in, rows_in); }
  bool are_transposed() const { return is_transposed(thrust::host_vector<float>(out)); }

  /// What xpose says it ran for a transpose under this policy.
  template <class Policy>
  std::string report_of(Policy const& policy) {
    return verbose_lines([&] { xpose::transpose(policy, in_view(), out_view()); });
  }
};

/// For calls that need no temporary memory: they must not ask for any.
struct refusing_allocator {
  using value_type = char;
  char* allocate(std::size_t) { throw std::bad_alloc(); }
  void deallocate(char*, std::size_t) {}
};
