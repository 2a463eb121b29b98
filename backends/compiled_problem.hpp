// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// From the numbers in a gemm request to a typed problem: every backend's table over the one list of
// compiled types.
#pragma once

#include <xpose/backends/gemm_problem.hpp>
#include <xpose/detail/compiled_gemm.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// No epilogue: the sum is stored as it is.
struct no_epilogue {
  template <class K>
  XPOSE_HOST_DEVICE K const& operator()(K const& x, index, index) const {
    return x;
  }
};

struct compiled_gemm_row {
  element_type a, b, c, accumulate;
  semiring_id semiring;
  void (*run)(execution const&, gemm_request const&);
};

template <class Runner, class A, class B, class C, class K, class Semiring>
constexpr compiled_gemm_row compiled_row(gemm_types<A, B, C, K, Semiring>) {
  return {element_type_of<A>(),
          element_type_of<B>(),
          element_type_of<C>(),
          element_type_of<K>(),
          semiring_id_of<Semiring>(),
          [](execution const& where, gemm_request const& r) {
            Runner::run(where, make_problem<A, B, C, K>(r, Semiring{}, no_epilogue{}));
          }};
}

/// Runner::run(execution, problem) with the row's types. The request comes from dispatch_gemm,
/// which sends only listed types here, so a row is always found.
template <class Runner, class... Rows>
void run_compiled_problem(execution const& where, gemm_request const& r, gemm_type_list<Rows...>) {
  static constexpr compiled_gemm_row table[] = {compiled_row<Runner>(Rows{})...};
  for (auto const& row : table)
    if (row.a == r.a.type && row.b == r.b.type && row.c == r.c.type &&
        row.accumulate == r.accumulate && row.semiring == r.semiring)
      return row.run(where, r);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
