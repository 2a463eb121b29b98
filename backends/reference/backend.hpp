// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The functions that put this backend into the table of backends/registry.cpp.
#pragma once

#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// The name of the kernel that the run function below will use for this request.
char const* reference_copy_kernel(copy_request const& request);
char const* reference_gemm_kernel(gemm_request const& request);

void reference_run_copy(execution const& where, copy_request const& request);
void reference_run_gemm(execution const& where, gemm_request const& request);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
