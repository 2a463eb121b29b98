// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose's half of docs/from_cutlass.md, but for the type and the semiring of one's own, which
// examples/fewest_changes.cu has. Without a GPU the calls run on omp.

#include "from_cutlass.hpp"

#include <xpose/xpose.hpp>

#include <limits>

namespace xp = xpose;

// A named namespace: nvcc confuses the unnamed one of a file with those inside doctest's templates.
namespace from_cutlass {

struct add_bias_and_relu {
  float const* bias;
  __host__ __device__ float operator()(float x, xp::index, xp::index column) const {
    float const sum = x + bias[column];
    return sum < 0 ? 0 : sum;
  }
};

TEST_CASE("From CUTLASS: a product of float16, B by columns") {
  product<xp::float16> p({1, m, k, n, true}, [](float sum, float c, int) { return 2 * sum - c; });
  on_a_stream const gpu;
  auto const stream = gpu.stream;
  xp::float16 const *const a = p.a.data(), *const b = p.b.data();
  float* const c = p.c.data();
  float const alpha = 2, beta = -1;

  xp::matrix_view<xp::float16 const> const A(a, m, k);
  xp::matrix_view<xp::float16 const> const B(b, k, n, xp::col_major);
  xp::matrix_view<float> const C(c, m, n);
  xp::gemm(xp::cuda.on(stream).nosync(), alpha, A, B, beta, C);  // sums in float

  gpu.wait();
  CHECK(p.c == p.expected);
}

TEST_CASE("From CUTLASS: an epilogue") {
  managed_vector<float> biases;
  for (int j = 0; j < n; ++j) biases.push_back(product<float>::number(j, 4));
  float const* const bias = biases.data();
  product<float> p({1, m, k, n, false},
                   [&](float sum, float, int j) { return sum + bias[j] < 0 ? 0 : sum + bias[j]; });
  on_a_stream const gpu;
  auto const stream = gpu.stream;
  float const *const a = p.a.data(), *const b = p.b.data();
  float* const c = p.c.data();

  xp::matrix_view<float const> const A(a, m, k), B(b, k, n);
  xp::matrix_view<float> const C(c, m, n);
  xp::gemm(xp::cuda.on(stream).nosync(), A, B, C, xp::options().epilogue(add_bias_and_relu{bias}));

  gpu.wait();
  CHECK(p.c == p.expected);
}

TEST_CASE("From CUTLASS: a batch") {
  product<float> p({count, m, k, n, false}, sum_alone);
  on_a_stream const gpu;
  auto const stream = gpu.stream;
  float const *const a = p.a.data(), *const b = p.b.data();
  float* const c = p.c.data();

  xp::gemm(xp::cuda.on(stream).nosync(), xp::batch(a, count, m, k), xp::batch(b, count, k, n),
           xp::batch(c, count, m, n));

  gpu.wait();
  CHECK(p.c == p.expected);
}

TEST_CASE("From CUTLASS: a depth split among blocks") {
  constexpr int deep = 4096;
  product<float> p({1, 8, deep, 16, false}, sum_alone);
  on_a_stream const gpu;
  auto const stream = gpu.stream;
  float const *const a = p.a.data(), *const b = p.b.data();
  float* const c = p.c.data();

  xp::matrix_view<float const> const A(a, 8, deep), B(b, deep, 16);
  xp::gemm(xp::cuda.on(stream).nosync(), A, B, xp::matrix_view<float>(c, 8, 16));

  gpu.wait();
  CHECK(p.c == p.expected);
}

TEST_CASE("From CUTLASS: extents and addresses that suit no vector") {
  constexpr int odd = 37;
  product<xp::float16> p({1, odd, odd, odd, false}, sum_alone);
  xp::float16 const *const a = p.a.data(), *const b = p.b.data();
  float* const c = p.c.data();

  // All but the first row and column of A: 36x36, its rows at odd addresses.
  auto const A = xp::matrix_view<xp::float16 const>(a, odd, odd).submatrix(1, 1, odd - 1, odd - 1);
  auto const B = xp::matrix_view<xp::float16 const>(b, odd, odd).submatrix(1, 0, odd - 1, odd);
  auto const C = xp::matrix_view<float>(c, odd, odd).submatrix(1, 0, odd - 1, odd);
  xp::gemm(xp::cuda, A, B, C);

  for (int i = 1; i < odd; ++i)
    for (int j = 0; j < odd; ++j) {
      auto const at = static_cast<std::size_t>(i * odd + j);
      // The sum without its first term.
      CHECK(p.c[at] == p.expected[at] - float(a[i * odd]) * float(b[j]));
    }
}

TEST_CASE("From CUTLASS: shortest paths") {
  product<float> p({1, m, k, n, false}, sum_alone);
  xp::matrix_view<float const> const A(p.a.data(), m, k), B(p.b.data(), k, n);
  xp::matrix_view<float> const C(p.c.data(), m, n);

  xp::gemm(xp::cuda, A, B, C, xp::options().over(xp::min_plus{}));

  for (xp::index i = 0; i < m; ++i)
    for (xp::index j = 0; j < n; ++j) {
      float least = std::numeric_limits<float>::infinity();
      for (xp::index d = 0; d < k; ++d)
        least = A(i, d) + B(d, j) < least ? A(i, d) + B(d, j) : least;
      CHECK(C(i, j) == least);
    }
}

}  // namespace from_cutlass
