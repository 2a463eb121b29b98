// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Copies through conjugate and cast<T> on a GPU: all groups of instances.

#include <xpose/backends/cuda/elementwise/instances/functions.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

void cuda_run_element_function(execution const& where, copy_request const& r) {
  cuda_run_functions<functions_of::short_integers>(where, r);
  cuda_run_functions<functions_of::long_integers>(where, r);
  cuda_run_functions<functions_of::others>(where, r);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
