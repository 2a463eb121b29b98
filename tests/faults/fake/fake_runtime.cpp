// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "fake_state.hpp"
#include "fake_streams.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

using xpose::detail::residency;

namespace fake {

void start(int devices) {
  guard const lock;
  now = runtime{};
  now.devices = devices;
}
void fail(fault const& f) {
  guard const lock;
  now.calls.clear();
  now.fault = f;
}
std::vector<call> calls() {
  guard const lock;
  return now.calls;
}
std::vector<launch> launches() {
  guard const lock;
  return now.launches;
}
int blocks_not_freed() {
  guard const lock;
  return static_cast<int>(now.blocks.size());
}
int pools() {
  guard const lock;
  return static_cast<int>(now.device_of_pool.size());
}
bool is_running() { return is_inside; }
cudaError_t last_error() { return pending; }
void leave_error(cudaError_t error) { pending = error; }
int current_device() { return device_in_use(); }
void pop_all() { pushed.clear(); }
std::set<int> devices_with_context() {
  guard const lock;
  return now.contexts;
}
void remove_code(int device) { now.devices_without_code.insert(device); }
void reset_devices() { ++now.resets; }
void allow_blocks(int count) {
  guard const lock;
  now.blocks_left = count;
}
void remove_memory_pools() { now.has_memory_pools = false; }
std::vector<int> pool_attribute(cudaMemPoolAttr attribute) {
  guard const lock;
  std::vector<int> values;
  for (auto const& [pool, device] : now.device_of_pool) {
    auto const found = now.pool_attributes.find({pool, attribute});
    values.push_back(found == now.pool_attributes.end() ? -1 : found->second);
  }
  return values;
}
std::map<void const*, std::set<int>> limits_set() {
  guard const lock;
  return now.limits_set;
}
void yield_at_limits() { now.yields_at_limits = true; }
void set_identity(int number) { now.identity = number; }
void allow_peer_access() { now.has_peer_access = true; }
void set_capabilities(capabilities const& c) { now.capabilities = c; }
void forget_pointers_when_lost() { now.forgets_pointers = true; }

stream::stream(int device) {
  guard const lock;
  now.streams[handle()] = {device, stream_state::idle, {}};
  now.contexts.insert(device);
}
stream::~stream() {
  guard const lock;
  now.streams.erase(handle());
}
void stream::begin_capture() { now.streams.at(handle()).capture = stream_state::captured; }
bool stream::is_captured_still() const { return is_captured(handle()); }
cudaError_t stream::instantiate() const {
  guard const lock;
  for (launch const& node : now.streams.at(handle()).nodes)
    if (node.shared_bytes > limit_of(node.kernel, node.device)) return cudaErrorInvalidValue;
  return cudaSuccess;
}

memory::memory(residency where, std::size_t bytes, int device) : data_(std::calloc(1, bytes)) {
  guard const lock;
  if (where != residency::unknown_to_cuda)
    now.memory[static_cast<char*>(data_)] = {bytes, where, device};
  if (where == residency::device) now.contexts.insert(device);
}
memory::~memory() {
  guard const lock;
  now.memory.erase(static_cast<char*>(data_));
  std::free(data_);
}

}  // namespace fake

using namespace fake;

