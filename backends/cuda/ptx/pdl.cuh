// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Programmatic dependent launch (griddepcontrol): what a kernel that launch_pdl() launches, or that
// one follows, calls. Nothing before capability 90.
#pragma once

#include <xpose/config.hpp>

#include <cuda_runtime_api.h>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Lets the next kernel of the stream start, if it was launched by launch_pdl(), once every block
/// has called this. Call it after a block's products: blocks that start before find room on some
/// multiprocessors only, and stay there (512x512x512 of float16 by mma.sync 5.4 us in place of 4.7;
/// H100, 2026-11-22). A block that fills a multiprocessor may call it at once. Large grids do not
/// trigger: the device takes half a nanosecond a block (10000 of 16x16x16 of float16: 15.1 us in
/// place of 9.5).
__device__ inline void pdl_trigger() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  constexpr unsigned most = 1024;
  if (gridDim.x <= most) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
/// Waits until the kernel before on the stream is done and its writes are visible.
__device__ inline void pdl_wait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
