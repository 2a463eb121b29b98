// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// mdspans as xpose views, and as operands of every operation. Whose they are does not matter
// (std's, Kokkos's, cuda::std's, your own), nor in which layout, as long as it has strides: a class
// counts as an mdspan by its element_type, rank(), extent(d), stride(d) and data_handle().
//
// Elements that are read through std::linalg's conjugated_accessor and scaled_accessor, around each
// other in any number, become what xpose has for them: view(m) of a conjugated mdspan is a
// conjugated() view. A factor is no part of a view, so a scaled mdspan is handed to an operation as
// it is: gemm and add multiply their alpha or beta by it, transpose, copy and permute apply it
// before their element function.
#pragma once

#include <xpose/add.hpp>
#include <xpose/copy.hpp>
#include <xpose/detail/mdspan_access.hpp>
#include <xpose/gemm.hpp>
#include <xpose/permute.hpp>
#include <xpose/transpose.hpp>
#include <xpose/transpose_inplace.hpp>
#include <xpose/view.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Operands of a call that only this header can serve.
template <class Policy, class... Operands>
using enable_if_mdspans =
    std::enable_if_t<is_policy<Policy> && (is_mdspan<Operands>::value || ...) &&
                         ((is_mdspan<Operands>::value || is_view<Operands>::value) && ...),
                     int>;

template <class Options, class... Operands>
constexpr bool scales_as_product() {
  return !(is_scaled_operand<Operands> || ...) ||
         std::is_same_v<typename Options::semiring_type, plus_times>;
}

}  // namespace detail

/// The memory of an mdspan of any rank as a tensor. Throws layout_error if its layout has no
/// strides for these extents, else as tensor_view does. Strides of 0 stay: outputs refuse them.
template <class M, class = std::enable_if_t<detail::is_mdspan<M>::value>>
auto tensor(M const& m) {
  static_assert(detail::reading_of<detail::accessor_of_t<M>>() != detail::reading::scaled &&
                    detail::reading_of<detail::accessor_of_t<M>>() != detail::reading::conjugated,
                "xpose: a tensor_view is neither scaled nor conjugated; hand the mdspan itself to "
                "permute");
  return detail::stored_tensor(m);
}

/// The memory of an mdspan: of rank 2 a matrix_view; of rank 3 a batch_view, whose matrices
/// dimension 0 counts; either within conjugated() if its accessor conjugates. Throws as tensor()
/// does.
template <class M, class = std::enable_if_t<detail::is_mdspan<M>::value>>
auto view(M const& m) {
  static_assert(!detail::is_scaled_operand<M>,
                "xpose: a scaled mdspan has no view, only inputs may be scaled: hand the mdspan "
                "itself to the operation");
  return detail::unscaled_view(m);
}

namespace detail {

/// An output: a view, or an mdspan that is neither scaled nor conjugated (which the operation
/// refuses).
template <class X>
auto output_view(X const& x) {
  if constexpr (is_view<X>::value) return x;
  else return v0::view(x);
}

}  // namespace detail

// The operations, with mdspans in the place of any of their views: rank 2 where they take a
// matrix_view, rank 3 where they take a batch_view. Their contracts hold, with what the head of
// this file says of scaled and conjugated ones.

/// out(j, i) = f(in(i, j)). As far as the policy is concerned, a factor is a function of yours: on
/// cuda this file must then be compiled by nvcc. add, which takes the factor as alpha, is compiled.
template <class Policy, class In, class Out, class F = identity,
          detail::enable_if_mdspans<Policy, In, Out> = 0>
void transpose(Policy const& policy, In const& in, Out const& out, F const& f = {}) {
  v0::transpose(policy, detail::stored_view(in), detail::output_view(out),
                detail::function_behind(in, f));
}

/// out(i, j) = f(in(i, j)).
template <class Policy, class In, class Out, class F = identity,
          detail::enable_if_mdspans<Policy, In, Out> = 0>
