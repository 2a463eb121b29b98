// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What every backend provides for the table in core/registry.cpp: a driver for each operation. It
// takes checked requests that have elements and reports its kernel by explain_only() before the
// launch. A build without CUDA takes cuda's drivers from cuda/runtime/not_built.cpp.
#pragma once

#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

void reference_run_copy(execution const& where, copy_request const& request);
void reference_run_gemm(execution const& where, gemm_request const& request);
void reference_run_inplace(execution const& where, inplace_request const& request);
void reference_run_add(execution const& where, add_request const& request);

void omp_run_copy(execution const& where, copy_request const& request);
void omp_run_gemm(execution const& where, gemm_request const& request);
void omp_run_inplace(execution const& where, inplace_request const& request);
void omp_run_add(execution const& where, add_request const& request);

/// Exported for gemm/driver.cuh in a user's .cu.
XPOSE_EXPORT void cuda_run_copy(execution const& where, copy_request const& request);
void cuda_run_gemm(execution const& where, gemm_request const& request);
void cuda_run_inplace(execution const& where, inplace_request const& request);
void cuda_run_add(execution const& where, add_request const& request);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
