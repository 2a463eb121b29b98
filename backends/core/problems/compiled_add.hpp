// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Turns an add request into a typed problem. All three operands have one element type, from the
// lists of castable types.
#pragma once

#include <xpose/backends/core/checks/check.hpp>
#include <xpose/backends/core/problems/add_problem.hpp>
#include <xpose/backends/core/problems/element_functions.hpp>
#include <xpose/detail/add_dispatch.hpp>

namespace xpose::detail {

template <class T, class Run>
bool run_if_asked(add_request const& r, Run const& run) {
  if (r.c.type != element_type_of<T>()) return false;
  run(make_problem<T, T, T, add_compute_t<T, T>>(r));
  return true;
}

template <class Run, class... Types>
bool run_if_listed(add_request const& r, type_list<Types...>, Run const& run) {
  return (run_if_asked<Types>(r, run) || ...);
}

/// run(problem) with the request's types; false if they are not listed.
template <class Run>
bool run_if_compiled(add_request const& r, Run const& run) {
  return run_if_listed(r, castable_reals{}, run) || run_if_listed(r, castable_complexes{}, run);
}

/// The same, with backend_error for types that are not listed; dispatch_add sends none.
template <class Run>
void run_compiled_add(add_request const& r, Run const& run) {
  if (!run_if_compiled(r, run)) refuse_types(operation::add);
}

}  // namespace xpose::detail