void copy(Policy const& policy, In const& in, Out const& out, F const& f = {}) {
  v0::copy(policy, detail::stored_view(in), detail::output_view(out),
           detail::function_behind(in, f));
}

/// out(i0, .., iN-1) = f(in(..)), of two mdspans of rank N; beside a tensor_view, tensor(m) is one.
template <class Policy, class In, class Out, std::size_t N, class F = identity,
          std::enable_if_t<is_policy<Policy> && detail::is_mdspan<In>::value &&
                               detail::is_mdspan<Out>::value,
                           int> = 0>
void permute(Policy const& policy, In const& in, Out const& out,
             std::array<int, N> const& permutation, F const& f = {}) {
  constexpr bool has_rank = In::rank() == N && Out::rank() == N;
  static_assert(has_rank,
                "xpose: permute needs a permutation of as many numbers as its mdspans have "
                "dimensions");
  if constexpr (has_rank)
    v0::permute(policy, detail::stored_tensor(in), v0::tensor(out), permutation,
                detail::function_behind(in, f));
}

/// Turns the memory of an mdspan; returns the view of it that transpose_inplace(policy, view(m))
/// returns.
template <class Policy, class M, detail::enable_if_mdspans<Policy, M> = 0>
auto transpose_inplace(Policy const& policy, M const& m) {
  return v0::transpose_inplace(policy, v0::view(m));
}

/// C = alpha A + beta B.
template <class Policy, class Alpha, class A, class Beta, class B, class C,
          detail::enable_if_mdspans<Policy, A, B, C> = 0>
void add(Policy const& policy, Alpha const& alpha, A const& a, Beta const& beta, B const& b,
         C const& c) {
  auto const a_view = detail::unscaled_view(a);
  auto const b_view = detail::unscaled_view(b);
  using Compute = detail::add_compute_t<typename decltype(a_view)::value_type,
                                        typename decltype(b_view)::value_type>;
  v0::add(policy, detail::times_factors<Compute>(alpha, a), a_view,
          detail::times_factors<Compute>(beta, b), b_view, detail::output_view(c));
}

/// C = epilogue(alpha A B + beta C). A semiring other than plus_times has no place for the factor
/// of a scaled mdspan, and is refused.
template <class Policy, class Alpha, class A, class B, class Beta, class C,
          class Options = gemm_options<>,
          class = std::enable_if_t<detail::is_gemm_options<Options>::value>,
          detail::enable_if_mdspans<Policy, A, B, C> = 0>
void gemm(Policy const& policy, Alpha const& alpha, A const& a, B const& b, Beta const& beta,
          C const& c, Options const& options = {}) {
  static_assert(detail::scales_as_product<Options, A, B>(),
                "xpose: the factor of a scaled mdspan is multiplied by * and not by the semiring; "
                "gemm takes it with plus_times alone");
  auto const a_view = detail::unscaled_view(a);
  auto const b_view = detail::unscaled_view(b);
  using Compute = detail::accumulate_of<decltype(a_view), decltype(b_view), Options>;
  v0::gemm(policy, detail::times_factors<Compute>(alpha, a, b), a_view, b_view, beta,
           detail::output_view(c), options);
}

/// C = epilogue(A B); C is never read.
template <class Policy, class A, class B, class C, class Options = gemm_options<>,
          class = std::enable_if_t<detail::is_gemm_options<Options>::value>,
          detail::enable_if_mdspans<Policy, A, B, C> = 0>
void gemm(Policy const& policy, A const& a, B const& b, C const& c, Options const& options = {}) {
  if constexpr (detail::is_scaled_operand<A> || detail::is_scaled_operand<B>)
    v0::gemm(policy, 1, a, b, 0, c, options);
  else
    v0::gemm(policy, detail::unscaled_view(a), detail::unscaled_view(b), detail::output_view(c),
             options);
}

}  // namespace v0
}  // namespace xpose
