// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <xpose/detail/copy_dispatch.hpp>
#include <xpose/detail/wrong_call.hpp>

namespace xpose {
inline namespace v0 {

/// out(i, j) = f(in(i, j)), for every matrix of a batch: any layout to any layout.
/// Requires in and out to have the same extents; everything else as for transpose, which is
/// copy(policy, in.transposed(), out).
template <class Policy, class In, class Out, class F = identity,
          class = std::enable_if_t<is_policy<Policy> && detail::is_view<In>::value &&
                                   detail::is_view<Out>::value>>
void copy(Policy const& policy, In const& in, Out const& out, F const& f = {}) {
  if constexpr (detail::is_iterator_view<In>)
    detail::dispatch_iterator(policy, operation::copy, in, out, f);
  else
    detail::dispatch_copy<In, Out>(policy,
                                   {operation::copy,
                                    detail::as_tensor(detail::view_traits<In>::make(in)),
                                    detail::as_tensor(detail::view_traits<Out>::make(out)),
                                    {}},
                                   f);
}

/// Any other call with a policy or a view does not compile; the message says what to write. Calls
/// without either are left to functions of this name in other namespaces.
template <class First, class... Arguments,
          class = std::enable_if_t<detail::is_of_xpose<First, Arguments...>>>
detail::wrong_call<operation::copy, First, Arguments...> copy(First const&, Arguments const&...) {
  return {};
}

}  // namespace v0
}  // namespace xpose
