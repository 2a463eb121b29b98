// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Thrust's fancy iterators over a matrix of 70x45 numbers, each with what it must give: the same
// cases for the host and for a device.
#pragma once

#include "matrices.hpp"

#include <thrust/execution_policy.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

namespace fancy {

inline constexpr xpose::index rows = 70;
inline constexpr xpose::index cols = 45;

struct square {
  __host__ __device__ float operator()(int x) const {
    return static_cast<float>(x) * static_cast<float>(x);
  }
};
struct third_of {
  __host__ __device__ int operator()(int i) const { return i / 3; }
};
struct sum_of_pair {
  template <class Pair>
  __host__ __device__ float operator()(Pair const& p) const {
    return static_cast<float>(thrust::get<0>(p)) + thrust::get<1>(p);
  }
};

/// What a zip_iterator's elements become: a struct of the user's own.
struct pair_of {
  int number;
  float value;
};
struct to_pair {
  template <class Pair>
  __host__ __device__ pair_of operator()(Pair const& p) const {
    return {thrust::get<0>(p), thrust::get<1>(p)};
  }
};

/// Transposes and copies into memory of Vector, and compares with expected(element number).
template <class Vector, class Policy, class Iterator, class Expected, class... F>
void check(char const* what, Policy const& policy, std::string const& backend, Iterator first,
           Expected const& expected, F const&... f) {
  CAPTURE(what);
  using T = typename Vector::value_type;
  Vector turned(rows * cols), copied(rows * cols);
  auto const in = xpose::view(first, rows, cols);
  std::string const report = verbose_lines([&] {
    xpose::transpose(policy, in, xpose::view(turned, cols, rows), f...);
    xpose::copy(policy, in, xpose::view(copied, rows, cols, xpose::col_major, rows), f...);
    xpose::copy(policy, in, xpose::view(copied, rows, cols), f...);
  });
  CAPTURE(report);
  CHECK(contains(report, "backend " + backend + ","));
  thrust::host_vector<T> const t = turned, c = copied;
  xpose::matrix_view<T const> const of_t = xpose::view(t, cols, rows);
  xpose::matrix_view<T const> const of_c = xpose::view(c, rows, cols);
  bool is_right = true;
  for (xpose::index i = 0; i < rows; ++i)
    for (xpose::index j = 0; j < cols; ++j) {
      T const wanted = expected(static_cast<int>(i * cols + j));
      is_right = is_right && of_t(j, i) == wanted && of_c(i, j) == wanted;
    }
  CHECK(is_right);
}

inline bool operator==(pair_of a, pair_of b) { return a.number == b.number && a.value == b.value; }

/// Every iterator under one policy, with its memory in vectors of a kind.
template <template <class...> class Vector, class Policy>
void check_all(Policy const& policy, std::string const& backend) {
  Vector<float> values(rows * cols);
  thrust::host_vector<float> on_host(rows * cols);
  for (std::size_t i = 0; i < on_host.size(); ++i) on_host[i] = 0.5f * static_cast<float>(i);
  values = on_host;
  auto const number = thrust::make_counting_iterator(0);
  auto const same = [](int k) { return k; };

  check<Vector<int>>("counting", policy, backend, number, same);
  check<Vector<float>>("transform of counting", policy, backend,
                       thrust::make_transform_iterator(number, square{}),
                       [](int k) { return square{}(k); });
  check<Vector<int>>("constant", policy, backend, thrust::make_constant_iterator(7),
                     [](int) { return 7; });
  check<Vector<float>>("permutation of a vector", policy, backend,
                       thrust::make_permutation_iterator(
                           values.begin(), thrust::make_transform_iterator(number, third_of{})),
                       [](int k) { return 0.5f * static_cast<float>(k / 3); });
  auto const zipped = thrust::make_zip_iterator(thrust::make_tuple(number, values.begin()));
  check<Vector<float>>("transform of zip", policy, backend,
                       thrust::make_transform_iterator(zipped, sum_of_pair{}),
                       [](int k) { return 1.5f * static_cast<float>(k); });
  check<Vector<pair_of>>(
      "zip through a function", policy, backend, zipped,
      [](int k) {
        return pair_of{k, 0.5f * static_cast<float>(k)};
      },
      to_pair{});
}

/// Memory in disguise, which is a matrix_view: it is moved by the compiled kernels.
template <class Vector, class Policy>
void check_iterators_of_memory(Policy const& policy) {
  Vector in(rows * cols + 5, 1.f);
  Vector const& constant = in;
  in[5] = 2.f;
  auto const view = xpose::view(in.begin() + 5, rows, cols);
  auto const of_constant = xpose::view(constant.begin() + 5, rows, cols, xpose::row_major, cols);
  static_assert(std::is_same_v<decltype(view), xpose::matrix_view<float> const>);
  static_assert(std::is_same_v<decltype(of_constant), xpose::matrix_view<float const> const>);
  CHECK(view.data() == thrust::raw_pointer_cast(in.data()) + 5);
  CHECK(of_constant.data() == view.data());
  CHECK(xpose::view(in.end(), 0, cols).data() == nullptr);
  Vector out(rows * cols);
  xpose::transpose(policy, of_constant, xpose::view(out.begin(), cols, rows));
  CHECK(out[0] == 2.f);
  CHECK(out[1] == 1.f);
}

}  // namespace fancy
