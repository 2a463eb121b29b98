// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Streams, events and pinned memory that calls across memories borrow. Making them costs as much as
// moving megabytes, so the process keeps them: as many as calls had at a time.
#pragma once

#include <xpose/config.hpp>

#include <cuda_runtime_api.h>

#include <vector>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Of one device, for one call at a time.
struct lane_set {
  int device;
  unsigned long long context;      // that they belong to; cudaDeviceReset ends it, and them
  cudaStream_t in = nullptr;       // from the host, or another device
  cudaStream_t out = nullptr;      // to the host
  cudaStream_t compute = nullptr;  // for calls on several devices; else the policy's is used
  std::vector<cudaEvent_t> events;
  index device_bytes = 0;  // of the device's memory
};

/// Borrows a set of the current device; throws cuda_error.
class lanes {
 public:
  /// Of a block. The cores pack one while the bus moves another, which takes 0.15 ms. Pieces of 2
  /// MiB, of which less waits for the first or follows the last, are slower: 64 MB at 25 GB/s in
  /// and 24 out, in blocks of 8 MiB at 38 and 42; scattered elements at 5, not 12 (H100, 12 of 16
  /// cores).
  static constexpr index block_bytes = index{8} << 20;

  lanes();
  ~lanes();
  lanes(lanes const&) = delete;
  lanes& operator=(lanes const&) = delete;

  lane_set const* operator->() const { return set_; }
  /// One that this call has not asked for yet, without a time.
  cudaEvent_t next_event();
  /// Throws std::bad_alloc, and cuda_error, if the host's memory cannot be pinned.
  char* next_block();

 private:
  lane_set* set_;
  std::size_t events_used_ = 0;
  std::vector<char*> blocks_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
