// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Memory of the CUDA device for data that come from files. staging/device_memory_cuda.cpp in a
// build with CUDA, staging/device_memory_absent.cpp, which is never reached, in one without.
#pragma once

#include <xpose/config.hpp>

namespace xpose::tools {

/// Whether --policy cuda has a device here, and the sentence that says so.
bool is_device_usable(char* reason, std::size_t reason_bytes);

/// Bytes that can be allocated on the device now. Throws std::runtime_error.
index free_device_bytes();

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

/// Host memory that the device copies from and to at full speed.
class pinned_memory {
 public:
  explicit pinned_memory(index bytes);
  pinned_memory(pinned_memory const&) = delete;
  pinned_memory& operator=(pinned_memory const&) = delete;
  ~pinned_memory();

  char* data() const { return data_; }
  index bytes() const { return bytes_; }

 private:
  char* data_ = nullptr;
  index bytes_;
};

}  // namespace xpose::tools
