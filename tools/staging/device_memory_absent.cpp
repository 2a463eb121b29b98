// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "staging/device_memory.hpp"

#include "terminal/failure.hpp"

#include <xpose/explain.hpp>

namespace xpose::tools {
namespace {

[[noreturn]] void refuse() {
  throw failure("cuda", "this build of xpose has no CUDA; use --policy omp");
}

}  // namespace

bool is_device_usable(char* reason, std::size_t reason_bytes) {
  return detail::cuda_is_available(reason, reason_bytes);
}

index free_device_bytes() { refuse(); }

device_memory::device_memory(index) { refuse(); }
device_memory& device_memory::operator=(device_memory&&) noexcept { return *this; }
device_memory::~device_memory() = default;

void device_memory::copy_from_host(index, void const*, index) const { refuse(); }
void device_memory::copy_to_host(void*, index, index) const { refuse(); }

pinned_memory::pinned_memory(index bytes) : bytes_(bytes) { refuse(); }
pinned_memory::~pinned_memory() = default;

}  // namespace xpose::tools
