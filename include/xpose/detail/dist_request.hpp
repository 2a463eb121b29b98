// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The requests that cross into the compiled library of distributed calls: plain data.
#pragma once

#include <xpose/detail/element_type.hpp>
#include <xpose/detail/execution.hpp>
#include <xpose/detail/request.hpp>
#include <xpose/dist_matrix_view.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

struct mpi_state;     // what an mpi_context owns
class device_queues;  // its streams on a device

/// The operations, as messages name them.
enum class dist_operation : int { transpose, redistribute, add, gemm };

/// A distributed operand, as this process passed it. Nothing is checked yet.
struct dist_operand {
  dist_layout layout;
  void const* data;
  strided strides;  // as far as given
  index given_rows;
  index given_cols;
  local_storage storage;
  int bytes_per_element;
  int alignment;
  element_type type;
};

template <class T>
constexpr dist_operand make_dist_operand(dist_matrix_view<T> const& v) {
  return {v.layout(),
          v.data(),
          v.given_strides(),
          v.given_rows(),
          v.given_cols(),
          v.storage(),
          sizeof(T),
          static_cast<int>(alignof(T)),
          element_type_of<std::remove_cv_t<T>>()};
}

/// An mpi_policy as plain data.
struct dist_execution {
  mpi_state* state;
  execution local;
  double timeout_seconds;
  index piece_bytes;
  int engine;
  explanation_text* explained;      // not null: explain only
  device_queues* device = nullptr;  // of a call that runs on one; known once it is checked
};

/// out(i, j) = in(i, j), or of a transpose in(j, i).
struct dist_move {
  dist_operation op;
  dist_operand in;
  dist_operand out;
};

/// C = alpha A + beta B on local operands that have C's layout. The scalars are the function's own.
struct local_sum {
  void const* context;
  void (*run)(void const* context, execution const& where, operand const& a, operand const& b,
              operand const& c);
};

struct dist_sum {
  dist_operand a;
  dist_operand b;
  dist_operand c;
  bool reads_a;
  bool reads_b;
  std::uint64_t scalars;  // a digest of alpha and beta: all processes must pass the same
  local_sum sum;
};

struct dist_product {
  dist_operand a;
  dist_operand b;
  dist_operand c;
  void const* alpha;  // of the element type
  void const* beta;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
