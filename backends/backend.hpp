// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What every backend brings for the table in registry.cpp: for each operation the name of the
// kernel that a request will use, and the run itself, for checked requests with elements. A build
// without CUDA takes cuda's from cuda/absent.cpp.
#pragma once

#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

char const* reference_copy_kernel(copy_request const& request);
char const* reference_gemm_kernel(gemm_request const& request);
void reference_run_copy(execution const& where, copy_request const& request);
void reference_run_gemm(execution const& where, gemm_request const& request);
char const* reference_inplace_kernel(inplace_request const& request);
void reference_run_inplace(execution const& where, inplace_request const& request);
char const* reference_add_kernel(add_request const& request);
void reference_run_add(execution const& where, add_request const& request);

char const* omp_copy_kernel(copy_request const& request);
char const* omp_gemm_kernel(gemm_request const& request);
void omp_run_copy(execution const& where, copy_request const& request);
void omp_run_gemm(execution const& where, gemm_request const& request);
char const* omp_inplace_kernel(inplace_request const& request);
void omp_run_inplace(execution const& where, inplace_request const& request);
char const* omp_add_kernel(add_request const& request);
void omp_run_add(execution const& where, add_request const& request);

char const* cuda_copy_kernel(copy_request const& request);
char const* cuda_gemm_kernel(gemm_request const& request);
/// Exported for gemm.cuh in a user's .cu.
XPOSE_EXPORT void cuda_run_copy(execution const& where, copy_request const& request);
void cuda_run_gemm(execution const& where, gemm_request const& request);
char const* cuda_inplace_kernel(inplace_request const& request);
void cuda_run_inplace(execution const& where, inplace_request const& request);
char const* cuda_add_kernel(add_request const& request);
void cuda_run_add(execution const& where, add_request const& request);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
