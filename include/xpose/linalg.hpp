// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The names of C++26's <linalg> for what xpose computes: products, sums, copies and scaling of
// mdspans of any implementation (mdspan.hpp says what counts as one), in C++17, on any policy. The
// first argument is the policy; the others have the standard's order. Elements are read through
// scaled(), conjugated(), transposed() and conjugate_transposed() without a copy: factors become
// gemm's and add's alpha and beta, the others a view.
#pragma once

#include <xpose/detail/linalg_operand.hpp>
#include <xpose/explain.hpp>
#include <xpose/mdspan.hpp>

namespace xpose {
inline namespace v0 {
namespace linalg {

/// A with its indices exchanged: element (i, j) is A(j, i). Of rank 2; an input or an output.
template <class A>
auto transposed(A const& a) {
  constexpr bool is_matrix = detail::linalg_rank<A>() == 2;
  static_assert(is_matrix, "xpose: transposed takes an mdspan of rank 2");
  if constexpr (is_matrix) return detail::linalg_operand(a).transposed();
}

/// x with each element multiplied by alpha as it is read. Of rank 1 or 2; an input.
template <class Scalar, class X>
auto scaled(Scalar const& alpha, X const& x) {
  constexpr bool is_in_order = detail::is_mdspan<X>::value && !detail::is_mdspan<Scalar>::value;
  static_assert(is_in_order, "xpose: scaled takes the factor first, then an mdspan");
  if constexpr (is_in_order) {
    auto const m = detail::linalg_operand(x);
    return m.read_by(
        scaled_accessor<Scalar, typename decltype(m)::accessor_type>(alpha, m.accessor()));
  }
}

/// x with each element conjugated as it is read; real elements stay. Of rank 1 or 2; an input.
template <class X>
auto conjugated(X const& x) {
  auto const m = detail::linalg_operand(x);
  return m.read_by(conjugated_accessor<typename decltype(m)::accessor_type>(m.accessor()));
}

/// The conjugate of A(j, i) as element (i, j). Of rank 2; an input.
template <class A>
auto conjugate_transposed(A const& a) {
  return linalg::conjugated(linalg::transposed(a));
}

/// C = A B. A is m x k, B is k x n, C is m x n, each an mdspan of rank 2 with memory of C disjoint
/// from A and B. xpose::gemm's contract: its accuracy, errors, cost and memory. Factors of A and B
/// become its alpha, so a factor of 0 reads neither.
template <class Policy, class A, class B, class C>
void matrix_product(Policy const& policy, A const& a, B const& b, C const& c) {
  if constexpr (detail::are_matrices<Policy, A, B, C>())
    v0::gemm(policy, detail::linalg_operand(a), detail::linalg_operand(b),
             detail::linalg_operand(c));
}

/// C = E + A B. E has C's extents; its factor becomes gemm's beta. E may be C, with the same data
/// and strides, and is then updated in one pass; else memory of C is disjoint from E too, and E is
/// copied to C first: m n elements read and written more, and rounded to C's type before the sum.
/// Everything is checked before C is written. The rest as above.
template <class Policy, class A, class B, class E, class C>
void matrix_product(Policy const& policy, A const& a, B const& b, E const& e, C const& c) {
  if constexpr (detail::are_matrices<Policy, A, B, E, C>())
    detail::add_product(policy, detail::linalg_operand(a), detail::linalg_operand(b),
                        detail::linalg_operand(e), detail::linalg_operand(c));
}

/// y = A x. A is m x n, x has n elements and y has m, in memory disjoint from A and x. The
/// product's contract, with x and y as matrices of one column.
template <class Policy, class A, class X, class Y>
void matrix_vector_product(Policy const& policy, A const& a, X const& x, Y const& y) {
  if constexpr (detail::are_matrix_and_vectors<Policy, A, X, Y>())
    v0::gemm(policy, detail::linalg_operand(a), detail::linalg_operand(x).as_column(),
             detail::linalg_operand(y).as_column());
}

/// z = y + A x. z may be y, as C may be E in the product.
template <class Policy, class A, class X, class Y, class Z>
void matrix_vector_product(Policy const& policy, A const& a, X const& x, Y const& y, Z const& z) {
  if constexpr (detail::are_matrix_and_vectors<Policy, A, X, Y, Z>())
    detail::add_product(policy, detail::linalg_operand(a), detail::linalg_operand(x).as_column(),
                        detail::linalg_operand(y).as_column(),
                        detail::linalg_operand(z).as_column());
}

/// z = x + y, each of the same extents and of rank 1 or 2. z may be x or y, with the same data and
/// strides. xpose::add's contract; factors become its alpha and beta, so a factor of 0 does not
/// read its operand.
template <class Policy, class X, class Y, class Z>
void add(Policy const& policy, X const& x, Y const& y, Z const& z) {
  if constexpr (detail::have_one_rank<Policy, X, Y, Z>())
    v0::add(policy, 1, detail::linalg_operand(x).as_column(), 1,
            detail::linalg_operand(y).as_column(), detail::linalg_operand(z).as_column());
}

/// y = x, of the same extents and of rank 1 or 2, any layout to any layout. Elements convert to y's
/// type as by static_cast. xpose::copy's contract; of a scaled x xpose::add's, with a beta of 0.
template <class Policy, class X, class Y>
void copy(Policy const& policy, X const& x, Y const& y) {
  if constexpr (detail::have_one_rank<Policy, X, Y>()) {
    auto const in = detail::linalg_operand(x).as_column();
    auto const out = detail::linalg_operand(y).as_column();
    if constexpr (detail::is_scaled_operand<decltype(in)>) v0::add(policy, 1, in, 0, in, out);
    else detail::copy_converted(policy, detail::unscaled_view(in), detail::output_view(out));
  }
}

/// x = alpha x, of rank 1 or 2. xpose::add's contract, in place: alpha converts to the type that it
/// computes in, and an alpha of 0 writes zeros without reading x.
template <class Policy, class Scalar, class X>
void scale(Policy const& policy, Scalar const& alpha, X const& x) {
  if constexpr (detail::have_one_rank<Policy, X>()) {
    auto const m = detail::output_view(detail::linalg_operand(x).as_column());
    v0::add(policy, alpha, m, 0, m, m);
  }
}

}  // namespace linalg
}  // namespace v0
}  // namespace xpose
