// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/device_memory.hpp"

#include "terminal/failure.hpp"

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

}  // namespace xpose::tools
