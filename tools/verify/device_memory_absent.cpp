// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/device_memory.hpp"

#include "terminal/failure.hpp"

namespace xpose::tools {
namespace {

[[noreturn]] void refuse() {
  throw failure("cuda", "this build of xpose has no CUDA; use --policy omp");
}

}  // namespace

device_memory::device_memory(index) { refuse(); }
device_memory& device_memory::operator=(device_memory&&) noexcept { return *this; }
device_memory::~device_memory() = default;

void device_memory::copy_from_host(index, void const*, index) const { refuse(); }
void device_memory::copy_to_host(void*, index, index) const { refuse(); }

}  // namespace xpose::tools
