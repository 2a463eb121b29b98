// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The oracle for add: the definition as loops. Assumes a checked problem; takes any strides and
// types. Uses nothing of another backend.
#pragma once

#include <xpose/backends/core/problems/add_problem.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class Problem>
void reference_add(execution const& where, Problem const& problem) {
  if (explain_only(where, "add_in_order")) return;
  for (index b = 0; b < problem.batch; ++b)
    for (index i = 0; i < problem.rows; ++i)
      for (index j = 0; j < problem.cols; ++j)
        problem.c.at(b, i, j) = problem.value(problem.a.at(b, i, j), problem.b.at(b, i, j));
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
