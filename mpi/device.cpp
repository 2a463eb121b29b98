// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "device.hpp"

#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/backends/cuda/runtime/workspace.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

cudaStream_t as_stream(void* handle) { return static_cast<cudaStream_t>(handle); }
cudaEvent_t as_event(void* handle) { return static_cast<cudaEvent_t>(handle); }

}  // namespace

bool is_same_device(device_identity const& a, device_identity const& b) {
  if (std::memcmp(a.uuid, b.uuid, sizeof a.uuid) == 0) return true;
  return std::memcmp(a.host, b.host, sizeof a.host) == 0 &&
         std::memcmp(a.pci, b.pci, sizeof a.pci) == 0;
}

int device_of_call(execution const& where) {
  int device = 0;
  [[maybe_unused]] bool const is_default = where.stream == nullptr ||
                                           where.stream == stream_of(default_stream::legacy) ||
                                           where.stream == stream_of(default_stream::per_thread);
#if CUDART_VERSION >= 12080
  if (!is_default) {
    check_cuda(cudaStreamGetDevice(stream_of(where), &device), "cudaStreamGetDevice");
    return device;
  }
#endif
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

message_memory device_memory(execution const& where, index bytes) {
  if (bytes == 0) return {};
  auto const workspace = std::make_shared<stream_workspace>(where, bytes);
  return {workspace, workspace->data()};
}

bool pin(void* data, index bytes) noexcept {
  if (cudaHostRegister(data, static_cast<std::size_t>(bytes), cudaHostRegisterPortable) ==
      cudaSuccess)
    return true;
  cudaGetLastError();
  return false;
}
void unpin(void* data) noexcept {
  if (cudaHostUnregister(data) != cudaSuccess) cudaGetLastError();
}

void device_queues::take_streams() {
  for (device_stream const s : {device_stream::unpack, device_stream::wire}) {
    void*& handle = streams_[static_cast<int>(s)];
    if (handle != nullptr) continue;
    cudaStream_t made = nullptr;
    check_cuda(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking),
               "cudaStreamCreateWithFlags");
    handle = made;
  }
  for (void*& event : events_) {
    if (event != nullptr) continue;
    cudaEvent_t made = nullptr;
    check_cuda(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    event = made;
  }
}

void device_queues::begin(execution const& where) {
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  if (device != device_) free();
  device_ = device;
  local_ = where;
  streams_[static_cast<int>(device_stream::policy)] = where.stream;
  fault_ = {};
  take_streams();
  auto const first = as_event(events_[0]);
  check_cuda(cudaEventRecord(first, stream_of(where)), "cudaEventRecord");
  for (device_stream const s : {device_stream::unpack, device_stream::wire})
    check_cuda(cudaStreamWaitEvent(as_stream(handle(s)), first, 0), "cudaStreamWaitEvent");
}

void device_queues::reserve_pinned(index bytes) {
  if (bytes <= pinned_bytes_) return;
  if (pinned_ != nullptr) check_cuda(cudaFreeHost(pinned_), "cudaFreeHost");
  pinned_ = nullptr;
  pinned_bytes_ = 0;
  void* made = nullptr;
  check_cuda(cudaHostAlloc(&made, static_cast<std::size_t>(bytes), cudaHostAllocPortable),
             "cudaHostAlloc");
  pinned_ = static_cast<std::byte*>(made);
  pinned_bytes_ = bytes;
}

device_identity device_queues::identity() const {
  device_identity id{};
  gethostname(id.host, sizeof id.host - 1);
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, device_), "cudaGetDeviceProperties");
  std::memcpy(id.uuid, &properties.uuid, sizeof id.uuid);
  id.pci[0] = properties.pciDomainID;
  id.pci[1] = properties.pciBusID;
  id.pci[2] = properties.pciDeviceID;
  return id;
}

execution device_queues::on(device_stream s) const noexcept {
  execution where = local_;
  where.stream = handle(s);
  where.nosync = true;
  return where;
}

void device_queues::record(int event, device_stream s) noexcept {
  try {
    check_cuda(cudaEventRecord(as_event(events_[event]), as_stream(handle(s))), "cudaEventRecord");
  } catch (...) {
    note_fault();
  }
}

void device_queues::wait(device_stream s, int event) noexcept {
  try {
    check_cuda(cudaStreamWaitEvent(as_stream(handle(s)), as_event(events_[event]), 0),
               "cudaStreamWaitEvent");
  } catch (...) {
    note_fault();
  }
}

bool device_queues::is_done(int event) noexcept {
  cudaError_t const status = cudaEventQuery(as_event(events_[event]));
  if (status == cudaErrorNotReady) {
    cudaGetLastError();
    return false;
  }
  try {
    check_cuda(status, "cudaEventQuery");
  } catch (...) {
    note_fault();
  }
  return true;
}

void device_queues::finish() noexcept {
  for (void* const stream : streams_) {
    cudaError_t const status = cudaStreamSynchronize(as_stream(stream));
    if (status == cudaSuccess) continue;
    try {
      check_cuda(status, "cudaStreamSynchronize");
    } catch (...) {
      note_fault();
    }
    // What was told may be an error of other work, and this stream still use the call's memory.
    if (cudaStreamSynchronize(as_stream(stream)) != cudaSuccess) cudaGetLastError();
  }
}

void device_queues::note_fault() noexcept {
  try {
    note_fault(refusal_in_flight());
  } catch (...) {
    fault_.kind = error_kind::memory;
  }
}

void device_queues::note_fault(refusal const& fault) noexcept {
  if (!has_fault()) fault_ = fault;
}

refusal device_queues::take_fault() noexcept { return std::exchange(fault_, {}); }

void device_queues::free() noexcept {
  for (void*& event : events_)
    if (event != nullptr) cudaEventDestroy(as_event(std::exchange(event, nullptr)));
  for (device_stream const s : {device_stream::unpack, device_stream::wire}) {
    void*& handle = streams_[static_cast<int>(s)];
    if (handle != nullptr) cudaStreamDestroy(as_stream(std::exchange(handle, nullptr)));
  }
  if (pinned_ != nullptr) cudaFreeHost(std::exchange(pinned_, nullptr));
  pinned_bytes_ = 0;
  if (device_ >= 0) cudaGetLastError();  // of a process that ends, or a device that was reset
  device_ = -1;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
