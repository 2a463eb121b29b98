// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What xpose declares of cuBLASMp is what cublasmp.h declares. Compiled where that is found.
#include "../../../mpi/cublasmp.hpp"
#include "same_abi.hpp"

#include <cublasmp.h>

using xpose::detail::cublasmp_functions;
using xpose::detail::cublasmp_type;

static_assert(fits<decltype(cublasMpGetVersion)>(&cublasmp_functions::get_version));
static_assert(fits<decltype(cublasMpCreate)>(&cublasmp_functions::create));
static_assert(fits<decltype(cublasMpDestroy)>(&cublasmp_functions::destroy));
static_assert(fits<decltype(cublasMpSetStream)>(&cublasmp_functions::set_stream));
static_assert(fits<decltype(cublasMpGridCreate)>(&cublasmp_functions::create_grid));
static_assert(fits<decltype(cublasMpGridDestroy)>(&cublasmp_functions::destroy_grid));
static_assert(fits<decltype(cublasMpMatrixDescriptorCreate)>(&cublasmp_functions::create_matrix));
static_assert(fits<decltype(cublasMpMatrixDescriptorDestroy)>(&cublasmp_functions::destroy_matrix));
static_assert(fits<decltype(cublasMpGemm_bufferSize)>(&cublasmp_functions::gemm_bytes));
static_assert(fits<decltype(cublasMpGemm)>(&cublasmp_functions::gemm));
static_assert(int{CUBLASMP_STATUS_SUCCESS} == xpose::detail::cublasmp_success);
static_assert(int{CUBLASMP_GRID_LAYOUT_ROW_MAJOR} == 1 && int{CUBLASMP_GRID_LAYOUT_COL_MAJOR} == 0);
static_assert(int{CUBLAS_OP_N} == 0 && int{CUBLAS_OP_T} == 1);

constexpr bool is(cublasmp_type ours, cudaDataType_t type, cublasComputeType_t compute) {
  return ours.type == type && ours.compute == compute;
}
static_assert(is(xpose::detail::cublasmp_f32, CUDA_R_32F, CUBLAS_COMPUTE_32F));
static_assert(is(xpose::detail::cublasmp_f64, CUDA_R_64F, CUBLAS_COMPUTE_64F));
static_assert(is(xpose::detail::cublasmp_complex_f32, CUDA_C_32F, CUBLAS_COMPUTE_32F));
static_assert(is(xpose::detail::cublasmp_complex_f64, CUDA_C_64F, CUBLAS_COMPUTE_64F));
