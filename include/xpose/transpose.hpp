// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <xpose/detail/copy_dispatch.hpp>
#include <xpose/detail/wrong_call.hpp>

namespace xpose {
inline namespace v0 {

/// out(j, i) = f(in(i, j)), for every matrix of a batch.
/// in and out are both a matrix_view or both a batch_view, of any strides; in may be conjugated()
/// and may broadcast, and may be an iterator_view where out is a matrix_view. Requires out to be
/// in.cols() x in.rows() with the same count, each element of out distinct, and memory of in and
/// out disjoint. f is identity, conjugate, cast<T> or a function of one element; it may change the
/// type. Throws shape_error, layout_error, alias_error, residency_error, backend_error before any
/// work; cuda_error from the device. Returns when out is ready unless the policy says nosync.
/// Bitwise reproducible, and without f a bit copy. Cost: reads and writes every element once; f and
/// an iterator have no side effects, as omp calculates some elements twice.
/// Memory: on omp half a MB for each thread, taken before anything is written (std::bad_alloc) and
/// kept by the calling thread for its next call; else none.
template <class Policy, class In, class Out, class F = identity,
          class = std::enable_if_t<is_policy<Policy> && detail::is_view<In>::value &&
                                   detail::is_view<Out>::value>>
void transpose(Policy const& policy, In const& in, Out const& out, F const& f = {}) {
  if constexpr (detail::is_iterator_view<In>)
    detail::dispatch_iterator(policy, operation::transpose, in.transposed(), out, f);
  else
    detail::dispatch_copy<In, Out>(
        policy,
        {operation::transpose,
         detail::as_tensor(detail::view_traits<In>::make(in.transposed())),
         detail::as_tensor(detail::view_traits<Out>::make(out)),
         {}},
        f);
}

/// Any other call does not compile; the message says what to write.
template <class Policy, class... Arguments>
detail::wrong_call<operation::transpose, Policy, Arguments...> transpose(Policy const&,
                                                                         Arguments const&...) {
  return {};
}

}  // namespace v0
}  // namespace xpose
