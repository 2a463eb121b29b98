// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The CUDA device that a call runs on, where that is not the calling thread's own.
#pragma once

#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Makes a device current for its lifetime, then what was: a device of the runtime, which is not
/// touched (cudaSetDevice would create a context on one that the process never used), or a context
/// of the driver's. Less than 0, or the current one: does nothing. Throws cuda_error.
class XPOSE_EXPORT current_device {
 public:
  explicit current_device(int device);
  ~current_device();
  current_device(current_device const&) = delete;
  current_device& operator=(current_device const&) = delete;

 private:
  [[maybe_unused]] bool is_pushed_ = false;  // not used where there is no CUDA
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
