// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "memory.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

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
void free_on_device(void* data) { cudaFree(data); }
void copy_across(void* to, void const* from, std::size_t bytes) {
  require(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
  // From pageable memory it returns before the last of it has arrived, which streams that do not
  // wait for the default one would overtake.
  require(cudaStreamSynchronize(nullptr));
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

/// Blocks between guards that are waiting for their next operand: system calls and page faults for
/// each took ten times as long as the cases that run in it.
std::vector<std::unique_ptr<guarded_memory>> free_blocks;

std::unique_ptr<guarded_memory> take_block(std::size_t bytes) {
  auto const fits = [bytes](auto const& block) { return block->bytes() >= bytes; };
  auto const found = std::find_if(free_blocks.begin(), free_blocks.end(), fits);
  if (found == free_blocks.end())
    return std::make_unique<guarded_memory>(std::max(2 * bytes, std::size_t{1} << 20));
  auto block = std::move(*found);
  free_blocks.erase(found);
  return block;
}

std::byte* allocate(place where, std::size_t bytes, std::unique_ptr<guarded_memory>& block) {
  if (where == place::device) return static_cast<std::byte*>(allocate_on_device(bytes));
  if (where == place::host) return static_cast<std::byte*>(::operator new(bytes, host_alignment));
  block = take_block(bytes);
  return block->operand(where == place::host_guard_before ? guard::before : guard::behind, bytes);
}

}  // namespace

place_memory::place_memory(place where, std::size_t bytes)
    : where_(where), bytes_(bytes), data_(allocate(where, bytes, block_)) {}

place_memory::~place_memory() {
  if (where_ == place::host) ::operator delete(data_, host_alignment);
  if (where_ == place::device) free_on_device(data_);
  if (block_ != nullptr) free_blocks.push_back(std::move(block_));
}

void place_memory::write(void const* from) {
  if (where_ == place::device) copy_across(data_, from, bytes_);
  else std::memcpy(data_, from, bytes_);
}

void place_memory::read(void* to) const {
  if (where_ == place::device) copy_across(to, data_, bytes_);
  else std::memcpy(to, data_, bytes_);
}

bool place_memory::holds(void const* expected) const {
  if (where_ != place::device) return std::memcmp(data_, expected, bytes_) == 0;
  std::vector<std::byte> fetched(bytes_);
  read(fetched.data());
  return std::memcmp(fetched.data(), expected, bytes_) == 0;
}
