// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <xpose/detail/request.hpp>
#include <xpose/detail/wrong_call.hpp>
#include <xpose/policy.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// The strides of the cols x rows matrix that a checked one has become.
constexpr strided strides_after_inplace(index rows, index cols, strided s) {
  if (rows == cols) return s;
  if (is_packed_row_major(cols, s.row_stride, s.col_stride)) return {rows, 1};
  if (is_packed_col_major(rows, s.row_stride, s.col_stride)) return {1, cols};
  return {s.col_stride, s.row_stride};  // a single row or column, or empty: nothing has moved
}

template <class T>
matrix_view<T> transposed_inplace(matrix_view<T> v) {
  return {v.data(), v.cols(), v.rows(),
          strides_after_inplace(v.rows(), v.cols(), {v.row_stride(), v.col_stride()})};
}
/// The matrices are not checked one by one: of a batch of none, the first need not be a valid view.
template <class T>
batch_view<T> transposed_inplace(batch_view<T> v) {
  matrix_view<T> const first = v.first();
  return {first.data(),
          v.count(),
          v.cols(),
          v.rows(),
          strides_after_inplace(v.rows(), v.cols(), {first.row_stride(), first.col_stride()}),
          v.batch_stride()};
}

}  // namespace detail

/// Moves element (i, j) of every matrix to (j, i), within the view's memory; returns the view that
/// reads it so, cols x rows. Square matrices: any strides, and the same view again. Others must be
/// packed, row_major with a row stride of cols or col_major with a column stride of rows, and stay
/// so in the same order; in a batch they must not interleave. A single row or column moves nothing.
/// The view that was given keeps its extents, so read other than square ones through the one that
/// is returned. It is not [[nodiscard]]: a call on a square matrix, which a type does not show, may
/// drop it. Throws layout_error, residency_error, backend_error before any work, std::bad_alloc
/// before any byte is written. Returns when the view is ready unless the policy says nosync. A bit
/// copy, the same bits on every backend. Cost: reads and writes every element once if square; else
/// twice, through a workspace: one matrix, or 4 MB (cuda: 16) of several; omp: panels above 48 MB.
/// On cuda the workspace is taken in the order of the stream, from a pool that keeps up to a
/// sixteenth of the device's memory; most matrices of up to 32 KB, in batches more, with capability
/// 9.0 up to 2^16 elements, stay in shared memory, read and written once. A policy with a pool
/// gives the workspace instead, on every backend. On omp a call takes half a MB for each thread
/// besides; the calling thread keeps both, up to 48 MB, for its next call.
template <class Policy, class View,
          class = std::enable_if_t<is_policy<Policy> && detail::is_view<View>::value>>
View transpose_inplace(Policy const& policy, View const& view) {
  using traits = detail::view_traits<View>;
  static_assert(!traits::is_conjugated,
                "xpose: transpose_inplace moves elements and cannot conjugate them");
  static_assert(!std::is_const_v<detail::element_of<View>>,
                "xpose: transpose_inplace needs a view that is not const");
  if constexpr (traits::is_conjugated) {
    return view;
  } else {
    // A braced argument loses its braces in what nvcc hands to the host's compiler.
    detail::inplace_request const request{traits::make(view)};
    detail::run_transpose_inplace(detail::policy_traits<Policy>::make(policy), request);
    return detail::transposed_inplace(view);
  }
}

/// Any other call does not compile; the message says what to write.
template <class Policy, class... Arguments>
detail::wrong_call<operation::transpose_inplace, Policy, Arguments...> transpose_inplace(
    Policy const&, Arguments const&...) {
  return {};
}

}  // namespace v0
}  // namespace xpose
