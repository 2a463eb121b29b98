// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What distributed calls use of a CUDA device: streams, events, pinned memory, kept by the context.
// A build without CUDA takes device_not_built.cpp: there xpose::cuda falls back to the processor,
// and none of it is called.
#pragma once

#include "message_memory.hpp"
#include "refusal.hpp"

#include <xpose/detail/execution.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Which device, of all nodes: equal for two processes that have the same.
struct device_identity {
  char host[64];
  char uuid[16];
  int pci[3];  // domain, bus, device: those of a part of a GPU are the GPU's
};
bool is_same_device(device_identity const& a, device_identity const& b);

/// Work before the call is on the policy's stream. Packing follows it there; unpacking has a stream
/// of its own, so that the bus moves both ways at a time; `wire` is NCCL's.
enum class device_stream : int { policy, unpack, wire };

/// The device of the policy's stream; for a default stream the current one. Throws cuda_error.
int device_of_call(execution const& where);

/// Memory of the current device from the policy; given back in the order of the policy's stream.
/// Throws std::bad_alloc, cuda_error, and what the policy's allocator throws.
message_memory device_memory(execution const& where, index bytes);

/// Whether kernels reach this memory of the host from now on.
bool pin(void* data, index bytes) noexcept;
void unpin(void* data) noexcept;

/// Errors after begin() are kept for take_fault(), since a process cannot leave a move that others
/// are in: it goes on and sends what it has.
class device_queues {
 public:
  static constexpr int most_events = 16;

  device_queues() = default;
  ~device_queues() { free(); }
  device_queues(device_queues const&) = delete;
  device_queues& operator=(device_queues const&) = delete;

  /// For a call whose device is current. Takes what is lacking, and lets the other streams wait for
  /// the policy's. Throws std::bad_alloc, cuda_error.
  void begin(execution const& where);
  /// Throws std::bad_alloc, cuda_error. The memory of an earlier call may move.
  void reserve_pinned(index bytes);
  std::byte* pinned() const { return pinned_; }

  int device() const { return device_; }
  device_identity identity() const;
  /// The policy, without waiting, on a stream of the call.
  execution on(device_stream s) const noexcept;
  void* handle(device_stream s) const noexcept { return streams_[static_cast<int>(s)]; }

  /// Events 0 to most_events - 1.
  void record(int event, device_stream s) noexcept;
  void wait(device_stream s, int event) noexcept;
  bool is_done(int event) noexcept;
  /// Until all that was enqueued is done.
  void finish() noexcept;

  /// The exception that is being handled; the first one counts.
  void note_fault() noexcept;
  void note_fault(refusal const& fault) noexcept;
  bool has_fault() const { return fault_.kind != error_kind::none; }
  refusal take_fault() noexcept;

  void free() noexcept;

 private:
  void take_streams();

  int device_ = -1;
  execution local_{};
  void* streams_[3] = {};
  void* events_[most_events] = {};
  std::byte* pinned_ = nullptr;
  index pinned_bytes_ = 0;
  refusal fault_;
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
