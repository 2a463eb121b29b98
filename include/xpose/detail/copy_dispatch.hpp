// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Sends a typed call of transpose, copy or permute to the compiled library or, for a user's own
// element function, to the backends' templates, instantiated here.
#pragma once

#include <xpose/backends/omp/transpose/driver.hpp>
#include <xpose/backends/reference/copy.hpp>
#include <xpose/detail/request.hpp>
#include <xpose/policy.hpp>
#if defined(__CUDACC__)
#include <xpose/backends/cuda/elementwise/driver.cuh>
#include <xpose/backends/cuda/elementwise/iterator.cuh>

#include <string_view>
#endif

namespace xpose {
inline namespace v0 {
namespace detail {

#if !defined(__CUDACC__)
// Only named in code that is discarded without nvcc.
template <class In, class Out, class F>
void cuda_copy(execution const& where, tensor_operand const& in, tensor_operand const& out,
               F const& f);
template <class Out, class Reader>
void cuda_copy_iterator(execution const& where, tensor_operand const& positions,
                        tensor_operand const& out, Reader const& reader);
#endif

/// f after conjugation, for an input that is a conjugated view.
template <class F>
struct after_conjugate {
  XPOSE_CALLS_USER_CODE
  template <class T>
  XPOSE_HOST_DEVICE auto operator()(T const& x) const {
    return f(conjugate{}(x));
  }
  F f;
};

/// The element function of a call whose input may be a conjugated view.
template <class View, class F>
auto function_for(F f) {
  constexpr element_type type = element_type_of<element_of<View>>();
  constexpr bool is_real = type != element_type::other && type != element_type::complex_f32 &&
                           type != element_type::complex_f64;
  if constexpr (!view_traits<View>::is_conjugated || is_real) return f;
  else if constexpr (std::is_same_v<F, identity>) return conjugate{};
  else return after_conjugate<F>{f};
}

/// False for a function that exists on the device only: an extended __device__ lambda.
template <class F>
constexpr bool runs_on_host() {
#if defined(__CUDACC_EXTENDED_LAMBDA__)
  return !__nv_is_extended_device_lambda_closure_type(F);
#else
  return true;
#endif
}

/// True for a lambda without __device__: nvcc makes no device code of it, and says so in 200 lines.
template <class F>
constexpr bool is_host_lambda() {
#if defined(__CUDACC_EXTENDED_LAMBDA__)
  if (__nv_is_extended_device_lambda_closure_type(F) ||
      __nv_is_extended_host_device_lambda_closure_type(F))
    return false;
#endif
#if defined(__CUDACC__)
  // No trait knows closure types. nvcc's name of one is "lambda [](float)->float".
  return std::string_view(__PRETTY_FUNCTION__).find(" F = lambda [") != std::string_view::npos;
#else
  return false;
#endif
}

/// Whether the policy wants a user's code on the device, in a file that is not compiled by nvcc.
template <class Policy>
constexpr bool refuses_user_code() {
#if defined(__CUDACC__)
  return false;
#else
  return policy_traits<Policy>::uses_device == device_use::intended;
#endif
}

/// Whether this file compiles device code for calls under the policy. Not for seq and omp, so that
/// they take functions that exist on the host only.
template <class Policy>
constexpr bool compiles_for_device() {
#if defined(__CUDACC__)
  return policy_traits<Policy>::uses_device != device_use::never;
#else
  return false;
#endif
}

/// What transpose, copy and permute ask of types, with one message for each; if it is false, no
/// kernel is instantiated, whose errors would follow the message.
template <class Policy, class In, class OutView, class F>
constexpr bool is_copy() {
  using Out = element_of<OutView>;
  static_assert(!is_iterator_view<OutView>,
                "xpose: a view of an iterator is read only; the output needs memory, as a "
                "matrix_view");
  static_assert(!view_traits<OutView>::is_conjugated,
                "xpose: the output cannot be a conjugated view");
  static_assert(is_iterator_view<OutView> || !std::is_const_v<Out>,
                "xpose: the output view must not be const");
  constexpr bool is_written = !std::is_const_v<Out>;

  constexpr bool takes_input = std::is_invocable_v<F const&, In const&> || !runs_on_host<F>();
  static_assert(takes_input, "xpose: the element function must take an element of the input");
  constexpr bool makes_output =
      !std::is_same_v<F, identity> ||
      classify_function<identity, In, std::remove_const_t<Out>>() == element_function::copy_bits;
  static_assert(
      makes_output,
      "xpose: input and output have different element types; pass xpose::cast<T>{} or a function");
  constexpr bool has_code = !compiles_for_device<Policy>() || !is_host_lambda<F>();
  static_assert(has_code,
                "xpose: this lambda runs on the host only; where a GPU may run it, write [] "
                "__host__ __device__ (..) and compile with nvcc --extended-lambda, or write a "
                "functor");
  return is_written && takes_input && makes_output && has_code;
}

template <class Policy, class In, class Out, class F, class Execution>
void run_user_copy(Execution const& policy, copy_request const& request, F const& f) {
  auto const code = [&]([[maybe_unused]] execution const& where, backend_id backend) {
    if (backend == backend_id::cuda) {
      if constexpr (compiles_for_device<Policy>())
        cuda_copy<In, Out>(where, request.in, request.out, f);
      else refuse_user_code_on_cuda(request.op);
    } else if constexpr (!runs_on_host<F>()) {
      refuse_user_code_on_cuda(request.op);
    } else if (backend == backend_id::omp) {
      omp_copy<In, Out>(where, request.in, request.out, f);
    } else {
      reference_copy<In, Out>(where, request.in, request.out, f);
    }
  };
  run_copy(policy, request, user_code_of(code));
}

/// The policy's execution, or across_execution, with a report for explain().
template <class Policy>
auto execution_of(Policy const& policy, launch_report* report) {
  auto where = policy_traits<Policy>::make(policy);
  where.report = report;
  return where;
}

/// A request without its function, which dispatch_copy knows. The request is made where it stays: a
/// copy would wait for the stores before it.
template <class InView, class OutView, class Policy, class F>
void dispatch_copy(Policy const& policy, copy_request request, F const& given,
                   launch_report* report = nullptr) {
  using In = std::remove_cv_t<element_of<InView>>;
  using Out = element_of<OutView>;
  if constexpr (is_copy<Policy, In, OutView, F>()) {
    auto const f = function_for<InView>(given);
    constexpr element_function function = classify_function<std::decay_t<decltype(f)>, In, Out>();
    auto const where = execution_of(policy, report);
    request.function = function;
    if constexpr (function != element_function::user) {
      run_copy(where, request);
    } else {
      static_assert(
          !refuses_user_code<Policy>(),
          "xpose: a user function on xpose::cuda must be compiled by nvcc (name this file .cu)");
      run_user_copy<Policy, In, Out>(where, request, f);
    }
  }
}

/// f of the iterator's element at a position.
template <class Iterator, class F>
struct iterator_reader {
  XPOSE_CALLS_USER_CODE
  XPOSE_HOST_DEVICE auto operator()(index element) const {
    using difference = typename std::iterator_traits<Iterator>::difference_type;
    typename iterator_view<Iterator>::value_type const x(first[static_cast<difference>(element)]);
    return f(x);
  }
  Iterator first;
  F f;
};

/// `in` is already transposed: it must have the extents of `out_view`.
template <class OutView, class Iterator, class Policy, class F>
void dispatch_iterator(Policy const& policy, operation op, iterator_view<Iterator> const& in,
                       OutView const& out_view, F const& f, launch_report* report = nullptr) {
  using In = typename iterator_view<Iterator>::value_type;
  using Out = element_of<OutView>;
  static_assert(!refuses_user_code<Policy>(),
                "xpose: an iterator on xpose::cuda must be compiled by nvcc (name this file .cu)");
  if constexpr (is_copy<Policy, In, OutView, F>()) {
    tensor_operand const out = as_tensor(view_traits<OutView>::make(out_view));
    tensor_operand const checked = as_tensor(view_traits<iterator_view<Iterator>>::make(in));
    tensor_operand positions = checked;
    positions.data = place_of_element(0);
    iterator_reader<Iterator, F> const reader{in.first(), f};
    auto const code = [&]([[maybe_unused]] execution const& where, backend_id backend) {
      if (backend == backend_id::cuda) {
        if constexpr (compiles_for_device<Policy>())
          cuda_copy_iterator<Out>(where, positions, out, reader);
        else refuse_user_code_on_cuda(op);
      } else if constexpr (!runs_on_host<F>()) {
        refuse_user_code_on_cuda(op);
      } else if (backend == backend_id::omp) {
        omp_copy_iterator<Out>(where, positions, out, reader);
      } else {
        reference_copy_iterator<Out>(where, positions, out, reader);
      }
    };
    run_copy(execution_of(policy, report), {op, checked, out, element_function::user},
             user_code_of(code));
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
