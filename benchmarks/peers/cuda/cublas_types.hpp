// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// How cuBLAS and cuBLASLt name the bench's types. Both are column-major, so C = A B is asked for as
// C' = B' A' with the operands exchanged.
#pragma once

#include "core/case.hpp"

#include <cublas_v2.h>

#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

namespace xpose::bench {

inline void check_cublas(cublasStatus_t status, char const* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + ": " + cublasGetStatusString(status));
}

/// Of the headers; the library itself does not tell its build.
inline std::string cublas_headers() {
  return std::to_string(CUBLAS_VER_MAJOR) + "." + std::to_string(CUBLAS_VER_MINOR) + "." +
         std::to_string(CUBLAS_VER_PATCH) + "." + std::to_string(CUBLAS_VER_BUILD);
}

/// Whether the library says that it lacks the case, which is no failure: int8 and float8 have only
/// some layouts and alignments.
inline bool is_absent(cublasStatus_t status) {
  return status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE ||
         status == CUBLAS_STATUS_ARCH_MISMATCH;
}

struct cublas_types {
  cudaDataType_t operands;
  cudaDataType_t result;
  cudaDataType_t scalars;
  cublasComputeType_t compute;
};

inline std::optional<cublas_types> cublas_types_of(gemm_case const& what) {
  cudaDataType_t const result = what.c_type.kind == element_kind::f32 ? CUDA_R_32F : CUDA_R_16F;
  switch (what.type.kind) {
    case element_kind::f32:
      return {{CUDA_R_32F, CUDA_R_32F, CUDA_R_32F,
               what.may_round_to_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F}};
    case element_kind::f64:
      return {{CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F}};
    case element_kind::c64:
      return {{CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F}};
    case element_kind::c128:
      return {{CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUBLAS_COMPUTE_64F}};
    case element_kind::f16:
      return {{CUDA_R_16F, result, CUDA_R_32F, CUBLAS_COMPUTE_32F}};
    case element_kind::bf16:
      return {{CUDA_R_16BF, result == CUDA_R_32F ? CUDA_R_32F : CUDA_R_16BF, CUDA_R_32F,
               CUBLAS_COMPUTE_32F}};
    case element_kind::e4m3:
      return {{CUDA_R_8F_E4M3, result == CUDA_R_32F ? CUDA_R_32F : CUDA_R_16BF, CUDA_R_32F,
               CUBLAS_COMPUTE_32F}};
    case element_kind::i8:
      return {{CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I}};
    default:
      return std::nullopt;
  }
}

inline bool fits_int(index value) { return value <= std::numeric_limits<int>::max(); }

/// One and zero of the type of the scalars, in storage that is large enough for each.
struct cublas_scalars {
  explicit cublas_scalars(cudaDataType_t type) {
    if (type == CUDA_R_64F || type == CUDA_C_64F) one.f64[0] = 1;
    else if (type == CUDA_R_32I) one.i32 = 1;
    else one.f32[0] = 1;
  }

  /// Aligned like cuDoubleComplex: cuBLAS reads it with 16-byte moves.
  union alignas(16) storage {
    double f64[2] = {0, 0};
    float f32[2];
    int i32;
  };
  storage one{};
  storage zero{};
};

}  // namespace xpose::bench
