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

char const* cuda_element_function_kernel(copy_request const& r) {
  return name_of(choose_function_kernel(plan_function_copy(r.in, r.out)));
}

void cuda_run_element_function(execution const& where, copy_request const& r) {
  run_element_function(r, [&](auto from, auto to, auto f) {
    cuda_copy<typename decltype(from)::type, typename decltype(to)::type>(where, r.in, r.out, f);
  });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
