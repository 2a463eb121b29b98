// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Turns an add request into a typed problem. All three operands have one element type, from the
// lists of castable types.
#pragma once

#include <xpose/backends/core/checks/check.hpp>
#include <xpose/backends/core/problems/add_problem.hpp>
#include <xpose/backends/core/problems/element_functions.hpp>
#include <xpose/detail/add_dispatch.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// run(problem) with the request's types; backend_error for types that are not listed. dispatch_add
/// sends none.
template <class Run>
void run_compiled_add(add_request const& r, Run const& run) {
  auto const run_typed = [&](auto type) {
    using T = typename decltype(type)::type;
    run(make_problem<T, T, T, add_compute_t<T, T>>(r));
  };
  if (!run_with_type(r.c.type, castable_reals{}, run_typed) &&
      !run_with_type(r.c.type, castable_complexes{}, run_typed))
    refuse_types(operation::add);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
