// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Copies through a named function; the kernels are in copy_functions.cu, which takes the longest
/// to compile.
void cuda_run_element_function(execution const& where, copy_request const& request);
char const* cuda_element_function_kernel(copy_request const& request);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
