// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The problem of add: typed operands and scalars, and the value of an element of C, defined once
// for all backends.
#pragma once

#include <xpose/backends/core/problems/gemm_problem.hpp>

#include <cstdlib>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class A, class B, class C, class K>
struct add_problem {
  using a_type = A;
  using b_type = B;
  using output_type = C;

  strided_batch<A const> a;
  strided_batch<B const> b;
  strided_batch<C> c;
  index batch;
  index rows;
  index cols;
  bool conjugate_a;
  bool conjugate_b;
  K alpha;
  K beta;
  scalar_kind alpha_kind;
  scalar_kind beta_kind;

  /// alpha * x + beta * y. An operand whose scalar is zero is not read.
  XPOSE_CALLS_USER_CODE
  XPOSE_HOST_DEVICE C value(A const& x, B const& y) const {
    if (alpha_kind == scalar_kind::zero)
      return cast<C>{}(beta_kind == scalar_kind::zero ? zero_of<K>(plus_times{})
                                                      : term(beta_kind, beta, y, conjugate_b));
    if (beta_kind == scalar_kind::zero) return cast<C>{}(term(alpha_kind, alpha, x, conjugate_a));
    return cast<C>{}(
        sum_of(term(alpha_kind, alpha, x, conjugate_a), term(beta_kind, beta, y, conjugate_b)));
  }

  /// value(), of numbers whose scalars are not zero, without a branch: real ones are multiplied by
  /// a scalar of one too, complex ones selected, as an infinite part would become NaN.
  XPOSE_HOST_DEVICE C value_of_both(A const& x, B const& y) const {
    auto const scaled = [](scalar_kind kind, K const& scalar, auto const& element, bool conj) {
      K const factor = term(scalar_kind::one, scalar, element, conj);
      K const product = product_of(scalar, factor);
      if constexpr (std::is_arithmetic_v<K>) return product;
      else return kind == scalar_kind::one ? factor : product;
    };
    return cast<C>{}(
        sum_of(scaled(alpha_kind, alpha, x, conjugate_a), scaled(beta_kind, beta, y, conjugate_b)));
  }

  /// Whether an operand is fastest along its columns.
  template <class T>
  bool is_transposed(strided_batch<T> const& o) const {
    return rows > 1 && (cols == 1 || std::abs(o.row_stride) < std::abs(o.col_stride));
  }

  add_problem transposed() const {
    add_problem result = *this;
    auto const swap_strides = [](auto& o) { std::swap(o.row_stride, o.col_stride); };
    swap_strides(result.a);
    swap_strides(result.b);
    swap_strides(result.c);
    std::swap(result.rows, result.cols);
    return result;
  }

  /// Merges rows, and then matrices, that are contiguous in every operand, into one row.
  add_problem in_one_row() const {
    add_problem flat = *this;
    auto const rows_follow = [&flat](auto const& o) {
      return flat.rows == 1 || o.row_stride == flat.cols * o.col_stride;
    };
    auto const matrices_follow = [&flat](auto const& o) {
      return flat.batch == 1 || o.batch_stride == flat.cols * o.col_stride;
    };
    if (!rows_follow(a) || !rows_follow(b) || !rows_follow(c)) return flat;
    flat.cols *= flat.rows;
    flat.rows = 1;
    if (!matrices_follow(a) || !matrices_follow(b) || !matrices_follow(c)) return flat;
    flat.cols *= flat.batch;
    flat.batch = 1;
    return flat;
  }

 private:
  XPOSE_CALLS_USER_CODE
  template <class T>
  XPOSE_HOST_DEVICE static K term(scalar_kind kind, K const& scalar, T const& element,
                                  bool is_conjugated) {
    K const plain = cast<K>{}(element);
    K const x = is_conjugated ? scalar_traits<K>::conj(plain) : plain;
    return kind == scalar_kind::one ? x : product_of(scalar, x);
  }
};

template <class A, class B, class C, class K>
add_problem<A, B, C, K> make_problem(add_request const& r) {
  return {typed<A const>(r.a),
          typed<B const>(r.b),
          typed<C>(r.c),
          r.c.batch,
          r.c.rows,
          r.c.cols,
          r.a.conjugated,
          r.b.conjugated,
          *static_cast<K const*>(r.alpha),
          *static_cast<K const*>(r.beta),
          r.alpha_kind,
          r.beta_kind};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
