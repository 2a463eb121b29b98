// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Copies through conjugate and cast<T> on a CUDA device: the driver of copy.cuh for every listed
// pair of types.

#include <xpose/backends/cuda/copy_functions.hpp>

#include <xpose/backends/cuda/copy.cuh>
#include <xpose/backends/element_functions.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

struct runner {
  template <class In, class Out, class F>
  static void run(execution const& where, operand const& in, operand const& out) {
    cuda_copy<In, Out>(where, in, out, F{});
  }
};

}  // namespace

void cuda_run_element_function(execution const& where, copy_request const& r) {
  run_element_function<runner>(where, r);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
