// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Sends a typed call of gemm to the compiled library or, for a user's own type, semiring or
// epilogue, to the backends' templates, instantiated here.
#pragma once

#include <xpose/backends/core/problems/gemm_problem.hpp>
#include <xpose/backends/omp/gemm/gemm.hpp>
#include <xpose/backends/reference/gemm.hpp>
#include <xpose/detail/compiled_gemm.hpp>
#include <xpose/detail/copy_dispatch.hpp>
#include <xpose/gemm_options.hpp>
#if defined(__CUDACC__)
#include <xpose/backends/cuda/gemm/driver.cuh>
#endif

namespace xpose {
inline namespace v0 {
namespace detail {

template <class Policy, class A, class B, class C, class Options>
using enable_if_gemm =
    std::enable_if_t<is_policy<Policy> && is_view<A>::value && is_view<B>::value &&
                     is_view<C>::value && is_gemm_options<Options>::value>;

/// The accumulator of one element type, or the common type of two accumulators.
template <class A, class B>
struct default_accumulate : std::common_type<accumulator_t<A>, accumulator_t<B>> {};
template <class T>
struct default_accumulate<T, T> {
  using type = accumulator_t<T>;
};

template <class A, class B, class Options>
using accumulate_of =
    typename std::conditional_t<std::is_void_v<typename Options::accumulate_type>,
                                default_accumulate<typename A::value_type, typename B::value_type>,
                                std::enable_if<true, typename Options::accumulate_type>>::type;

template <class AView, class BView, class CView, class K, class Options>
using types_of_call =
    gemm_types<canonical_type_t<element_of<AView>>, canonical_type_t<element_of<BView>>,
               canonical_type_t<element_of<CView>>, K, typename Options::semiring_type>;

/// Whether the library has the kernels of a call.
template <class AView, class BView, class CView, class K, class Options>
constexpr bool is_in_library =
    std::is_same_v<typename Options::epilogue_type, identity>
        ? is_compiled_gemm<types_of_call<AView, BView, CView, K, Options>>
        : is_layer_epilogue<typename Options::epilogue_type>::value&&
              is_compiled_layer<types_of_call<AView, BView, CView, K, Options>>;

template <class K, class Semiring>
gemm_scalars<K> make_scalars(K const& alpha, K const& beta, Semiring const& semiring) {
  K const zero = zero_of<K>(semiring);
  bool alpha_is_one = false;
  if constexpr (std::is_same_v<Semiring, plus_times> && std::is_constructible_v<K, int>)
    alpha_is_one = same_value(alpha, K(1));
  return {alpha, beta, alpha_is_one, same_value(alpha, zero), same_value(beta, zero)};
}

template <class CView, class Options>
constexpr void require_layer() {
  using layer = is_layer_epilogue<typename Options::epilogue_type>;
  static_assert(std::is_same_v<canonical_type_t<typename layer::element_type>,
                               canonical_type_t<element_of<CView>>>,
                "xpose: a layer_epilogue's scale and bias have C's element type");
  static_assert(std::is_same_v<typename Options::semiring_type, plus_times>,
                "xpose: a layer_epilogue needs the semiring plus_times");
}

/// Without its layer. Operands are made where they stay: a copy would wait for the stores before
/// it.
template <class AView, class BView, class CView, class K, class Options>
gemm_request gemm_request_of(AView const& a, BView const& b, CView const& c,
                             gemm_scalars<K> const& scalars, Options const& options) {
  index const batch = batch_of(c);
  return {make_repeated(a, batch),
          make_repeated(b, batch),
          view_traits<CView>::make(c),
          element_type_of<K>(),
          semiring_id_of<typename Options::semiring_type>(),
          &scalars.alpha,
          &scalars.beta,
          scalars.alpha_is_one,
          scalars.alpha_is_zero,
          scalars.beta_is_zero,
          options.precision()};
}

/// alpha or beta in the accumulate type.
template <class Accumulate, class Scalar>
canonical_type_t<Accumulate> gemm_scalar(Scalar const& x) {
  return static_cast<canonical_type_t<Accumulate>>(as_kernel_value(cast<Accumulate>{}(x)));
}
template <class Accumulate, class Alpha, class Beta, class C>
constexpr void require_gemm_scalars() {
  static_assert(!std::is_integral_v<Accumulate> ||
                    (!std::is_floating_point_v<Alpha> && !std::is_floating_point_v<Beta>),
                "xpose: a floating alpha or beta would be cut to the integer accumulate type; pass "
                "integers, or "
                "options().accumulate<double>()");
  static_assert(
      std::is_constructible_v<canonical_type_t<Accumulate>, kernel_type_t<element_of<C>> const&>,
      "xpose: beta C needs C's elements to convert to the accumulate type");
}

template <class Policy, class Execution, class Problem>
void run_user_gemm(Execution const& policy, gemm_request const& request, Problem const& problem) {
  auto const code = [&]([[maybe_unused]] execution const& where, backend_id backend) {
    if (backend == backend_id::cuda) {
      if constexpr (compiles_for_device<Policy>()) cuda_gemm(where, with_deferred_layer(problem));
      else refuse_user_code_on_cuda(operation::gemm);
    } else if constexpr (!runs_on_host<typename Problem::epilogue_type>()) {
      refuse_user_code_on_cuda(operation::gemm);
    } else if (backend == backend_id::omp) {
      omp_gemm(where, problem);
    } else {
      reference_gemm(where, problem);
    }
  };
  run_gemm(policy, request, user_code_of(code));
}

template <class AView, class BView, class CView, class Accumulate, class Policy, class K,
          class Options>
void dispatch_gemm(Policy const& policy, AView const& a, BView const& b, CView const& c,
                   gemm_scalars<K> const& scalars, Options const& options,
                   launch_report* report = nullptr) {
  static_assert(!is_iterator_view<AView> && !is_iterator_view<BView> && !is_iterator_view<CView>,
                "xpose: gemm reads each element many times and does not take views of iterators; "
                "xpose::copy them to memory first");
  constexpr bool is_conjugated = view_traits<CView>::is_conjugated;
  static_assert(!is_conjugated, "xpose: gemm's C cannot be a conjugated view");
  static_assert(is_conjugated || !std::is_const_v<element_of<CView>>,
                "xpose: gemm's C must not be const");
  static_assert(std::is_default_constructible_v<K>,
                "xpose: gemm's accumulate type needs a default constructor");
  using Epilogue = typename Options::epilogue_type;
  constexpr bool compiled = is_in_library<AView, BView, CView, K, Options>;

  gemm_request request = gemm_request_of(a, b, c, scalars, options);
  auto const where = execution_of(policy, report);
  using layer = is_layer_epilogue<Epilogue>;
  [[maybe_unused]] auto const as_data = [&] {
    if constexpr (layer::value) return options.epilogue().request();
    else return nullptr;
  }();
  if constexpr (layer::value) {
    require_layer<CView, Options>();
    request.layer = &as_data;
  }
  if constexpr (compiled) {
    run_gemm(where, request);
  } else {
    static_assert(!refuses_user_code<Policy>(),
                  "xpose: this combination of types, semiring and epilogue is not compiled into "
                  "xpose (README.md lists "
                  "what is); for xpose::cuda this file must be compiled by nvcc (name it .cu)");
    using problem_epilogue = typed_epilogue<Accumulate, Epilogue>;
    constexpr bool has_code = !compiles_for_device<Policy>() || !is_host_lambda<Epilogue>();
    static_assert(
        has_code,
        "xpose: this epilogue is a lambda that runs on the host only; where a GPU may run "
        "it, write [] __host__ __device__ (..) and compile with nvcc --extended-lambda, "
        "or write a functor");
    if constexpr (has_code)
      run_user_gemm<Policy>(
          where, request,
          make_problem<kernel_type_t<element_of<AView>>, kernel_type_t<element_of<BView>>,
                       kernel_type_t<element_of<CView>>, K>(request, options.semiring(),
                                                            problem_epilogue{options.epilogue()}));
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
