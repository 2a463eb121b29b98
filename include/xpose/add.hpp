// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <xpose/detail/add_dispatch.hpp>
#include <xpose/detail/wrong_call.hpp>

namespace xpose {
inline namespace v0 {

/// C(i, j) = alpha * A(i, j) + beta * B(i, j), for every matrix of a batch (BLAS's geam and
/// omatadd). matrix_view or batch_view of equal extents and any strides; op() is .transposed() and
/// conjugated() on A and B. With a batch C, a matrix A or B is used for every matrix. C may be A or
/// B, with the same data and strides; else its memory must be disjoint from theirs. Requires
/// elements of C distinct. alpha == 0 never reads A, beta == 0 never reads B. Calculates in float
/// for float16 and bfloat16, else in the element type, to which alpha and beta convert; integers
/// wrap around; complex products are the textbook ones, and by 1 nothing is multiplied. Throws
/// shape_error, layout_error, alias_error, residency_error, backend_error before any work. Returns
/// when C is ready unless the policy says nosync. Cost: reads A and B and writes C once.
/// Memory: on omp half a MB for each thread, taken before anything is written (std::bad_alloc) and
/// kept by the calling thread for its next call; else none.
template <class Policy, class Alpha, class A, class Beta, class B, class C,
          class = std::enable_if_t<is_policy<Policy> && detail::is_view<A>::value &&
                                   detail::is_view<B>::value && detail::is_view<C>::value>>
void add(Policy const& policy, Alpha const& alpha, A const& a, Beta const& beta, B const& b,
         C const& c) {
  using Compute = detail::add_compute_t<typename A::value_type, typename B::value_type>;
  using K = detail::canonical_type_t<Compute>;
  static_assert(!std::is_integral_v<Compute> ||
                    (!std::is_floating_point_v<Alpha> && !std::is_floating_point_v<Beta>),
                "xpose: a floating alpha or beta would be cut to the integer element type; pass "
                "integers");
  auto const scalar = [](auto const& x) {
    return static_cast<K>(detail::as_kernel_value(cast<Compute>{}(x)));
  };
  detail::dispatch_add<A, B, C>(policy, scalar(alpha), a, scalar(beta), b, c);
}

/// Any other call with a policy or a view does not compile; the message says what to write. Calls
/// without either are left to functions of this name in other namespaces.
template <class First, class... Arguments,
          class = std::enable_if_t<detail::is_of_xpose<First, Arguments...>>>
detail::wrong_call<operation::add, First, Arguments...> add(First const&, Arguments const&...) {
  return {};
}

}  // namespace v0
}  // namespace xpose
