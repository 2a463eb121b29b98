// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// explain(): which backend and kernel a call would run on, and why. Runs nothing.
#pragma once

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

struct explanation_text {
  char backend[32];
  char kernel[64];
  char reason[416];
};
XPOSE_EXPORT explanation_text explain_copy(execution const& where, copy_request const& request);
XPOSE_EXPORT explanation_text explain_gemm(execution const& where, gemm_request const& request);
XPOSE_EXPORT explanation_text explain_add(execution const& where, add_request const& request);
XPOSE_EXPORT explanation_text explain_transpose_inplace(execution const& where,
                                                        inplace_request const& request);

/// Throws shape_error, which says what explain() takes for the operation, unless these are its
/// views.
XPOSE_EXPORT void require(bool are_its_views, operation op);

template <class In, class Out, class Policy, class F>
explanation explain_copy_of(Policy const& policy, operation op, tensor_operand const& in,
                            tensor_operand const& out, F const& f) {
  using function = decltype(function_for<In>(f));
  constexpr element_function number =
      is_iterator_view<In>
          ? element_function::user
          : classify_function<function, typename In::value_type, element_of<Out>>();
  auto const text = explain_copy(policy_traits<Policy>::make(policy), {op, in, out, number});
  return {text.backend, text.kernel, text.reason};
}

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
  return detail::explain_copy_of<In, Out>(
      policy, op,
      detail::as_tensor(view_traits<In>::make(op == operation::transpose ? in.transposed() : in)),
      detail::as_tensor(view_traits<Out>::make(out)), f);
}

/// What transpose_inplace of this view would do. Throws as the call itself would, and shape_error
/// if op is not transpose_inplace.
template <class Policy, class View,
          class = std::enable_if_t<is_policy<Policy> && detail::is_view<View>::value>>
explanation explain(Policy const& policy, operation op, View const& view) {
  detail::require(op == operation::transpose_inplace, op);
  detail::inplace_request const request{detail::view_traits<View>::make(view)};
  auto const text =
      detail::explain_transpose_inplace(detail::policy_traits<Policy>::make(policy), request);
  return {text.backend, text.kernel, text.reason};
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
  return detail::explain_copy_of<tensor_view<In, N>, tensor_view<Out, N>>(
      policy, op, detail::permuted(view_traits<tensor_view<In, N>>::make(in), permutation.data()),
      view_traits<tensor_view<Out, N>>::make(out), f);
}

/// What gemm, with these options, or add, which has none, of these views would do. Throws as the
/// call itself would, and shape_error if op takes other views.
template <class Policy, class A, class B, class C, class Options = gemm_options<>,
          std::enable_if_t<is_policy<Policy> && detail::is_view<C>::value &&
                               detail::is_gemm_options<Options>::value,
                           int> = 0>
explanation explain(Policy const& policy, operation op, A const& a, B const& b, C const& c,
                    Options const& options = {}) {
  using detail::view_traits;
  constexpr bool has_options = !std::is_same_v<Options, gemm_options<>>;
  detail::require(op == operation::gemm || (op == operation::add && !has_options), op);
  detail::operand const of_c = view_traits<C>::make(c);
  if (op == operation::add) {
    // The kernel is that of scalars other than zero.
    using detail::scalar_kind;
    detail::add_request const request{detail::make_repeated(a, of_c.batch),
                                      detail::make_repeated(b, of_c.batch),
                                      of_c,
                                      nullptr,
                                      nullptr,
                                      scalar_kind::other,
                                      scalar_kind::other};
    auto const text = detail::explain_add(detail::policy_traits<Policy>::make(policy), request);
    return {text.backend, text.kernel, text.reason};
  }
  // The kernel does not depend on the scalars.
  using Accumulate = typename Options::accumulate_type;
  detail::element_type accumulate = detail::default_accumulate_type<A, B>;
  if constexpr (!std::is_void_v<Accumulate>)
    accumulate = detail::element_type_of<detail::canonical_type_t<Accumulate>>();
  constexpr bool is_user_code = !std::is_same_v<typename Options::epilogue_type, identity>;
  detail::gemm_request const request{
      detail::make_repeated(a, of_c.batch),
      detail::make_repeated(b, of_c.batch),
      of_c,
      accumulate,
      is_user_code ? detail::semiring_id::user
                   : detail::semiring_id_of<typename Options::semiring_type>(),
      nullptr,
      nullptr,
      true,
      false,
      true,
      options.precision()};
  auto const text = detail::explain_gemm(detail::policy_traits<Policy>::make(policy), request);
  return {text.backend, text.kernel, text.reason};
}

}  // namespace v0
}  // namespace xpose
