// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// explain(): which backend and kernel a call would run on, and why. Runs nothing.
#pragma once

#include <xpose/detail/add_dispatch.hpp>
#include <xpose/detail/copy_dispatch.hpp>
#include <xpose/detail/gemm_dispatch.hpp>
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

/// Of requests for compiled kernels; their scalars may be null.
XPOSE_EXPORT explanation_text explain_copy(execution const& where, copy_request const& request);
XPOSE_EXPORT explanation_text explain_gemm(execution const& where, gemm_request const& request);
XPOSE_EXPORT explanation_text explain_add(execution const& where, add_request const& request);
XPOSE_EXPORT explanation_text explain_transpose_inplace(execution const& where,
                                                        inplace_request const& request);

/// Throws shape_error, which says what explain() takes for the operation, unless these are its
/// views.
XPOSE_EXPORT void require(bool are_its_views, operation op);

/// What call(report) would do.
template <class Call>
explanation answer_of(Call const& call) {
  launch_report report{};
  report.explain_only = true;
  call(&report);
  return {report.backend, report.kernel, report.reason};
}

/// Throws backend_error: there is no such call of these element types in this file.
[[noreturn]] XPOSE_EXPORT void refuse_to_explain(operation op);

template <class K, class = void>
constexpr bool has_sums_of_products = false;
template <class K>
constexpr bool has_sums_of_products<
    K, std::void_t<decltype(static_cast<K>(std::declval<K const&>() * std::declval<K const&>())),
                   decltype(static_cast<K>(std::declval<K const&>() + std::declval<K const&>()))>> =
    true;

/// Whether the call compiles: the operation is known at run time only, and its other meaning need
/// not exist for the types.
template <class Policy, class A, class B, class C, class = void>
constexpr bool can_add = false;
template <class Policy, class A, class B, class C>
constexpr bool can_add<Policy, A, B, C,
                       std::void_t<add_compute_t<typename A::value_type, typename B::value_type>>> =
    is_compiled_add<element_of<A>, element_of<B>, element_of<C>> ||
    (!refuses_user_code<Policy>() &&
     has_sums_of_products<add_compute_t<typename A::value_type, typename B::value_type>> &&
     std::is_constructible_v<element_of<C>,
                             add_compute_t<typename A::value_type, typename B::value_type>>);

template <class Policy, class A, class B, class C, class Options, class = void>
constexpr bool can_multiply = false;
template <class Policy, class A, class B, class C, class Options>
constexpr bool can_multiply<Policy, A, B, C, Options, std::void_t<accumulate_of<A, B, Options>>> =
    is_in_library<A, B, C, canonical_type_t<accumulate_of<A, B, Options>>, Options> ||
    (!refuses_user_code<Policy>() && !is_iterator_view<A> && !is_iterator_view<B> &&
     std::is_default_constructible_v<accumulate_of<A, B, Options>> &&
     alignof(accumulate_of<A, B, Options>) <= 64 &&
     (!std::is_same_v<typename Options::epilogue_type, identity> ||
      std::is_constructible_v<
          element_of<C>,
          accumulate_of<A, B, Options>>)&&(!std::is_same_v<typename Options::semiring_type,
                                                           plus_times> ||
                                           has_sums_of_products<accumulate_of<A, B, Options>>));

/// Whether cuda policies reach a device in this process, and the sentence that says so.
XPOSE_EXPORT bool cuda_is_available(char* reason, std::size_t reason_bytes);

}  // namespace detail

/// What transpose or copy of these views, through f if given, would do. Throws as the call itself
/// would (so out may not overlap in), and shape_error if op takes other views.
template <class Policy, class In, class Out, class F = identity,
          class = std::enable_if_t<is_policy<Policy> && detail::is_view<In>::value &&
                                   !detail::is_view<F>::value>>
explanation explain(Policy const& policy, operation op, In const& in, Out const& out,
                    F const& f = {}) {
  using detail::view_traits;
  detail::require(op == operation::transpose || op == operation::copy, op);
  return detail::answer_of([&](detail::launch_report* report) {
    auto const& moved = op == operation::transpose ? in.transposed() : in;
    if constexpr (detail::is_iterator_view<In>)
      detail::dispatch_iterator(policy, op, moved, out, f, report);
    else
      detail::dispatch_copy<In, Out>(policy,
                                     {op,
                                      detail::as_tensor(view_traits<In>::make(moved)),
                                      detail::as_tensor(view_traits<Out>::make(out)),
                                      {}},
                                     f, report);
  });
}

/// What transpose_inplace of this view would do. Throws as the call itself would, and shape_error
/// if op is not transpose_inplace.
template <class Policy, class View,
          class = std::enable_if_t<is_policy<Policy> && detail::is_view<View>::value>>
explanation explain(Policy const& policy, operation op, View const& view) {
  detail::require(op == operation::transpose_inplace, op);
  return detail::answer_of([&](detail::launch_report* report) {
    detail::inplace_request const request{detail::view_traits<View>::make(view)};
    detail::run_transpose_inplace(detail::execution_of(policy, report), request);
  });
}

/// What permute of these tensors, through f if given, would do. Throws as the call itself would,
/// and shape_error if op is not permute.
template <class Policy, class In, class Out, std::size_t N, class F = identity,
          class = std::enable_if_t<is_policy<Policy>>>
explanation explain(Policy const& policy, operation op, tensor_view<In, N> const& in,
                    tensor_view<Out, N> const& out, std::array<int, N> const& permutation,
                    F const& f = {}) {
  using detail::view_traits;
  detail::require(op == operation::permute, op);
  return detail::answer_of([&](detail::launch_report* report) {
    detail::dispatch_copy<tensor_view<In, N>, tensor_view<Out, N>>(
        policy,
        {op,
         detail::permuted(view_traits<tensor_view<In, N>>::make(in), permutation.data()),
         view_traits<tensor_view<Out, N>>::make(out),
         {}},
        f, report);
  });
}

/// What gemm of these views with these options, C = epilogue(A B), would do; or add, which has no
/// options, with scalars other than zero. Throws as the call itself would, and shape_error if op
/// takes other views. Of types that are not compiled into xpose it instantiates the kernels of both
/// operations, as far as the types have them.
template <class Policy, class A, class B, class C, class Options = gemm_options<>,
          std::enable_if_t<is_policy<Policy> && detail::is_view<C>::value &&
                               detail::is_gemm_options<Options>::value,
                           int> = 0>
explanation explain(Policy const& policy, operation op, A const& a, B const& b, C const& c,
                    Options const& options = {}) {
  constexpr bool has_options = !std::is_same_v<Options, gemm_options<>>;
  detail::require(op == operation::gemm || (op == operation::add && !has_options), op);
  return detail::answer_of([&](detail::launch_report* report) {
    if constexpr (!has_options && detail::can_add<Policy, A, B, C>) {
      if (op == operation::add) {
        using K = detail::canonical_type_t<
            detail::add_compute_t<typename A::value_type, typename B::value_type>>;
        return detail::dispatch_add<A, B, C>(policy, K{}, a, K{}, b, c, report);
      }
    }
    if constexpr (detail::can_multiply<Policy, A, B, C, Options>) {
      if (op == operation::gemm) {
        using Accumulate = detail::accumulate_of<A, B, Options>;
        using K = detail::canonical_type_t<Accumulate>;
        detail::gemm_scalars<K> const scalars{K{}, K{}, true, false, true};
        return detail::dispatch_gemm<A, B, C, Accumulate>(policy, a, b, c, scalars, options,
                                                          report);
      }
    }
    detail::refuse_to_explain(op);
  });
}

}  // namespace v0
}  // namespace xpose
