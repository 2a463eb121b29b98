// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Whether the device is one that kernels of warpgroups are for.
#pragma once

#include "gpu.hpp"

#include <cuda_runtime_api.h>

/// First line of a test case of such kernels: `if (!needs_capability_90()) return;`. Counts the
/// case as skipped without such a device.
inline bool needs_capability_90() {
  int device = 0;
  int major = 0;
  if (has_gpu() && cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
      major == 9)
    return true;
  ++skipped_for_lack_of_gpu();
  return false;
}
