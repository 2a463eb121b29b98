// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Temporary memory of one call from the allocator of its policy.
#pragma once

#include <xpose/detail/execution.hpp>

#include <new>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Whether a call takes temporary memory from its policy. Not if it fell back from cuda to another
/// backend: the policy's allocator gives device memory.
inline bool brings_memory(execution const& where, backend_id backend) {
  return where.memory.allocate != nullptr &&
         (where.backend != backend_id::cuda || backend == backend_id::cuda);
}

/// Aligned to 256 bytes, as cudaMalloc is; an allocator promises only the alignment of its
/// value_type.
class given_memory {
 public:
  /// Throws what the allocator throws, and std::bad_alloc if it returns null.
  given_memory(execution const& where, index bytes)
      : source_(where.memory),
        stream_(where.stream),
        bytes_(static_cast<std::size_t>(bytes) + alignment - 1),
        given_(source_.allocate(source_.context, bytes_, stream_)) {
    if (given_ == nullptr) throw std::bad_alloc();
  }
  ~given_memory() {
    try {
      source_.deallocate(source_.context, given_, bytes_, stream_);
    } catch (...) {  // the call itself has succeeded, or has already thrown
    }
  }
  given_memory(given_memory const&) = delete;
  given_memory& operator=(given_memory const&) = delete;

  char* data() const {
    auto const beyond = reinterpret_cast<std::uintptr_t>(given_) % alignment;
    return static_cast<char*>(given_) + (beyond == 0 ? 0 : alignment - beyond);
  }

 private:
  static constexpr std::size_t alignment = 256;

  memory_source source_;
  void* stream_;
  std::size_t bytes_;
  void* given_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
