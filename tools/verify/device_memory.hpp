// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Memory of the CUDA device for what verify compares. verify/device_memory_cuda.cpp in a build with
// CUDA, verify/device_memory_absent.cpp, which is never reached, in one without.
#pragma once

#include <xpose/config.hpp>

namespace xpose::tools {

/// A block of device memory. Everything throws std::runtime_error with the CUDA runtime's words.
class device_memory {
 public:
  device_memory() = default;
  explicit device_memory(index bytes);
  device_memory(device_memory&& other) noexcept : data_(other.data_) { other.data_ = nullptr; }
  device_memory& operator=(device_memory&& other) noexcept;
  ~device_memory();

  char* data() const { return data_; }

  void copy_from_host(index offset, void const* host, index bytes) const;
  void copy_to_host(void* host, index offset, index bytes) const;

 private:
  char* data_ = nullptr;
};

}  // namespace xpose::tools
