// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The operations with, in the place of any of their views, an object that view(x) makes a view of:
// arrays of arrays, a matrix class with an xpose_view() of its own, Eigen's with xpose/eigen.hpp.
// Views may stand beside them. Nothing is copied, and the contract of each operation holds.
#pragma once

#include <xpose/add.hpp>
#include <xpose/copy.hpp>
#include <xpose/gemm.hpp>
#include <xpose/transpose.hpp>
#include <xpose/transpose_inplace.hpp>
#include <xpose/view.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class X>
using object_t = std::remove_cv_t<std::remove_reference_t<X>>;

template <class X>
inline constexpr bool is_tensor = false;
template <class T, std::size_t N>
inline constexpr bool is_tensor<tensor_view<T, N>> = true;

/// An object that view(x) makes a matrix or a batch of. Tensors stay with permute, and containers
/// of containers, which view(x) refuses, with wrong_call, which does so in fewer lines.
template <class X, class = void>
struct is_viewable : std::false_type {};
template <class X>
struct is_viewable<X, std::void_t<view_of<X>>>
    : std::bool_constant<is_view<view_of<X>>::value && !is_view<object_t<X>>::value &&
                         !is_tensor<object_t<X>> &&
                         !has_rows_apart<std::remove_reference_t<X>>::value> {};

template <class Policy, class... Operands>
using enable_if_viewable =
    std::enable_if_t<is_policy<Policy> && !(is_view<object_t<Operands>>::value && ...) &&
                         ((is_view<object_t<Operands>>::value || is_viewable<Operands>::value) &&
                          ...),
                     int>;

template <class X>
auto as_view(X&& x) {
  if constexpr (is_view<object_t<X>>::value) return x;
  else return v0::view(std::forward<X>(x));
}

}  // namespace detail

/// out(j, i) = f(in(i, j)).
template <class Policy, class In, class Out, class F = identity,
          detail::enable_if_viewable<Policy, In, Out> = 0>
void transpose(Policy const& policy, In&& in, Out&& out, F const& f = {}) {
  v0::transpose(policy, detail::as_view(std::forward<In>(in)),
                detail::as_view(std::forward<Out>(out)), f);
}

/// out(i, j) = f(in(i, j)).
template <class Policy, class In, class Out, class F = identity,
          detail::enable_if_viewable<Policy, In, Out> = 0>
void copy(Policy const& policy, In&& in, Out&& out, F const& f = {}) {
  v0::copy(policy, detail::as_view(std::forward<In>(in)), detail::as_view(std::forward<Out>(out)),
           f);
}

/// Moves element (i, j) to (j, i) in the memory of m; returns the view that reads it so. m itself
/// keeps its extents: of a matrix that is not square, use the view.
template <class Policy, class M, detail::enable_if_viewable<Policy, M> = 0>
auto transpose_inplace(Policy const& policy, M&& m) {
  return v0::transpose_inplace(policy, detail::as_view(std::forward<M>(m)));
}

/// C = alpha A + beta B.
template <class Policy, class Alpha, class A, class Beta, class B, class C,
          detail::enable_if_viewable<Policy, A, B, C> = 0>
void add(Policy const& policy, Alpha const& alpha, A&& a, Beta const& beta, B&& b, C&& c) {
  v0::add(policy, alpha, detail::as_view(std::forward<A>(a)), beta,
          detail::as_view(std::forward<B>(b)), detail::as_view(std::forward<C>(c)));
}

/// C = epilogue(A B); C is never read.
template <class Policy, class A, class B, class C, class Options = gemm_options<>,
          class = std::enable_if_t<detail::is_gemm_options<Options>::value>,
          detail::enable_if_viewable<Policy, A, B, C> = 0>
void gemm(Policy const& policy, A&& a, B&& b, C&& c, Options const& options = {}) {
  v0::gemm(policy, detail::as_view(std::forward<A>(a)), detail::as_view(std::forward<B>(b)),
           detail::as_view(std::forward<C>(c)), options);
}

/// C = epilogue(alpha A B + beta C).
template <class Policy, class Alpha, class A, class B, class Beta, class C,
          class Options = gemm_options<>,
          class = std::enable_if_t<detail::is_gemm_options<Options>::value>,
          detail::enable_if_viewable<Policy, A, B, C> = 0>
void gemm(Policy const& policy, Alpha const& alpha, A&& a, B&& b, Beta const& beta, C&& c,
          Options const& options = {}) {
  v0::gemm(policy, alpha, detail::as_view(std::forward<A>(a)), detail::as_view(std::forward<B>(b)),
           beta, detail::as_view(std::forward<C>(c)), options);
}

}  // namespace v0
}  // namespace xpose
