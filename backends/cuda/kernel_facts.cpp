// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Asks the runtime what a kernel was compiled for, and remembers the answers.

#include <xpose/backends/cuda/kernel_facts.hpp>

#include <xpose/backends/cuda/launch.cuh>

#include <cstdint>

namespace xpose {
inline namespace v0 {
namespace detail {

kernel_facts facts_of_kernel(void const* kernel) {
  struct answer {
    void const* kernel;
    int device;
    kernel_facts facts;
  };
  // Of plain data, so that calls from destructors of static objects find it.
  constexpr std::uintptr_t count = 64;
  thread_local answer answers[count];
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  answer& known = answers[reinterpret_cast<std::uintptr_t>(kernel) / 16 % count];
  if (known.kernel == kernel && known.device == device) return known.facts;
  cudaFuncAttributes attributes{};
  check_cuda(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  known = {kernel, device, {attributes.ptxVersion, static_cast<int>(attributes.sharedSizeBytes)}};
  return known.facts;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
