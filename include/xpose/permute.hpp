// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <xpose/detail/copy_dispatch.hpp>
#include <xpose/detail/wrong_call.hpp>

#include <initializer_list>

namespace xpose {
inline namespace v0 {

/// out(i0, .., iN-1) = f(in(..)), where dimension permutation[k] of in is indexed by ik.
/// NumPy's rule for transpose(axes): out.extent(k) == in.extent(permutation[k]). Of 1 to 8
/// dimensions and any strides; in may broadcast. Throws shape_error if the extents do not fit or
/// the numbers are no permutation of 0 to N - 1; everything else as for transpose, which is the
/// permutation {1, 0}.
template <class Policy, class In, class Out, std::size_t N, class F = identity,
          class = std::enable_if_t<is_policy<Policy>>>
void permute(Policy const& policy, tensor_view<In, N> const& in, tensor_view<Out, N> const& out,
             std::array<int, N> const& permutation, F const& f = {}) {
  using in_traits = detail::view_traits<tensor_view<In, N>>;
  using out_traits = detail::view_traits<tensor_view<Out, N>>;
  detail::dispatch_copy<tensor_view<In, N>, tensor_view<Out, N>>(
      policy,
      {operation::permute,
       detail::permuted(in_traits::make(in), permutation.data()),
       out_traits::make(out),
       {}},
      f);
}

/// Any other call does not compile; the message says what to write.
template <class Policy, class... Arguments,
          class = std::enable_if_t<!detail::is_permute<Policy, Arguments...>>>
detail::wrong_call<operation::permute, Policy, Arguments...> permute(Policy const&,
                                                                     Arguments const&...) {
  return {};
}
template <class Policy, class In, class Out, class... F,
          class = std::enable_if_t<detail::tensor_rank<In> == 0 || detail::tensor_rank<Out> == 0>>
detail::wrong_call<operation::permute, Policy, In, Out> permute(Policy const&, In const&,
                                                                Out const&,
                                                                std::initializer_list<int>,
                                                                F const&...) {
  return {};
}

}  // namespace v0
}  // namespace xpose
