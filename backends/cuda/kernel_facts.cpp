// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Asks the runtime what a kernel was compiled for, and remembers the answers.

#include <xpose/backends/cuda/kernel_facts.hpp>

#include <xpose/backends/cuda/launch.cuh>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {

kernel_facts facts_of_kernel(void const* kernel) {
  struct answer {
    void const* kernel;
    int device;
    kernel_facts facts;
  };
  // Of plain data, so that calls from destructors of static objects find them. A program that has
  // more kernels takes the oldest answer's place.
  constexpr unsigned most = 64;
  thread_local answer answers[most];
  thread_local unsigned count = 0;
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  for (unsigned n = 0; n < std::min(count, most); ++n)
    if (answers[n].kernel == kernel && answers[n].device == device) return answers[n].facts;
  cudaFuncAttributes attributes{};
  check_cuda(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  answer& latest = answers[count++ % most];
  latest = {kernel, device, {attributes.ptxVersion, static_cast<int>(attributes.sharedSizeBytes)}};
  return latest.facts;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
