// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a kernel was compiled for. A file of a user's is compiled for whatever its nvcc was told, so
// that a device may have instructions which the kernels of that file lack: whoever chooses among
// kernels by capability asks here, and asks a kernel that its own file launches.
#pragma once

#include <xpose/export.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

struct kernel_facts {
  int capability;    // of the code that runs: 75, 80, 90, .. as __CUDA_ARCH__ / 10 was
  int shared_bytes;  // of fixed size
};

/// Of a __global__ function on the current device. A thread asks the runtime once for a kernel and
/// device, as long as few kernels take turns: a call costs cudaGetDevice. Throws cuda_error.
XPOSE_EXPORT kernel_facts facts_of_kernel(void const* kernel);

template <class... Params>
kernel_facts facts_of_kernel(void (*kernel)(Params...)) {
  return facts_of_kernel(reinterpret_cast<void const*>(kernel));
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
