// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Picks the fastest of a library's algorithms for a case, timed as the bench times candidates:
// behind a spinning kernel, on operands that rotate past the L2 cache where the bench's do, round
// by round. Below 30 us, five calls in a row with their launches left the pick to noise.
#pragma once

#include "core/rotation.hpp"
#include "cuda/check.hpp"
#include "peers/cuda/device_library.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace xpose::bench {

struct operand_memory {
  void* data;
  std::size_t bytes;
  bool is_input;  ///< else its contents do not matter
};

/// The operands of a case and as many copies as make calls find nothing in L2. Copies have the
/// alignment of what they copy.
class operand_sets {
 public:
  operand_sets(std::vector<operand_memory> given, cudaStream_t stream) : given_(std::move(given)) {
    std::size_t bytes = 0;
    for (auto const& operand : given_) bytes += operand.bytes + largest_alignment;
    int const wanted = sets_wanted(bytes);
    for (int set = 1; set < wanted; ++set)
      for (auto const& operand : given_) copies_.push_back(copy_of(operand, stream));
  }

  int count() const { return 1 + static_cast<int>(copies_.size() / given_.size()); }
  void* at(int set, std::size_t operand) const {
    if (set == 0) return given_[operand].data;
    auto const copy = static_cast<std::size_t>(set - 1) * given_.size() + operand;
    return static_cast<char*>(copies_[copy].get()) + offset_of(given_[operand]);
  }

 private:
  struct device_free {
    void operator()(void* memory) const { cudaFree(memory); }
  };
  using device_memory = std::unique_ptr<void, device_free>;

  static std::size_t offset_of(operand_memory const& operand) {
    return reinterpret_cast<std::uintptr_t>(operand.data) % largest_alignment;
  }

  /// The bench's own rule; one set if there is little memory.
  static int sets_wanted(std::size_t bytes) {
    int device = 0;
    int cache = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device), "cudaDeviceGetAttribute");
    auto const cache_bytes = static_cast<std::size_t>(cache);
    if (stays_in_cache(bytes, cache_bytes)) return 1;
    std::size_t const sets = sets_past_cache(bytes, cache_bytes);
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return sets * bytes > free / 2 ? 1 : static_cast<int>(sets);
  }

  static device_memory copy_of(operand_memory const& operand, cudaStream_t stream) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, operand.bytes + largest_alignment), "cudaMalloc");
    device_memory copy(memory);
    if (operand.is_input)
      check(cudaMemcpyAsync(static_cast<char*>(memory) + offset_of(operand), operand.data,
                            operand.bytes, cudaMemcpyDeviceToDevice, stream),
            "cudaMemcpyAsync");
    return copy;
  }

  std::vector<operand_memory> given_;
  std::vector<device_memory> copies_;
};

/// Enqueues one call on operand set number set; throws if it cannot.
using call_on_set = std::function<void(int set)>;

/// The index in calls. Those that fail drop out; throws the last failure if none is left.
std::size_t pick_fastest(std::vector<call_on_set> const& calls, int sets, cudaStream_t stream);

}  // namespace xpose::bench