// The linker sends the library's calls of f to __wrap_f, and __real_f to f.
extern "C" {

cudaError_t __wrap_cudaGetLastError() {
  guard const lock;
  cudaError_t const last = now.loss != cudaSuccess ? now.loss : pending;
  pending = cudaSuccess;
  return last;
}

cudaError_t __wrap_cudaGetDeviceCount(int* count) {
  return perform("cudaGetDeviceCount", [&] {
    *count = now.devices;
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaGetDevice(int* device) {
  return perform("cudaGetDevice", [&] {
    *device = device_in_use();
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaSetDevice(int device) {
  return perform("cudaSetDevice", [&] {
    if (device < 0 || device >= now.devices) return cudaErrorInvalidDevice;
    device_of_thread = device;
    pushed.clear();
    now.contexts.insert(device);
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaInitDevice(int device, unsigned, unsigned) {
  return perform("cudaInitDevice", [&] {
    if (device < 0 || device >= now.devices) return cudaErrorInvalidDevice;
    now.contexts.insert(device);
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  return perform("cudaGetDeviceProperties", [&] {
    *properties = {};
    std::strcpy(properties->name, "fake");
    properties->major = 9;
    properties->totalGlobalMem = std::size_t{80} << 30;
    properties->pciBusID = now.identity;
    properties->uuid.bytes[0] = static_cast<char>(now.identity);
    properties->memoryPoolsSupported = now.has_memory_pools ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  return perform("cudaDeviceGetAttribute", [&] {
    *value = attribute == cudaDevAttrMultiProcessorCount      ? now.capabilities.multiprocessors
             : attribute == cudaDevAttrComputeCapabilityMajor ? now.capabilities.device / 10
             : attribute == cudaDevAttrComputeCapabilityMinor ? now.capabilities.device % 10
             : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? most_bytes
             : attribute == cudaDevAttrClockRate                    ? now.capabilities.kilohertz
             : attribute == cudaDevAttrMemoryClockRate      ? now.capabilities.memory_kilohertz
             : attribute == cudaDevAttrGlobalMemoryBusWidth ? now.capabilities.memory_bits
                                                            : 0;
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaFuncGetAttributes(cudaFuncAttributes* attributes, void const* kernel) {
  return perform("cudaFuncGetAttributes", [&] {
    *attributes = {};
    attributes->ptxVersion = now.capabilities.code;
    attributes->binaryVersion = now.capabilities.device;
    attributes->sharedSizeBytes = now.capabilities.shared_bytes;
    attributes->maxDynamicSharedSizeBytes = limit_of(kernel, device_in_use());
    return load_kernel();
  });
}

cudaError_t __wrap_cudaFuncSetAttribute(void const* kernel, cudaFuncAttribute, int value) {
  cudaError_t const result = perform("cudaFuncSetAttribute", [&] {
    if (value + static_cast<int>(now.capabilities.shared_bytes) > most_bytes)
      return cudaErrorInvalidValue;
    now.limits[{kernel, device_in_use()}] = value;
    now.limits_set[kernel].insert(value);
    return load_kernel();
  });
  if (now.yields_at_limits) std::this_thread::sleep_for(std::chrono::microseconds(20));
  return result;
}

cudaError_t __wrap_cudaOccupancyMaxActiveClusters(int* clusters, void const* kernel,
                                                  cudaLaunchConfig_t const* config) {
  return perform("cudaOccupancyMaxActiveClusters", [&] {
    if (static_cast<int>(config->dynamicSmemBytes) > limit_of(kernel, device_in_use()))
      return cudaErrorInvalidValue;
    *clusters = 132 / static_cast<int>(config->attrs[0].val.clusterDim.x);
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaLaunchKernelExC(cudaLaunchConfig_t const* config, void const* kernel,
                                       void**) {
  return perform("cudaLaunchKernelExC", [&] {
    fake::launch const made{config->stream, device_in_use(), kernel,
                            static_cast<int>(config->dynamicSmemBytes)};
    if (made.shared_bytes > limit_of(kernel, made.device)) return cudaErrorInvalidValue;
    now.launches.push_back(made);
    if (is_captured(config->stream)) now.streams.at(config->stream).nodes.push_back(made);
    cudaError_t const loaded = load_kernel();
    return loaded == cudaSuccess ? not_of_this_device(config->stream) : loaded;
  });
}

cudaError_t __wrap_cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
  return perform("cudaMemsetAsync", [&] {
    std::memset(data, value, bytes);
    return not_of_this_device(stream);
  });
}

cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream) {
  return perform("cudaStreamSynchronize", [&] {
    finish_stream(stream);
    return is_captured(stream) ? break_capture(stream) : cudaSuccess;
  });
}

cudaError_t __wrap_cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return perform("cudaStreamIsCapturing", [&] {
    *status = is_captured(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return perform("cudaStreamGetDevice", [&] {
    if (is_captured(stream)) return break_capture(stream);
    *device = device_of(stream);
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return perform("cudaThreadExchangeStreamCaptureMode", [&] {
    std::swap(*mode, capture_mode);
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaMemPoolCreate(cudaMemPool_t* pool, cudaMemPoolProps const* asked) {
  return perform("cudaMemPoolCreate", [&] {
    if (capture_mode != cudaStreamCaptureModeRelaxed)
      for (auto& [stream, state] : now.streams)
        if (state.capture == stream_state::captured) return break_capture(stream);
    static std::uintptr_t number = 0;
    *pool = reinterpret_cast<cudaMemPool_t>(++number);
    now.device_of_pool[*pool] = asked->location.id;
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute,
                                           void* value) {
  return perform("cudaMemPoolSetAttribute", [&] {
    now.pool_attributes[{pool, attribute}] = *static_cast<int*>(value);
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaMemPoolDestroy(cudaMemPool_t pool) {
  return perform("cudaMemPoolDestroy", [&] {
    return now.device_of_pool.erase(pool) == 1 ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t __wrap_cudaMallocFromPoolAsync(void** data, std::size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream) {
  return perform("cudaMallocFromPoolAsync", [&] {
    auto const found = now.device_of_pool.find(pool);
    if (found == now.device_of_pool.end() || found->second != device_of(stream))
      return cudaErrorInvalidValue;
    if (now.blocks_left == 0) return cudaErrorMemoryAllocation;
    if (now.blocks_left > 0) --now.blocks_left;
    if (posix_memalign(data, 256, bytes) != 0) return cudaErrorMemoryAllocation;
    now.blocks[*data] = found->second;
    add_memory(*data, bytes, residency::device);
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaFreeAsync(void* data, cudaStream_t stream) {
  return perform("cudaFreeAsync", [&] {
    if (now.blocks.erase(data) != 1) return cudaErrorInvalidValue;
    remove_memory(data);
    on_stream(stream, [data] { std::free(data); });
    return cudaSuccess;
  });
}

// As a file under nvcc --default-stream per-thread calls them.
cudaError_t __wrap_cudaLaunchKernelExC_ptsz(cudaLaunchConfig_t const* config, void const* kernel,
                                            void** arguments) {
  return __wrap_cudaLaunchKernelExC(config, kernel, arguments);
}

cudaError_t __wrap_cudaStreamSynchronize_ptsz(cudaStream_t stream) {
  return __wrap_cudaStreamSynchronize(stream);
}
}
