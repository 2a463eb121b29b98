// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// No CUDA call goes unchecked.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace xpose::bench {

inline void check(cudaError_t status, char const* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

}  // namespace xpose::bench
