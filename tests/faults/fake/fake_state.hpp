// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the runtime and the driver of faults/fake/fake_runtime.hpp remember, between them alone.
#pragma once

#include "fake_runtime.hpp"

#include <cuda.h>

#include <map>
#include <mutex>
#include <utility>

namespace fake {

struct allocation {
  std::size_t bytes;
  xpose::detail::residency where;
  int device;
};

struct stream_state {
  int device;
  enum { idle, captured, broken } capture;
  std::vector<launch> nodes;
};

/// What all blocks may have without being asked for, and with it.
inline constexpr int unasked_bytes = 48 << 10;
inline constexpr int most_bytes = 227 << 10;

struct runtime {
  int devices = 1;
  std::vector<call> calls;
  std::vector<launch> launches;
  fake::fault fault{-1, false, cudaSuccess};
  cudaError_t loss = cudaSuccess;
  bool has_peer_access = false;
  bool forgets_pointers = false;
  bool has_memory_pools = true;
  bool yields_at_limits = false;
  int resets = 0;
  int identity = 0;
  fake::capabilities capabilities;
  std::set<int> devices_without_code;
  std::set<int> contexts;
  std::map<std::pair<void const*, int>, int> limits;  // on dynamic shared memory, of a kernel
  std::map<void const*, std::set<int>> limits_set;
  std::map<std::pair<cudaMemPool_t, cudaMemPoolAttr>, int> pool_attributes;
  std::map<cudaStream_t, stream_state> streams;
  std::map<cudaMemPool_t, int> device_of_pool;
  std::map<void*, int> blocks;  // of pools
  int blocks_left = -1;         // negative: as many as are asked for
  std::map<char*, allocation> memory;
};

inline std::mutex one_at_a_time;
inline runtime now;
inline thread_local cudaError_t pending = cudaSuccess;
inline thread_local int device_of_thread = 0;
inline thread_local std::vector<int>
    pushed;  // devices whose contexts the driver's interface made current
inline thread_local cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;

inline thread_local bool is_inside = false;

struct guard {
  guard() { is_inside = true; }
  ~guard() { is_inside = false; }
  guard(guard const&) = delete;
  guard& operator=(guard const&) = delete;
  std::lock_guard<std::mutex> const lock{one_at_a_time};
};

/// Writes a call down with the result it has: that of `act`, unless it is to fail.
template <class Act>
cudaError_t perform(char const* name, Act const& act) {
  guard const lock;
  auto const number = static_cast<int>(now.calls.size());
  bool const fails = now.fault.first >= 0 && (number == now.fault.first ||
                                              (now.fault.for_ever && number > now.fault.first));
  cudaError_t const result = now.loss != cudaSuccess ? now.loss : fails ? now.fault.error : act();
  if (xpose::detail::means_device_lost(static_cast<int>(result))) now.loss = result;
  if (result != cudaSuccess) pending = result;
  now.calls.push_back({name, result});
  return result;
}

/// As perform, for the driver's functions, of which the runtime does not hear.
template <class Act>
CUresult perform_in_driver(char const* name, Act const& act) {
  cudaError_t const last = pending;
  cudaError_t const result = perform(name, act);
  pending = last;
  return static_cast<CUresult>(result);
}

inline int device_in_use() { return pushed.empty() ? device_of_thread : pushed.back(); }

inline int device_of(cudaStream_t stream) {
  auto const found = now.streams.find(stream);
  return found == now.streams.end() ? device_in_use() : found->second.device;
}

/// Of what needs the code of a kernel on the current device.
inline cudaError_t load_kernel() {
  now.contexts.insert(device_in_use());
  return now.devices_without_code.count(device_in_use()) == 0 ? cudaSuccess
                                                              : cudaErrorNoKernelImageForDevice;
}

inline int limit_of(void const* kernel, int device) {
  auto const found = now.limits.find({kernel, device});
  return found == now.limits.end() ? unasked_bytes - static_cast<int>(now.capabilities.shared_bytes)
                                   : found->second;
}

inline bool is_captured(cudaStream_t stream) {
  auto const found = now.streams.find(stream);
  return found != now.streams.end() && found->second.capture == stream_state::captured;
}

/// What CUDA answers to what a capture does not permit.
inline cudaError_t break_capture(cudaStream_t stream) {
  now.streams.at(stream).capture = stream_state::broken;
  return cudaErrorStreamCaptureUnsupported;
}

inline cudaError_t not_of_this_device(cudaStream_t stream) {
  return device_of(stream) == device_in_use() ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

}  // namespace fake
