// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// From a typed call of transpose or copy to the compiled library, or, for a user's own element
// function, to the backend's template instantiated here.
#pragma once

#include <xpose/backends/omp/copy.hpp>
#include <xpose/backends/reference/copy.hpp>
#include <xpose/detail/request.hpp>
#include <xpose/policy.hpp>
#if defined(__CUDACC__)
#include <xpose/backends/cuda/copy.cuh>
#endif

namespace xpose {
inline namespace v0 {
namespace detail {

/// f after conjugation, for an input that is a conjugated view.
template <class F>
struct after_conjugate {
  template <class T>
  XPOSE_HOST_DEVICE auto operator()(T const& x) const {
    return f(conjugate{}(x));
  }
  F f;
};

/// A function that exists on the device only (an extended __device__ lambda) cannot be called on
/// the host.
template <class F>
constexpr bool runs_on_host() {
#if defined(__CUDACC_EXTENDED_LAMBDA__)
  return !__nv_is_extended_device_lambda_closure_type(F);
#else
  return true;
#endif
}

template <class Policy>
constexpr bool refuses_user_code() {
#if defined(__CUDACC__)
  return false;
#else
  return policy_traits<Policy>::only_cuda;
#endif
}

template <class In, class Out, class F>
void run_user_copy(execution const& where, copy_request const& request, F const& f) {
  chosen const choice = prepare_copy(where, request);
  if (choice.backend == backend_id::cuda) {
#if defined(__CUDACC__)
    cuda_copy<In, Out>(where, request.in, request.out, f);
#else
    refuse_user_code_on_cuda(request.op);
#endif
  } else if constexpr (!runs_on_host<F>()) {
    refuse_user_code_on_cuda(request.op);
  } else if (choice.backend == backend_id::omp) {
    omp_copy<In, Out>(choice.threads, request.in, request.out, f);
  } else {
    reference_copy<In, Out>(request.in, request.out, f);
  }
}

/// in and out have the same extents; In and Out are their element types.
template <class In, class Out, class Policy, class F>
void dispatch_copy(Policy const& policy, operation op, operand const& in, operand const& out,
                   F const& f) {
  static_assert(!std::is_const_v<Out>, "xpose: the output view must not be const");
  static_assert(std::is_invocable_v<F const&, In const&> || !runs_on_host<F>(),
                "xpose: the element function must take an element of the input");
  constexpr element_function function = classify_function<F, In, Out>();
  static_assert(
      !std::is_same_v<F, identity> || function == element_function::copy_bits,
      "xpose: input and output have different element types; pass xpose::cast<T>{} or a function");
  execution const where = policy_traits<Policy>::make(policy);
  copy_request const request{op, in, out, function};
  if constexpr (function != element_function::user) {
    run_copy(where, request);
  } else {
    static_assert(
        !refuses_user_code<Policy>(),
        "xpose: a user function on xpose::cuda must be compiled by nvcc (name this file .cu)");
    run_user_copy<In, Out>(where, request, f);
  }
}

/// The element function of a call whose input may be a conjugated view.
template <class View, class F>
auto function_for(F const& f) {
  if constexpr (!view_traits<View>::is_conjugated) return f;
  else if constexpr (std::is_same_v<F, identity>) return conjugate{};
  else return after_conjugate<F>{f};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
