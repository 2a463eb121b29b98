// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Eigen's matrices as xpose views, and as operands of every operation: Matrix, Array, Map with any
// strides, Ref, Block, and the expressions that only read another's elements in another order:
// transpose(), conjugate(), adjoint(), reverse(). Nothing is copied or evaluated. Tested with
// Eigen 3.4.
#pragma once

#include <xpose/conjugated.hpp>
#include <xpose/operands.hpp>

#include <Eigen/Core>

namespace xpose {
inline namespace v0 {
namespace detail {

/// The elements are in memory, at two strides.
template <class Expression, class = void>
struct has_eigen_memory : std::false_type {};
template <class Expression>
struct has_eigen_memory<Expression,
                        std::void_t<decltype(*std::declval<Expression&>().data()),
                                    decltype(index(std::declval<Expression&>().rowStride()))>>
    : std::true_type {};

/// How a view is made of an expression without memory. The general one is refused.
template <class Expression>
struct eigen_expression {
  using scalar = typename Eigen::internal::traits<Expression>::Scalar;  // void of permutations
  static matrix_view<std::conditional_t<std::is_void_v<scalar>, char, scalar> const> view(
      Expression const&) {
    static_assert(!std::is_same_v<Expression, Expression>,
                  "xpose: this Eigen expression has no elements in memory (it adds, multiplies, "
                  "scales, or is sparse or triangular); evaluate it into a matrix of its own, and "
                  "hand a factor to gemm or add as alpha");
    return {};
  }
};

template <class Expression>
auto view_of_eigen(Expression& e) {
  if constexpr (has_eigen_memory<Expression>::value) {
    using T = std::remove_pointer_t<decltype(e.data())>;
    return matrix_view<T>(e.data(), e.rows(), e.cols(), strided{e.rowStride(), e.colStride()});
  } else {
    return eigen_expression<std::remove_const_t<Expression>>::view(e);
  }
}

template <class Nested>
struct eigen_expression<Eigen::Transpose<Nested>> {
  static auto view(Eigen::Transpose<Nested> const& e) {
    return view_of_eigen(e.nestedExpression()).transposed();
  }
};

template <class Scalar, class Nested>
struct eigen_expression<Eigen::CwiseUnaryOp<Eigen::internal::scalar_conjugate_op<Scalar>, Nested>> {
  template <class Expression>
  static auto view(Expression const& e) {
    return conjugated(view_of_eigen(e.nestedExpression()));
  }
};

/// An input: Eigen gives no way from a reversed matrix to elements that can be written.
template <class Nested, int Direction>
struct eigen_expression<Eigen::Reverse<Nested, Direction>> {
  static auto view(Eigen::Reverse<Nested, Direction> const& e) {
    auto const v = view_of_eigen(e.nestedExpression());
    if (v.empty()) return v;
    strided s{v.row_stride(), v.col_stride()};
    index first_row = 0;
    index first_col = 0;
    if constexpr (Direction != Eigen::Horizontal) {
      first_row = v.rows() - 1;
      s.row_stride = -s.row_stride;
    }
    if constexpr (Direction != Eigen::Vertical) {
      first_col = v.cols() - 1;
      s.col_stride = -s.col_stride;
    }
    return std::decay_t<decltype(v)>(&v(first_row, first_col), v.rows(), v.cols(), s);
  }
};

/// Matrix and Array; Map, Ref and Block are spans of another's elements.
template <class Matrix>
struct owns_elements<Matrix, std::enable_if_t<std::is_base_of_v<
                                 Eigen::PlainObjectBase<std::remove_const_t<Matrix>>, Matrix>>>
    : std::true_type {};

}  // namespace detail
}  // namespace v0
}  // namespace xpose

namespace Eigen {

/// A view of what Eigen keeps in memory: of m's extents and strides, with elements that are const
/// if Eigen's are, conjugated() if the expression conjugates. A vector has one column, a row vector
/// one row. xpose::view(m) calls it, which refuses a temporary Matrix or Array. An expression whose
/// elements are in no memory does not compile. A view lives no longer than the matrix's elements.
template <class Derived>
auto xpose_view(DenseBase<Derived>& m) {
  return xpose::detail::view_of_eigen(m.derived());
}
template <class Derived>
auto xpose_view(DenseBase<Derived> const& m) {
  return xpose::detail::view_of_eigen(m.derived());
}

/// Sparse, triangular, diagonal matrices: refused.
template <class Derived>
auto xpose_view(EigenBase<Derived> const& m) {
  return xpose::detail::view_of_eigen(m.derived());
}

}  // namespace Eigen
