// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Turns a gemm request into a typed problem, over the one list of compiled types.
#pragma once

#include <xpose/backends/core/checks/check.hpp>
#include <xpose/backends/core/problems/gemm_problem.hpp>
#include <xpose/detail/compiled_gemm.hpp>
#include <xpose/layer_epilogue.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Whether a request has the types of an entry of the list.
template <class A, class B, class C, class K, class Semiring>
bool is_asked(gemm_request const& r, gemm_types<A, B, C, K, Semiring>) {
  return r.a.type == element_type_of<A>() && r.b.type == element_type_of<B>() &&
         r.c.type == element_type_of<C>() && r.accumulate == element_type_of<K>() &&
         r.semiring == semiring_id_of<Semiring>();
}

/// No epilogue.
struct without_epilogue {
  template <class Types>
  no_epilogue operator()(gemm_request const&, Types) const {
    return {};
  }
};

template <class Run, class Epilogue, class A, class B, class C, class K, class Semiring>
bool run_if_asked(gemm_request const& r, gemm_types<A, B, C, K, Semiring> row, Run const& run,
                  Epilogue const& epilogue_of) {
  if (!is_asked(r, row)) return false;
  run(make_problem<A, B, C, K>(r, Semiring{}, epilogue_of(r, row)));
  return true;
}

/// run(problem) with the request's types, and the epilogue that epilogue_of(request, types) makes;
/// backend_error for types that are not listed. dispatch_gemm sends none.
template <class Run, class Epilogue = without_epilogue, class... Rows>
void run_compiled_problem(gemm_request const& r, gemm_type_list<Rows...>, Run const& run,
                          Epilogue const& epilogue_of = {}) {
  if (!(run_if_asked(r, Rows{}, run, epilogue_of) || ...)) refuse_types(operation::gemm);
}

/// The layer of a request that has one.
struct layer_of_request {
  template <class A, class B, class C, class K, class Semiring>
  layer_epilogue<C> operator()(gemm_request const& r, gemm_types<A, B, C, K, Semiring>) const {
    return layer_epilogue<C>(*r.layer);
  }
};

/// Of the list that a request belongs to, with a layer_epilogue or without.
template <class Gemms, class Layers, class Run>
void run_compiled(gemm_request const& r, Gemms gemms, Layers layers, Run const& run) {
  if (r.layer != nullptr) run_compiled_problem(r, layers, run, layer_of_request{});
  else run_compiled_problem(r, gemms, run);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
