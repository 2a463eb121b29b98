// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Sends a typed call of add to the compiled library or, for mixed types and a user's own, to the
// backends' templates, instantiated here.
#pragma once

#include <xpose/backends/omp/add/driver.hpp>
#include <xpose/backends/reference/add.hpp>
#include <xpose/detail/copy_dispatch.hpp>
#if defined(__CUDACC__)
#include <xpose/backends/cuda/add/driver.cuh>
#endif

namespace xpose {
inline namespace v0 {
namespace detail {

#if !defined(__CUDACC__)
// Only named in code that is discarded without nvcc.
template <class Problem>
void cuda_add(execution const& where, Problem const& problem);
#endif

/// The type that add computes in: float for short reals, otherwise the element type; of two types
/// their common type.
template <class A, class B>
struct add_compute {
  using type = std::common_type_t<std::conditional_t<is_short_real<A>, float, A>,
                                  std::conditional_t<is_short_real<B>, float, B>>;
};
template <class T>
struct add_compute<T, T> {
  using type = std::conditional_t<is_short_real<T>, float, T>;
};
template <class A, class B>
using add_compute_t = typename add_compute<A, B>::type;

template <class K>
scalar_kind kind_of(K const& scalar) {
  if (same_value(scalar, zero_of<K>(plus_times{}))) return scalar_kind::zero;
  if constexpr (std::is_constructible_v<K, int>)
    if (same_value(scalar, K(1))) return scalar_kind::one;
  return scalar_kind::other;
}

/// Whether the library has the kernels of a call.
template <class A, class B, class C>
constexpr bool is_compiled_add = element_type_of<C>() != element_type::other &&
                                 !is_float8<C> && element_type_of<A>() == element_type_of<C>() &&
                                 element_type_of<B>() == element_type_of<C>();

template <class Policy, class Execution, class Problem>
void run_user_add(Execution const& policy, add_request const& request, Problem const& problem) {
  auto const code = [&](execution const& where, backend_id backend) {
    if (backend == backend_id::cuda) {
      if constexpr (compiles_for_device<Policy>()) cuda_add(where, problem);
      else refuse_user_code_on_cuda(operation::add);
    } else if (backend == backend_id::omp) {
      omp_add(where, problem);
    } else {
      reference_add(where, problem);
    }
  };
  run_add(policy, request, user_code_of(code));
}

template <class AView, class BView, class CView, class Policy, class K>
void dispatch_add(Policy const& policy, K const& alpha, AView const& a, K const& beta,
                  BView const& b, CView const& c, launch_report* report = nullptr) {
  using A = element_of<AView>;
  using B = element_of<BView>;
  using C = element_of<CView>;
  static_assert(!is_iterator_view<AView> && !is_iterator_view<BView> && !is_iterator_view<CView>,
                "xpose: add does not take views of iterators; xpose::copy them to memory first");
  static_assert(!view_traits<CView>::is_conjugated, "xpose: add's C cannot be a conjugated view");
  static_assert(!std::is_const_v<C>, "xpose: add's C must not be const");
  index const batch = batch_of(c);
  add_request const request{make_repeated(a, batch), make_repeated(b, batch),
                            view_traits<CView>::make(c), &alpha, &beta,
                            // explain() has no scalars: it answers for others than zero and one.
                            report != nullptr ? scalar_kind::other : kind_of(alpha),
                            report != nullptr ? scalar_kind::other : kind_of(beta)};
  auto const where = execution_of(policy, report);
  if constexpr (is_compiled_add<A, B, C>) {
    run_add(where, request);
  } else {
    static_assert(!refuses_user_code<Policy>(),
                  "xpose: add of these element types is not compiled into xpose (it adds equal "
                  "built-in types); for xpose::cuda this file must be compiled by nvcc (name it "
                  ".cu)");
    run_user_add<Policy>(
        where, request,
        make_problem<kernel_type_t<A>, kernel_type_t<B>, kernel_type_t<C>, K>(request));
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
