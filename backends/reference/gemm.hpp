// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The oracle for gemm: one dot product per element of C over ascending k, in 32x32 blocks of C.
// Assumes a checked problem; takes any strides, types, semirings and epilogues. Uses nothing of
// another backend.
#pragma once

#include <xpose/backends/core/problems/gemm_problem.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class Problem>
void reference_gemm(execution const& where, Problem const& problem) {
  if (explain_only(where, "gemm_in_blocks")) return;
  constexpr index block = 32;
  for (index b = 0; b < problem.batch; ++b)
    for (index first_i = 0; first_i < problem.rows; first_i += block)
      for (index first_j = 0; first_j < problem.cols; first_j += block)
        for (index i = first_i; i < std::min(first_i + block, problem.rows); ++i)
          for (index j = first_j; j < std::min(first_j + block, problem.cols); ++j) {
            auto sum = problem.zero();
            for (index p = 0; p < problem.k_extent; ++p)
              sum = problem.accumulate(sum, problem.read_a(b, i, p), problem.read_b(b, p, j));
            problem.write(b, i, j, sum);
          }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
