// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A device for tests of the command without a GPU: its memory is host memory, in which omp, to
// which xpose::cuda falls back, does the work. It is small, so that matrices take many panels, and
// so is the pinned buffer, so that panels take many runs. New memory is full of poison, so that
// what is not copied shows.

#include "staging/device_memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace xpose::tools {
namespace {

constexpr index bytes_of_device = 32 << 20;
constexpr index bytes_of_buffer = 8192;

char* poisoned(index bytes) {
  auto const size = static_cast<std::size_t>(bytes);
  auto* const memory = static_cast<char*>(std::aligned_alloc(256, (size + 255) / 256 * 256));
  std::memset(memory, 0xa5, size);
  return memory;
}

}  // namespace

bool is_device_usable(char* reason, std::size_t reason_bytes) {
  std::snprintf(reason, reason_bytes, "a device in host memory");
  return true;
}

index free_device_bytes() { return bytes_of_device; }

device_memory::device_memory(index bytes) : data_(poisoned(bytes)) {}
device_memory& device_memory::operator=(device_memory&& other) noexcept {
  std::swap(data_, other.data_);
  return *this;
}
device_memory::~device_memory() { std::free(data_); }

void device_memory::copy_from_host(index offset, void const* host, index bytes) const {
  std::memcpy(data_ + offset, host, static_cast<std::size_t>(bytes));
}
void device_memory::copy_to_host(void* host, index offset, index bytes) const {
  std::memcpy(host, data_ + offset, static_cast<std::size_t>(bytes));
}

pinned_memory::pinned_memory(index bytes)
    : data_(poisoned(std::min(bytes, bytes_of_buffer))), bytes_(std::min(bytes, bytes_of_buffer)) {}
pinned_memory::~pinned_memory() { std::free(data_); }

}  // namespace xpose::tools
