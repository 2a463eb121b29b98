// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Streams, events and pinned memory that calls across memories borrow. Making them costs as much as
// moving megabytes, so the process keeps them.
#pragma once

#include <xpose/config.hpp>

#include <cuda_runtime_api.h>

#include <vector>

namespace xpose::detail {

/// Of one device, for one call at a time.
struct lane_set {
  int device;
  cudaStream_t in = nullptr;       // from the host, or another device
  cudaStream_t out = nullptr;      // to the host
  cudaStream_t compute = nullptr;  // for calls on several devices; else the policy's is used
  std::vector<cudaEvent_t> events;
  index device_bytes = 0;  // of the device's memory
};

/// Borrows a set of the current device; throws cuda_error.
class lanes {
 public:
  lanes();
  ~lanes();
  lanes(lanes const&) = delete;
  lanes& operator=(lanes const&) = delete;

  lane_set const* operator->() const { return set_; }
  /// One that this call has not asked for yet, without a time.
  cudaEvent_t next_event();

 private:
  lane_set* set_;
  std::size_t events_used_ = 0;
};

/// Borrows blocks of pinned memory, which every device reaches.
class pinned_blocks {
 public:
  /// 4 MiB: a processor packs one while the bus moves another, in a tenth of a millisecond.
  static constexpr index block_bytes = index{4} << 20;

  /// Throws std::bad_alloc, and cuda_error, if the host's memory cannot be pinned.
  explicit pinned_blocks(int count);
  ~pinned_blocks();
  pinned_blocks(pinned_blocks const&) = delete;
  pinned_blocks& operator=(pinned_blocks const&) = delete;

  char* operator[](std::size_t number) const { return blocks_[number]; }

 private:
  void give_back();

  std::vector<char*> blocks_;
};

}  // namespace xpose::detail
