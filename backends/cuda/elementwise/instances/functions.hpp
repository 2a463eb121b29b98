// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Copies through a named function. Their kernels take the longest of all to compile, so their
// instances are split over three files by input type.
#pragma once

#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// The groups; every input type belongs to one.
enum class functions_of { short_integers, long_integers, others };

template <class In>
constexpr functions_of group_of() {
  if constexpr (!is_plain_integer<In>) return functions_of::others;
  else return sizeof(In) <= 2 ? functions_of::short_integers : functions_of::long_integers;
}

/// Does nothing for requests of the other groups.
template <functions_of Group>
void cuda_run_functions(execution const& where, copy_request const& request);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
