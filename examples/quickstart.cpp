// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The same transpose and the same product on every policy, from a plain C++ file.

#include "managed_vector.hpp"  // a std::vector that a GPU reaches too

#include <xpose/xpose.hpp>

#include <cstdio>

namespace xp = xpose;

template <class Policy>
managed_vector<float> gram_matrix(Policy policy, xp::matrix_view<float const> A) {
  managed_vector<float> turned(200 * 300);
  managed_vector<float> product(200 * 200);
  xp::matrix_view<float> At(turned.data(), 200, 300);
  xp::matrix_view<float> G(product.data(), 200, 200);

  xp::transpose(policy, A, At);  // At(j, i) = A(i, j)
  xp::gemm(policy, At, A, G);    // G = At A

  auto const ran = xp::explain(policy, xp::operation::transpose, A, At);
  std::printf("%-9s  %s\n", ran.backend.c_str(), ran.reason.c_str());
  return product;
}

int main() {
  managed_vector<float> numbers(300 * 200);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 7);
  xp::matrix_view<float const> const A(numbers.data(), 300, 200);  // row-major, packed

  auto const expected = gram_matrix(xp::reference, A);  // plain loops
  bool const agree = gram_matrix(xp::seq, A) == expected &&
                     gram_matrix(xp::omp.with(xp::threads{2}), A) == expected &&
                     gram_matrix(xp::cuda, A) == expected &&     // without a GPU: runs on omp
                     gram_matrix(xp::automatic, A) == expected;  // where the data lives decides

  std::puts(agree ? "every policy gives the same matrix" : "the results differ");
  return agree ? 0 : 1;
}
