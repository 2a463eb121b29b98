// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What xpose info says of CUDA. machine/gpus_cuda.cpp in a build with CUDA, machine/gpus_absent.cpp
// in one without.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xpose::tools {

struct gpu_facts {
  std::string name;
  std::string capability;  // "9.0"
  std::int64_t memory_bytes;
};

struct cuda_facts {
  bool is_built;
  std::string toolkit;        // that this build was made with, "13.0"; empty without CUDA
  std::string architectures;  // that it has kernels for, as CMake lists them
  std::string driver;         // the newest CUDA that the driver runs; empty: no driver
  std::vector<gpu_facts> gpus;
};

cuda_facts this_cuda();

}  // namespace xpose::tools
