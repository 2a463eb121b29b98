// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Copies through conjugate and cast<T> on a CUDA device.

#include <xpose/backends/cuda/copy_functions.hpp>

#include <xpose/backends/cuda/function_kernel.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

char const* cuda_element_function_kernel(copy_request const& r) {
  function_copy const copy = plan_function_copy(r.in, r.out);
  if (r.in.data == nullptr) return turns_in_tiles(copy) ? "turn_iterator" : "copy_iterator";
  return name_of(choose_function_kernel(copy));
}

void cuda_run_element_function(execution const& where, copy_request const& r) {
  cuda_run_functions<functions_of::short_integers>(where, r);
  cuda_run_functions<functions_of::long_integers>(where, r);
  cuda_run_functions<functions_of::others>(where, r);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
