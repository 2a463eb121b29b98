// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Sentences for calls that no operation takes: what is wrong, and what to write instead. Each
// operation has an overload for any arguments, the last in rank. It returns a wrong_call, which
// cannot be: its assertions fail where the call stands, without a function in between that
// compilers would list. Types of other libraries are recognised by their members, without their
// headers.
#pragma once

#include <xpose/detail/request.hpp>
#include <xpose/policy.hpp>

#include <initializer_list>

namespace xpose {
inline namespace v0 {
namespace detail {

/// What an argument of a call is. Of several that are wrong, the message is about the first here.
enum class argument {
  bits,        // std::vector<bool>
  rows_apart,  // a container of containers
  container,
  array,
  pointer,
  eigen,
  mdspan,
  tensor,
  view,
  policy,
  other
};

template <class M, class = void>
struct is_mdspan : std::false_type {};
template <class M>
struct is_mdspan<M, std::void_t<typename M::element_type, decltype(M::rank()),
                                decltype(std::declval<M const&>().extent(0)),
                                decltype(std::declval<M const&>().data_handle())>>
    : std::true_type {};

template <class M, class = void>
inline constexpr bool is_eigen = false;
template <class M>
inline constexpr bool is_eigen<
    M, std::void_t<typename M::Scalar, decltype(M::RowsAtCompileTime),
                   decltype(M::ColsAtCompileTime), decltype(std::declval<M const&>().derived())>> =
    true;

/// A container of bool whose elements are no objects.
template <class V, class = void>
inline constexpr bool is_bits = false;
template <class V>
inline constexpr bool is_bits<V, std::void_t<typename V::value_type, typename V::reference>> =
    std::is_same_v<typename V::value_type, bool>&& std::is_class_v<typename V::reference>;

template <class V, class = void>
inline constexpr bool is_container = false;
template <class V>
inline constexpr bool
    is_container<V, std::void_t<typename V::value_type, decltype(std::declval<V const&>().data()),
                                decltype(std::declval<V const&>().size())>> = true;

/// A container of containers with memory of their own.
template <class V, class = void>
inline constexpr bool is_rows_apart = false;
template <class V>
inline constexpr bool is_rows_apart<V, std::void_t<typename V::value_type>> =
    is_container<V>&& is_container<typename V::value_type> &&
    !std::is_trivially_copyable_v<typename V::value_type>;

template <class... Arguments>
inline constexpr bool is_of_xpose = ((is_policy<Arguments> || is_view<Arguments>::value) || ...);

template <class T, std::size_t N>
std::integral_constant<std::size_t, N> rank_of(tensor_view<T, N> const&);

/// Dimensions of a tensor_view, or of what derives from one; of others 0.
template <class T, class = void>
inline constexpr std::size_t tensor_rank = 0;
template <class T>
inline constexpr std::size_t
    tensor_rank<T, std::void_t<decltype(detail::rank_of(std::declval<T const&>()))>> =
        decltype(detail::rank_of(std::declval<T const&>()))::value;

/// Arguments that permute takes, or that derive from those.
template <class... Arguments>
inline constexpr bool is_permute = false;
template <class Policy, class In, class Out, std::size_t N, class... F>
inline constexpr bool is_permute<Policy, In, Out, std::array<int, N>, F...> =
    is_policy<Policy>&& tensor_rank<In> == N&& tensor_rank<Out> == N;

template <class T>
constexpr argument kind_of() {
  if constexpr (is_policy<T>) return argument::policy;
  else if constexpr (is_view<T>::value) return argument::view;
  else if constexpr (tensor_rank<T> != 0) return argument::tensor;
  else if constexpr (std::is_array_v<T>) return argument::array;
  else if constexpr (std::is_pointer_v<T>) return argument::pointer;
  else if constexpr (is_mdspan<T>::value) return argument::mdspan;
  else if constexpr (is_eigen<T>) return argument::eigen;
  else if constexpr (is_bits<T>) return argument::bits;
  else if constexpr (is_rows_apart<T>) return argument::rows_apart;
  else if constexpr (is_container<T>) return argument::container;
  else return argument::other;
}

/// The kind that a call is refused for; other, if its arguments are too few, too many or in another
/// order.
template <operation Op, class... Operands>
constexpr argument kind_to_name() {
  argument lowest = argument::other;
  for (argument const kind : {argument::other, kind_of<Operands>()...})
    if (kind < lowest) lowest = kind;
  constexpr bool has_mdspan = (is_mdspan<Operands>::value || ...);
  if (Op == operation::permute) return has_mdspan ? argument::mdspan : argument::other;
  return lowest;
}

/// A condition of the form !(a == b) keeps clang from printing both sides of a comparison.
template <operation Op, class Policy, class... Operands>
struct wrong_call {
  static constexpr bool has_policy = is_policy<Policy>;
  static constexpr bool has_policy_behind = (is_policy<Operands> || ...);
  static_assert(has_policy || !has_policy_behind,
                "xpose: the policy is the first argument, before all operands");
  static_assert(has_policy || has_policy_behind,
                "xpose: the first argument says where the call runs: xpose::omp, xpose::cuda, "
                "xpose::seq, xpose::automatic, or with xpose/thrust.hpp a Thrust policy");

  static constexpr argument kind = has_policy ? kind_to_name<Op, Operands...>() : argument::policy;
  static_assert(!(kind == argument::bits),
                "xpose: std::vector<bool> packs its elements into bits; use std::vector<char> and "
                "xpose::view(vector, rows, cols)");
  static_assert(!(kind == argument::rows_apart),
                "xpose: rows of a vector of vectors lie apart in memory; use one vector of rows * "
                "cols elements and xpose::view(vector, rows, cols)");
  static_assert(!(kind == argument::container),
                "xpose: a container has no rows and columns; name it v and write xpose::view(v, "
                "rows, cols)");
  static_assert(!(kind == argument::array),
                "xpose: an array has no rows and columns; write xpose::matrix_view<T>(array, rows, "
                "cols)");
  static_assert(!(kind == argument::pointer),
                "xpose: a pointer has no rows and columns; write xpose::matrix_view<T>(pointer, "
                "rows, cols)");
  static_assert(!(kind == argument::eigen), "xpose: for Eigen's matrices include xpose/eigen.hpp");
  static_assert(!(kind == argument::mdspan),
                "xpose: an mdspan is an operand, beside views, where xpose/mdspan.hpp is included");
  static_assert(!(kind == argument::tensor),
                "xpose: only permute takes a tensor_view; write xpose::view(tensor), of two "
                "dimensions a matrix and of three a batch");

  static constexpr operation op = has_policy && kind > argument::tensor ? Op : operation{-1};
  static_assert(!(op == operation::transpose || op == operation::copy),
                "xpose: write transpose(policy, in, out) or transpose(policy, in, out, function), "
                "or copy; in and out are views, and the function takes an element");
  static_assert(!(op == operation::permute),
                "xpose: write permute(policy, in, out, permutation) or permute(policy, in, out, "
                "permutation, function); in and out are tensor_view<T, N>, and the permutation is "
                "a std::array<int, N>");
  static_assert(!(op == operation::transpose_inplace),
                "xpose: write transpose_inplace(policy, view)");
  static_assert(!(op == operation::add),
                "xpose: write add(policy, alpha, A, beta, B, C); A, B and C are views");
  static_assert(!(op == operation::gemm),
                "xpose: write gemm(policy, A, B, C) or gemm(policy, alpha, A, B, beta, C), with "
                "xpose::options() behind C if there are any; A, B and C are views");
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
