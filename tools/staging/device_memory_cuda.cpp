// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "staging/device_memory.hpp"

#include "terminal/failure.hpp"

#include <xpose/explain.hpp>

#include <cuda_runtime_api.h>

#include <utility>

namespace xpose::tools {
namespace {

void check(cudaError_t status, char const* call, index bytes) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // not to be found again by the next call
  throw failure("cuda", call, " of ", bytes, " bytes failed: ", cudaGetErrorName(status), " (",
                cudaGetErrorString(status), "); use --policy omp");
}

std::size_t size(index bytes) { return static_cast<std::size_t>(bytes); }

}  // namespace

bool is_device_usable(char* reason, std::size_t reason_bytes) {
  return detail::cuda_is_available(reason, reason_bytes);
}

index free_device_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo", 0);
  return static_cast<index>(free);
}

device_memory::device_memory(index bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, size(bytes)), "cudaMalloc", bytes);
  data_ = static_cast<char*>(memory);
}

device_memory& device_memory::operator=(device_memory&& other) noexcept {
  std::swap(data_, other.data_);
  return *this;
}

device_memory::~device_memory() {
  // cudaFree(nullptr) would create a context: 0.3 s in a run that never needed the device.
  if (data_ != nullptr) cudaFree(data_);
}

void device_memory::copy_from_host(index offset, void const* host, index bytes) const {
  check(cudaMemcpy(data_ + offset, host, size(bytes), cudaMemcpyHostToDevice),
        "the copy to the device", bytes);
}

void device_memory::copy_to_host(void* host, index offset, index bytes) const {
  check(cudaMemcpy(host, data_ + offset, size(bytes), cudaMemcpyDeviceToHost),
        "the copy from the device", bytes);
}

pinned_memory::pinned_memory(index bytes) : bytes_(bytes) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, size(bytes)), "cudaMallocHost", bytes);
  data_ = static_cast<char*>(memory);
}

pinned_memory::~pinned_memory() { cudaFreeHost(data_); }

}  // namespace xpose::tools
