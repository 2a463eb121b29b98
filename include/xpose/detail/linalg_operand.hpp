// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What linalg.hpp's functions make of an mdspan of anybody's: one class of xpose's own, with the
// same stored elements and an accessor that says what is done to them.
#pragma once

#include <xpose/explain.hpp>
#include <xpose/mdspan.hpp>

namespace xpose {
inline namespace v0 {
namespace linalg {

/// Elements times a factor. Says so to the operations, which do the arithmetic.
template <class Factor, class Nested>
class scaled_accessor {
 public:
  using element_type = typename Nested::element_type;
  using reference = element_type;

  scaled_accessor(Factor const& factor, Nested const& nested) : factor_(factor), nested_(nested) {}
  Factor scaling_factor() const { return factor_; }
  Nested const& nested_accessor() const { return nested_; }

 private:
  Factor factor_;
  Nested nested_;
};

/// Elements conjugated. Known to mdspan.hpp by its name, as the standard's is.
template <class Nested>
class conjugated_accessor {
 public:
  using element_type = typename Nested::element_type;
  using reference = element_type;

  explicit conjugated_accessor(Nested const& nested) : nested_(nested) {}
  Nested const& nested_accessor() const { return nested_; }

 private:
  Nested nested_;
};

/// What scaled(), conjugated(), transposed() and conjugate_transposed() return: an mdspan to every
/// operation of xpose, any of which takes it. Owns nothing. Its elements cannot be indexed; the
/// operations read them.
template <class Accessor, std::size_t Rank>
class strided_mdspan {
 public:
  using accessor_type = Accessor;
  using element_type = typename Accessor::element_type;
  using stored_tensor = tensor_view<typename detail::innermost<Accessor>::type::element_type, Rank>;

  strided_mdspan(stored_tensor const& stored, Accessor const& accessor)
      : stored_(stored), accessor_(accessor) {}

  static constexpr std::size_t rank() { return Rank; }
  index extent(std::size_t d) const { return stored_.extent(d); }
  index stride(std::size_t d) const { return stored_.stride(d); }
  auto data_handle() const { return stored_.data(); }
  Accessor const& accessor() const { return accessor_; }

  template <class Other>
  strided_mdspan<Other, Rank> read_by(Other const& accessor) const {
    return {stored_, accessor};
  }

  strided_mdspan transposed() const {
    return {stored_tensor(data_handle(), {extent(1), extent(0)}, {stride(1), stride(0)}),
            accessor_};
  }

  /// A vector as a matrix of one column; a matrix as it is.
  strided_mdspan<Accessor, 2> as_column() const {
    if constexpr (Rank == 2) return *this;
    else {
      using matrix = strided_mdspan<Accessor, 2>;
      return {typename matrix::stored_tensor(data_handle(), {extent(0), 1}, {stride(0), 1}),
              accessor_};
    }
  }

 private:
  stored_tensor stored_;
  Accessor accessor_;
};

}  // namespace linalg

namespace detail {

/// Any mdspan of rank 1 or 2 as one class. Throws as tensor() does.
template <class M>
auto linalg_operand(M const& m) {
  static_assert(is_mdspan<M>::value,
                "xpose: linalg takes mdspans; xpose's views and what xpose::view takes go to "
                "xpose::gemm, add and copy");
  static_assert(M::rank() == 1 || M::rank() == 2,
                "xpose: linalg takes mdspans of rank 1 (vectors) and 2 (matrices); batches go to "
                "xpose::gemm");
  return linalg::strided_mdspan<accessor_of_t<M>, M::rank()>(stored_tensor(m),
                                                             accessor_of<M>::of(m));
}

template <class X>
constexpr std::size_t linalg_rank() {
  if constexpr (is_mdspan<X>::value) return X::rank();
  else return 0;
}

template <class Policy, class... Operands>
constexpr bool are_linalg_arguments() {
  static_assert(is_policy<Policy>,
                "xpose: the first argument is a policy of xpose or Thrust: xpose::omp, "
                "xpose::cuda, ...; std::execution's are none");
  constexpr bool are_mdspans = (is_mdspan<Operands>::value && ...);
  static_assert(!is_policy<Policy> || are_mdspans,
                "xpose: linalg takes mdspans; xpose's views and what xpose::view takes go to "
                "xpose::gemm, add and copy");
  return is_policy<Policy> && are_mdspans;
}

/// Refuses all but a policy and matrices; false then, so that nothing else is said.
template <class Policy, class... Operands>
constexpr bool are_matrices() {
  if constexpr (!are_linalg_arguments<Policy, Operands...>()) return false;
  else {
    constexpr bool right = ((Operands::rank() == 2) && ...);
    static_assert(right,
                  "xpose: matrix_product takes mdspans of rank 2; vectors go to "
                  "matrix_vector_product, batches to xpose::gemm");
    return right;
  }
}
template <class Policy, class A, class... Vectors>
constexpr bool are_matrix_and_vectors() {
  if constexpr (!are_linalg_arguments<Policy, A, Vectors...>()) return false;
  else {
    constexpr bool right = A::rank() == 2 && ((Vectors::rank() == 1) && ...);
    static_assert(right,
                  "xpose: matrix_vector_product takes one mdspan of rank 2, then mdspans of rank "
                  "1; matrices go to matrix_product");
    return right;
  }
}
template <class Policy, class X, class... Others>
constexpr bool have_one_rank() {
  if constexpr (!are_linalg_arguments<Policy, X, Others...>()) return false;
  else {
    constexpr bool right =
        (X::rank() == 1 || X::rank() == 2) && ((Others::rank() == X::rank()) && ...);
    static_assert(right,
                  "xpose: linalg's add, copy and scale take mdspans of one rank, 1 or 2; batches "
                  "go to xpose::add and xpose::copy");
    return right;
  }
}

/// Whether E, as it is read, is C itself. Conjugated, only real elements stay the same.
template <class E, class C>
bool is_same_matrix(E const& e, C const& c) {
  using T = typename E::value_type;
  if constexpr (!std::is_same_v<T, typename C::value_type>) return false;
  else if constexpr (view_traits<E>::is_conjugated)
    return std::is_arithmetic_v<T> && is_same_matrix(e.base(), c);
  else
    return e.data() == c.data() && e.rows() == c.rows() && e.cols() == c.cols() &&
           (e.rows() < 2 || e.row_stride() == c.row_stride()) &&
           (e.cols() < 2 || e.col_stride() == c.col_stride());
}

template <class Policy, class In, class Out>
void copy_converted(Policy const& policy, In const& in, Out const& out) {
  if constexpr (std::is_same_v<typename In::value_type, typename Out::value_type>)
    v0::copy(policy, in, out);
  else v0::copy(policy, in, out, cast<typename Out::value_type>{});
}

/// C = E + A B, of matrices.
template <class Policy, class A, class B, class E, class C>
void add_product(Policy const& policy, A const& a, B const& b, E const& e, C const& c) {
  auto const a_view = unscaled_view(a);
  auto const b_view = unscaled_view(b);
  auto const e_view = unscaled_view(e);
  auto const c_view = output_view(c);
  using Compute = accumulate_of<decltype(a_view), decltype(b_view), gemm_options<>>;
  auto const beta = times_factors<Compute>(1, e);
  if (!is_same_matrix(e_view, c_view)) {
    // What gemm refuses, it refuses here, before the copy writes to C.
    (void)v0::explain(policy, operation::gemm, a_view, b_view, c_view);
    copy_converted(policy, e_view, c_view);
  }
  v0::gemm(policy, 1, a, b, beta, c);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
