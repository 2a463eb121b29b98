// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/cuda/elementwise/instances/functions.hpp>

void xpose::detail::cuda_run_element_function(execution const& where, copy_request const& r) {
  cuda_run_functions<functions_of::short_integers>(where, r);
  cuda_run_functions<functions_of::long_integers>(where, r);
  cuda_run_functions<functions_of::others>(where, r);
}
