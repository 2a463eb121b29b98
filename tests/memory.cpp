// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "memory.hpp"

#include <new>
#include <stdexcept>

#if XPOSE_TESTS_HAVE_CUDA
#include <cuda_runtime_api.h>
namespace {
void require(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}
void* allocate_on_device(std::size_t bytes) {
  void* data = nullptr;
  require(cudaMalloc(&data, bytes));
  return data;
}
void free_on_device(void* data) {
  cudaFree(data);
}
void copy_across(void* to, void const* from, std::size_t bytes) {
  require(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}
}  // namespace
#else
namespace {
void* allocate_on_device(std::size_t) {
  throw std::runtime_error("these tests were built without CUDA");
}
void free_on_device(void*) {}
void copy_across(void*, void const*, std::size_t) {}
}  // namespace
#endif

namespace {
constexpr std::align_val_t host_alignment{256};  // as cudaMalloc's
}

place_memory::place_memory(place where, std::size_t bytes)
    : where_(where),
      bytes_(bytes),
      data_(static_cast<std::byte*>(where == place::host ? ::operator new(bytes, host_alignment)
                                                         : allocate_on_device(bytes))) {}

place_memory::~place_memory() {
  if (where_ == place::host) ::operator delete(data_, host_alignment);
  else free_on_device(data_);
}

void place_memory::write(void const* from) {
  if (where_ == place::host) std::memcpy(data_, from, bytes_);
  else copy_across(data_, from, bytes_);
}

void place_memory::read(void* to) const {
  if (where_ == place::host) std::memcpy(to, data_, bytes_);
  else copy_across(to, data_, bytes_);
}
