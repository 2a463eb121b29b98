// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The requests that cross into the compiled library: plain data without templates, containers or
// CUDA types.
#pragma once

#include <xpose/conjugated.hpp>
#include <xpose/detail/element_type.hpp>
#include <xpose/detail/execution.hpp>
#include <xpose/functional.hpp>
#include <xpose/gemm_precision.hpp>
#include <xpose/iterator_view.hpp>
#include <xpose/semiring.hpp>
#include <xpose/tensor_view.hpp>

namespace xpose {
inline namespace v0 {

/// The operations, as explain() and messages name them.
enum class operation : int { transpose, copy, gemm, permute, transpose_inplace, add };

namespace detail {

/// A batch of matrices; a single matrix has batch 1.
struct operand {
  void const* data;
  index batch;
  index rows;
  index cols;
  index batch_stride;
  index row_stride;
  index col_stride;
  int bytes_per_element;
  int alignment;
  element_type type;
  bool conjugated;
};

inline bool is_empty(operand const& o) { return o.batch == 0 || o.rows == 0 || o.cols == 0; }

/// Each matrix packed: its rows (or columns) are contiguous, without padding.
constexpr bool is_packed_row_major(index cols, index row_stride, index col_stride) {
  return col_stride == 1 && row_stride == cols;
}
constexpr bool is_packed_col_major(index rows, index row_stride, index col_stride) {
  return row_stride == 1 && col_stride == rows;
}

/// The operand of copies: a tensor, or a batch of matrices as a tensor of three dimensions.
struct tensor_operand {
  static constexpr int max_rank = 8;

  void const* data;
  int count;  // of dimensions, at least 1
  dimension dimensions[max_rank];
  int bytes_per_element;
  int alignment;
  element_type type;
  bool conjugated;
  bool is_batch;  // dimensions are batch, row and column, and messages call them so
};

/// Member by member: braces would clear the dimensions that a batch has not, a tenth of the time of
/// a 4x4 transpose.
inline tensor_operand as_tensor(operand const& o) {
  tensor_operand t;
  t.data = o.data;
  t.count = 3;
  t.dimensions[0] = {o.batch, o.batch_stride};
  t.dimensions[1] = {o.rows, o.row_stride};
  t.dimensions[2] = {o.cols, o.col_stride};
  t.bytes_per_element = o.bytes_per_element;
  t.alignment = o.alignment;
  t.type = o.type;
  t.conjugated = o.conjugated;
  t.is_batch = true;
  return t;
}

inline bool is_empty(tensor_operand const& o) {
  for (int d = 0; d < o.count; ++d)
    if (o.dimensions[d].extent == 0) return true;
  return false;
}

struct copy_request {
  operation op;
  tensor_operand in;  // already transposed or permuted: in and out have the same extents
  tensor_operand out;
  element_function function;

  tensor_operand const& output() const { return out; }
};

struct inplace_request {
  static constexpr operation op = operation::transpose_inplace;

  operand view;

  operand const& output() const { return view; }
};

/// No elements, or single rows or columns, whose elements keep their addresses.
inline bool moves_nothing(operand const& inplace_view) {
  return inplace_view.batch == 0 || inplace_view.rows <= 1 || inplace_view.cols <= 1;
}

// Of layer_epilogue.hpp.
struct layer_request;
template <class Epilogue>
struct is_layer_epilogue : std::false_type {
  using element_type = void;
};

struct gemm_request {
  static constexpr operation op = operation::gemm;

  operand a;
  operand b;
  operand c;
  element_type accumulate;
  semiring_id semiring;
  void const* alpha;  // of the accumulate type; read during the call only
  void const* beta;
  bool alpha_is_one;
  bool alpha_is_zero;
  bool beta_is_zero;
  gemm_precision precision;
  layer_request const* layer = nullptr;

  operand const& output() const { return c; }
};

/// With zero the operand is not read, with one it is not multiplied.
enum class scalar_kind : int { zero, one, other };

struct add_request {
  static constexpr operation op = operation::add;

  operand a;
  operand b;
  operand c;
  void const* alpha;  // of the type that add computes in; read during the call only
  void const* beta;
  scalar_kind alpha_kind;
  scalar_kind beta_kind;

  operand const& output() const { return c; }
};

template <class T>
constexpr operand make_operand(matrix_view<T> v, index batch, index batch_stride) {
  return {v.data(),
          batch,
          v.rows(),
          v.cols(),
          batch_stride,
          v.row_stride(),
          v.col_stride(),
          sizeof(T),
          static_cast<int>(alignof(T)),
          element_type_of<T>(),
          false};
}

/// From every view that an operation takes to its operand.
template <class View>
struct view_traits {};

template <class T>
struct view_traits<matrix_view<T>> {
  using element_type = T;
  static constexpr bool is_conjugated = false;
  static constexpr bool is_batch = false;
  static constexpr operand make(matrix_view<T> v) { return make_operand(v, 1, 0); }
};
template <class T>
struct view_traits<batch_view<T>> {
  using element_type = T;
  static constexpr bool is_conjugated = false;
  static constexpr bool is_batch = true;
  static constexpr operand make(batch_view<T> v) {
    return make_operand(v.first(), v.count(), v.batch_stride());
  }
};
template <class View>
struct view_traits<conjugated_view<View>> {
  static_assert(!is_iterator_view<View>,
                "xpose: pass xpose::conjugate{} to conjugate what an iterator gives");
  using element_type = typename view_traits<View>::element_type;
  static constexpr bool is_conjugated = true;
  static constexpr bool is_batch = view_traits<View>::is_batch;
  static constexpr operand make(conjugated_view<View> v) {
    operand o = view_traits<View>::make(v.base());
    o.conjugated = true;
    return o;
  }
};

/// Elements without memory: data is null; strides count elements, of one byte each.
template <class Iterator>
struct view_traits<iterator_view<Iterator>> {
  using element_type = typename iterator_view<Iterator>::element_type;
  static constexpr bool is_conjugated = false;
  static constexpr bool is_batch = false;
  static operand make(iterator_view<Iterator> const& v) {
    return {nullptr,
            1,
            v.rows(),
            v.cols(),
            0,
            v.row_stride(),
            v.col_stride(),
            1,
            1,
            element_type_of<element_type>(),
            false};
  }
};

/// A function, so that the message comes once for both tensors of a call.
template <std::size_t N>
constexpr void require_rank() {
  static_assert(N <= tensor_operand::max_rank,
                "xpose: permute takes tensors of up to 8 dimensions");
}

template <class T, std::size_t N>
struct view_traits<tensor_view<T, N>> {
  using element_type = T;
  static constexpr bool is_conjugated = false;
  static constexpr tensor_operand make(tensor_view<T, N> const& v) {
    require_rank<N>();
    tensor_operand o{v.data(),
                     static_cast<int>(N),
                     {},
                     sizeof(T),
                     static_cast<int>(alignof(T)),
                     element_type_of<T>(),
                     false,
                     false};
    for (std::size_t d = 0; d < N && d < tensor_operand::max_rank; ++d)
      o.dimensions[d] = {v.extent(d), v.stride(d)};
    return o;
  }
};

/// A matrix or a batch of matrices. Not a tensor: only permute takes tensors.
template <class View, class = void>
struct is_view : std::false_type {};
template <class View>
struct is_view<View, std::void_t<decltype(view_traits<View>::is_batch)>> : std::true_type {};

template <class View>
using element_of = typename view_traits<View>::element_type;

template <class View>
constexpr index batch_of(View const& view) {
  return view_traits<View>::is_batch ? view_traits<View>::make(view).batch : 1;
}

/// An input of a call whose output has `batch` matrices: a single matrix is broadcast over them.
template <class View>
constexpr operand make_repeated(View const& view, index batch) {
  operand o = view_traits<View>::make(view);
  if (!view_traits<View>::is_batch) o.batch = batch;
  return o;
}

// Everything below is compiled into the library. All arguments are checked before anything else.

/// A user's own function, type or semiring: the backends' templates, instantiated by the caller.
struct user_code {
  void const* context;
  void (*run)(void const* context, execution const& where, backend_id backend);
};

/// run(where, backend), which has to outlive the result.
template <class Run>
user_code user_code_of(Run const& run) {
  return {&run, [](void const* context, execution const& where, backend_id backend) {
            (*static_cast<Run const*>(context))(where, backend);
          }};
}

/// Checks, chooses a backend, runs, and synchronises as the policy says. `code` runs in place of
/// the compiled kernels, with the call's device current; it does not run if the output is empty.
XPOSE_EXPORT void run_copy(execution const& where, copy_request const& request,
                           user_code const& code = {});
XPOSE_EXPORT void run_gemm(execution const& where, gemm_request const& request,
                           user_code const& code = {});
XPOSE_EXPORT void run_add(execution const& where, add_request const& request,
                          user_code const& code = {});
XPOSE_EXPORT void run_transpose_inplace(execution const& where, inplace_request const& request);

/// Where the calls of a plan run: a backend, and for cuda its device (negative: the current one).
struct chosen_backend {
  backend_id id;
  int device;
};
/// Checks and chooses as run_gemm, and runs nothing.
XPOSE_EXPORT chosen_backend choose_for_gemm(execution const& where, gemm_request const& request);
/// run_gemm of a request whose operands lie where those of choose_for_gemm do.
XPOSE_EXPORT void run_chosen_gemm(execution const& where, chosen_backend const& chosen,
                                  gemm_request const& request);
/// Throws layout_error: the operand of that name is null.
[[noreturn]] XPOSE_EXPORT void refuse_null_of_plan(char const* name);

/// The operand whose dimension k is dimension permutation[k] of o. Throws shape_error if that is no
/// permutation.
XPOSE_EXPORT tensor_operand permuted(tensor_operand const& o, int const* permutation);

/// Throws backend_error: operands or policy need a device, but this code was not compiled by nvcc.
[[noreturn]] XPOSE_EXPORT void refuse_user_code_on_cuda(operation op);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
