// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// cuBLAS by its own choice of a kernel, for the column beside the configs of tune_gemm. Without
// cuBLAS at hand, or for types and layouts that it refuses, there is no column.
#pragma once

#include "tune/arena.cuh"

#include <xpose/backends/cuda/gemm/driver.cuh>

#ifdef XPOSE_HAS_CUBLAS
#include <cublas_v2.h>
#endif

namespace xpose::bench {

#ifdef XPOSE_HAS_CUBLAS
struct vendor_types {
  cudaDataType_t in;
  cudaDataType_t out;
  cublasComputeType_t compute;
};

template <class A>
constexpr vendor_types vendor_types_of() {
  if constexpr (std::is_same_v<A, float>) return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
  else if constexpr (std::is_same_v<A, detail::tf32_element>)
    return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32};
  else if constexpr (std::is_same_v<A, double>) return {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F};
  else if constexpr (std::is_same_v<A, detail::complex_value<float>>)
    return {CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F};
  else if constexpr (std::is_same_v<A, detail::complex_value<double>>)
    return {CUDA_C_64F, CUDA_C_64F, CUBLAS_COMPUTE_64F};
  else if constexpr (std::is_same_v<A, std::int8_t>)
    return {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I};
  else if constexpr (std::is_same_v<A, float16>)
    return {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F};
  else return {CUDA_R_8F_E4M3, CUDA_R_32F, CUBLAS_COMPUTE_32F};
}
#endif

class vendor_gemm {
 public:
#ifdef XPOSE_HAS_CUBLAS
  explicit vendor_gemm(cudaStream_t stream) {
    constexpr std::size_t workspace_bytes = std::size_t{32} << 20;  // what NVIDIA advises for 90
    check_cuda(cudaMalloc(&workspace_, workspace_bytes), "cudaMalloc");
    cublasCreate(&blas_);
    cublasSetStream(blas_, stream);
    cublasSetWorkspace(blas_, workspace_, workspace_bytes);
  }
  ~vendor_gemm() {
    cublasDestroy(blas_);
    cudaFree(workspace_);
  }
  vendor_gemm(vendor_gemm const&) = delete;
  vendor_gemm& operator=(vendor_gemm const&) = delete;

  /// C = A B of row-major C as C^T = B^T A^T of column-major ones. False: refused.
  template <class Problem>
  bool run(Problem const& p) const {
    constexpr vendor_types types = vendor_types_of<typename Problem::a_type>();
    static double const ones[2] = {1, 0};
    static float const float_ones[2] = {1, 0};
    static int const one = 1;
    static double const zeros[2] = {0, 0};
    void const* const alpha = types.compute == CUBLAS_COMPUTE_64F   ? static_cast<void const*>(ones)
                              : types.compute == CUBLAS_COMPUTE_32I ? static_cast<void const*>(&one)
                                                                    : float_ones;
    auto const side = [](auto const& o) {
      bool const is_transposed = o.col_stride != 1;
      return std::pair{is_transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                       static_cast<int>(is_transposed ? o.col_stride : o.row_stride)};
    };
    auto const [op_a, pitch_a] = side(p.a);
    auto const [op_b, pitch_b] = side(p.b);
    return cublasGemmStridedBatchedEx(
               blas_, op_b, op_a, static_cast<int>(p.cols), static_cast<int>(p.rows),
               static_cast<int>(p.k_extent), alpha, p.b.data, types.in, pitch_b, p.b.batch_stride,
               p.a.data, types.in, pitch_a, p.a.batch_stride, zeros, p.c.data, types.out,
               static_cast<int>(p.c.row_stride), p.c.batch_stride, static_cast<int>(p.batch),
               types.compute, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS;
  }

 private:
  cublasHandle_t blas_ = nullptr;
  void* workspace_ = nullptr;
#else
  explicit vendor_gemm(cudaStream_t) {}
  template <class Problem>
  bool run(Problem const&) const {
    return false;
  }
#endif
};

}  // namespace xpose::bench
