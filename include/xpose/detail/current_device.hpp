// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The CUDA device that a call runs on, where that is not the calling thread's current one.
#pragma once

#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Makes a device current for its lifetime and then restores what was: a context of the driver, or
/// the runtime's device, which is left alone (cudaSetDevice would create a context on a device that
/// the process never used). Does nothing for a negative number or the current device. Throws
/// cuda_error.
class XPOSE_EXPORT current_device {
 public:
  explicit current_device(int device);
  ~current_device();
  current_device(current_device const&) = delete;
  current_device& operator=(current_device const&) = delete;

 private:
  [[maybe_unused]] bool is_pushed_ = false;  // unused in a build without CUDA
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
