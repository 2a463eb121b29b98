// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "machine/gpus.hpp"

#include <cuda_runtime_api.h>

namespace xpose::tools {
namespace {

/// CUDA's numbers of versions: 13010 is 13.1.
std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

}  // namespace

cuda_facts this_cuda() {
  cuda_facts facts{true, version(CUDART_VERSION), XPOSE_TOOLS_CUDA_ARCHITECTURES, {}, {}};
  int driver = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0) facts.driver = version(driver);
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) continue;
    facts.gpus.push_back({properties.name,
                          std::to_string(properties.major) + "." + std::to_string(properties.minor),
                          static_cast<std::int64_t>(properties.totalGlobalMem)});
  }
  cudaGetLastError();  // not to be found again by the next call
  return facts;
}

}  // namespace xpose::tools
