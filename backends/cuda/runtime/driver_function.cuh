// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Functions of the CUDA driver, found through the runtime: the library does not link the driver.
#pragma once

#include <xpose/backends/cuda/runtime/launch.cuh>

#include <cuda.h>

namespace xpose {
inline namespace v0 {
namespace detail {

/// By its unversioned name, as of CUDA 12.0. Throws cuda_error.
template <class Function>
Function driver_function(char const* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
  check_cuda(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &result),
             name);
#else
  check_cuda(cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &result), name);
#endif
  if (function == nullptr) throw cuda_error(static_cast<int>(cudaErrorSymbolNotFound), name);
  return reinterpret_cast<Function>(function);
}

/// CUresult and cudaError_t have the same numbers.
inline void check_driver(CUresult result, char const* call) {
  if (result != CUDA_SUCCESS) throw_cuda_error(static_cast<int>(result), call);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
