// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The calls of the runtime that tune() makes: memory, streams and events of its own. Between
// two events as much time passes as the kernels launched there are said to take.

#include "fake_clock.hpp"
#include "fake_state.hpp"
#include "fake_streams.hpp"

#include <cstdlib>

using xpose::detail::residency;

namespace {

constexpr std::size_t unused_bytes = std::size_t{64} << 20;

std::map<void const*, double> times;
std::map<cudaEvent_t, std::size_t> launches_before;
std::uintptr_t handles = std::uintptr_t{1} << 20;

template <class Handle>
Handle new_handle() {
  return reinterpret_cast<Handle>(handles += 16);
}

}  // namespace

namespace fake {

void set_time_of(void const* kernel, double milliseconds) {
  guard const lock;
  times[kernel] = milliseconds;
}

int things_of_tuning() {
  guard const lock;
  return static_cast<int>(now.memory.size() + now.streams.size() + launches_before.size());
}

}  // namespace fake

using namespace fake;

extern "C" {

cudaError_t __wrap_cudaMemGetInfo(std::size_t* unused, std::size_t* all) {
  return perform("cudaMemGetInfo", [&] {
    *unused = *all = unused_bytes;
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaMalloc(void** data, std::size_t bytes) {
  return perform("cudaMalloc", [&] {
    if (posix_memalign(data, 256, bytes) != 0) return cudaErrorMemoryAllocation;
    now.memory[static_cast<char*>(*data)] = {bytes, residency::device, device_in_use()};
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaFree(void* data) {
  return perform("cudaFree", [&] {
    if (data == nullptr) return cudaSuccess;
    if (now.memory.erase(static_cast<char*>(data)) != 1) return cudaErrorInvalidValue;
    std::free(data);
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return perform("cudaStreamCreateWithFlags", [&] {
    *stream = new_handle<cudaStream_t>();
    now.streams[*stream] = {device_in_use(), stream_state::idle, {}};
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaStreamDestroy(cudaStream_t stream) {
  return perform("cudaStreamDestroy", [&] {
    return now.streams.erase(stream) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t __wrap_cudaEventCreate(cudaEvent_t* event) {
  return perform("cudaEventCreate", [&] {
    *event = new_handle<cudaEvent_t>();
    launches_before[*event] = 0;
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return perform("cudaEventCreateWithFlags", [&] {
    *event = new_handle<cudaEvent_t>();
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaEventDestroy(cudaEvent_t event) {
  return perform("cudaEventDestroy", [&] {
    return launches_before.erase(event) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return perform("cudaEventRecord", [&] {
    launches_before[event] = now.launches.size();
    record_on_stream(event, stream);
    return not_of_this_device(stream);
  });
}

cudaError_t __wrap_cudaEventSynchronize(cudaEvent_t event) {
  return perform("cudaEventSynchronize", [&] {
    finish_event(event);
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaEventQuery(cudaEvent_t event) {
  return perform("cudaEventQuery",
                 [&] { return is_event_done(event) ? cudaSuccess : cudaErrorNotReady; });
}

cudaError_t __wrap_cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return perform("cudaEventElapsedTime", [&] {
    double sum = 0;
    for (std::size_t n = launches_before[begin]; n < launches_before[end]; ++n) {
      auto const known = times.find(now.launches[n].kernel);
      sum += known == times.end() ? 1 : known->second;
    }
    *milliseconds = static_cast<float>(sum);
    return cudaSuccess;
  });
}
}
