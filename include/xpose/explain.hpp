// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// explain(): which backend and kernel a call would run on, and why. Runs nothing.
#pragma once

#include <xpose/detail/copy_dispatch.hpp>
#include <xpose/error.hpp>
#include <xpose/policy.hpp>

#include <string>

namespace xpose {
inline namespace v0 {

/// The answer of explain(). XPOSE_VERBOSE=1 prints the same for every call that runs, to standard
/// error.
struct explanation {
  std::string backend;  ///< "reference", "omp" or "cuda"
  std::string kernel;   ///< the kernel's name, as in its file
  std::string reason;   ///< why this backend
};

namespace detail {

struct explanation_text {
  char backend[32];
  char kernel[64];
  char reason[416];
};
XPOSE_EXPORT explanation_text explain_copy(execution const& where, copy_request const& request);
XPOSE_EXPORT explanation_text explain_gemm(execution const& where, gemm_request const& request);

/// Whether cuda policies reach a device in this process, and the sentence that says so.
XPOSE_EXPORT bool cuda_is_available(char* reason, std::size_t reason_bytes);

}  // namespace detail

/// What transpose or copy of these views, through f if given, would do. Throws as the call itself
/// would (so out may not overlap in), and shape_error if op is gemm, which takes three views.
template <class Policy, class In, class Out, class F = identity,
          class = std::enable_if_t<is_policy<Policy> && !detail::is_view<F>::value>>
explanation explain(Policy const& policy, operation op, In const& in, Out const& out,
                    F const& f = {}) {
  using detail::view_traits;
  using function = decltype(detail::function_for<In>(f));
  if (op == operation::gemm) throw shape_error("explain: gemm takes three views, A, B and C");
  detail::copy_request const request{
      op, view_traits<In>::make(op == operation::transpose ? in.transposed() : in),
      view_traits<Out>::make(out),
      detail::classify_function<function, typename In::value_type, detail::element_of<Out>>()};
  auto const text = detail::explain_copy(detail::policy_traits<Policy>::make(policy), request);
  return {text.backend, text.kernel, text.reason};
}

/// What gemm of these views would do. Throws as the call itself would, and shape_error if op is not
/// gemm.
template <class Policy, class A, class B, class C,
          std::enable_if_t<is_policy<Policy> && detail::is_view<C>::value, int> = 0>
explanation explain(Policy const& policy, operation op, A const& a, B const& b, C const& c) {
  using detail::view_traits;
  if (op != operation::gemm)
    throw shape_error("explain: transpose and copy take two views, in and out");
  detail::operand const of_c = view_traits<C>::make(c);
  // The kernel does not depend on the scalars, nor on types beyond those of the views.
  detail::gemm_request const request{detail::make_repeated(a, of_c.batch),
                                     detail::make_repeated(b, of_c.batch),
                                     of_c,
                                     detail::element_type::other,
                                     detail::semiring_id::user,
                                     nullptr,
                                     nullptr,
                                     true,
                                     false,
                                     true};
  auto const text = detail::explain_gemm(detail::policy_traits<Policy>::make(policy), request);
  return {text.backend, text.kernel, text.reason};
}

}  // namespace v0
}  // namespace xpose
