// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "fake_runtime.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

using xpose::detail::residency;

namespace {

struct allocation {
  std::size_t bytes;
  residency where;
  int device;
};

struct stream_state {
  int device;
  enum { idle, captured, broken } capture;
};

struct runtime {
  int devices = 1;
  std::vector<fake::call> calls;
  std::vector<fake::launch> launches;
  fake::fault fault{-1, false, cudaSuccess};
  cudaError_t loss = cudaSuccess;
  bool has_peer_access = false;
  bool forgets_pointers = false;
  std::map<cudaStream_t, stream_state> streams;
  std::map<cudaMemPool_t, int> device_of_pool;
  std::map<void*, int> blocks;  // of pools
  std::map<char*, allocation> memory;
};

std::mutex one_at_a_time;
runtime now;
thread_local cudaError_t pending = cudaSuccess;
thread_local int device_of_thread = 0;
thread_local cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;

thread_local bool is_inside = false;

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

int device_of(cudaStream_t stream) {
  auto const found = now.streams.find(stream);
  return found == now.streams.end() ? device_of_thread : found->second.device;
}

bool is_captured(cudaStream_t stream) {
  auto const found = now.streams.find(stream);
  return found != now.streams.end() && found->second.capture == stream_state::captured;
}

/// What CUDA answers to what a capture does not permit.
cudaError_t break_capture(cudaStream_t stream) {
  now.streams.at(stream).capture = stream_state::broken;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t not_of_this_device(cudaStream_t stream) {
  return device_of(stream) == device_of_thread ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

CUresult encode_tensor_map(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, cuuint64_t const*,
                           cuuint64_t const*, cuuint32_t const*, cuuint32_t const*,
                           CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                           CUtensorMapFloatOOBfill) {
  cudaError_t const last = pending;
  cudaError_t const result = perform("cuTensorMapEncodeTiled", [] { return cudaSuccess; });
  pending = last;  // the runtime does not hear of what the driver answers
  return static_cast<CUresult>(result);
}

int pointer_attributes(unsigned count, int* attributes, void** values, std::uintptr_t pointer) {
  guard const lock;
  if (now.loss != cudaSuccess && now.forgets_pointers) return static_cast<int>(now.loss);
  auto* const data = reinterpret_cast<char*>(pointer);
  auto found = now.memory.upper_bound(data);
  bool const is_known =
      found != now.memory.begin() && data < (--found)->first + found->second.bytes;
  allocation const at = is_known ? found->second : allocation{0, residency::unknown_to_cuda, 0};
  bool const is_of_device = at.where == residency::device;
  bool const is_reached =
      is_known && (!is_of_device || at.device == device_of_thread || now.has_peer_access);
  auto const write = [](void* to, auto value) { std::memcpy(to, &value, sizeof value); };
  for (unsigned i = 0; i < count; ++i) {
    if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_POINTER)
      write(values[i], is_reached ? pointer : std::uintptr_t{0});
    if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) write(values[i], at.device);
    if (attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED)
      write(values[i], at.where == residency::managed ? 1 : 0);
    if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
      write(values[i], !is_known ? 0
                                 : int{at.where == residency::pinned_host ? CU_MEMORYTYPE_HOST
                                                                          : CU_MEMORYTYPE_DEVICE});
  }
  return CUDA_SUCCESS;
}

void* driver;  // as handle of libcuda.so.1 the program's own, which the runtime may close

}  // namespace

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
bool is_running() {
  return is_inside;
}
cudaError_t last_error() {
  return pending;
}
void leave_error(cudaError_t error) {
  pending = error;
}
int current_device() {
  return device_of_thread;
}
void allow_peer_access() {
  now.has_peer_access = true;
}
void forget_pointers_when_lost() {
  now.forgets_pointers = true;
}

stream::stream(int device) {
  guard const lock;
  now.streams[handle()] = {device, stream_state::idle};
}
stream::~stream() {
  guard const lock;
  now.streams.erase(handle());
}
void stream::begin_capture() {
  now.streams.at(handle()).capture = stream_state::captured;
}
bool stream::is_captured_still() const {
  return is_captured(handle());
}

memory::memory(residency where, std::size_t bytes, int device) : data_(std::calloc(1, bytes)) {
  guard const lock;
  if (where != residency::unknown_to_cuda)
    now.memory[static_cast<char*>(data_)] = {bytes, where, device};
}
memory::~memory() {
  guard const lock;
  now.memory.erase(static_cast<char*>(data_));
  std::free(data_);
}

}  // namespace fake

// The linker sends the library's calls of f to __wrap_f, and __real_f to f.
extern "C" {

void* __real_dlopen(char const* file, int mode);
void* __real_dlsym(void* handle, char const* name);

void* __wrap_dlopen(char const* file, int mode) {
  if (file != nullptr && std::strcmp(file, "libcuda.so.1") == 0)
    return driver = __real_dlopen(nullptr, mode);
  return __real_dlopen(file, mode);
}

void* __wrap_dlsym(void* handle, char const* name) {
  if (handle == nullptr || handle != driver) return __real_dlsym(handle, name);
  return std::strcmp(name, "cuPointerGetAttributes") == 0
             ? reinterpret_cast<void*>(pointer_attributes)
             : nullptr;
}

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
    *device = device_of_thread;
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaSetDevice(int device) {
  return perform("cudaSetDevice", [&] {
    if (device < 0 || device >= now.devices) return cudaErrorInvalidDevice;
    device_of_thread = device;
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  return perform("cudaGetDeviceProperties", [&] {
    *properties = {};
    std::strcpy(properties->name, "fake");
    properties->major = 9;
    properties->totalGlobalMem = std::size_t{80} << 30;
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  return perform("cudaDeviceGetAttribute", [&] {
    *value = attribute == cudaDevAttrMultiProcessorCount      ? 132
             : attribute == cudaDevAttrComputeCapabilityMajor ? fake::now_capable_of.device / 10
             : attribute == cudaDevAttrComputeCapabilityMinor ? fake::now_capable_of.device % 10
             : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 227 << 10
                                                                    : 0;
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaFuncGetAttributes(cudaFuncAttributes* attributes, void const*) {
  return perform("cudaFuncGetAttributes", [&] {
    *attributes = {};
    attributes->ptxVersion = fake::now_capable_of.code;
    attributes->sharedSizeBytes = fake::now_capable_of.shared_bytes;
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaFuncSetAttribute(void const*, cudaFuncAttribute, int) {
  return perform("cudaFuncSetAttribute", [] { return cudaSuccess; });
}

cudaError_t __wrap_cudaLaunchKernelExC(cudaLaunchConfig_t const* config, void const*, void**) {
  return perform("cudaLaunchKernelExC", [&] {
    now.launches.push_back({config->stream, device_of_thread});
    return not_of_this_device(config->stream);
  });
}

cudaError_t __wrap_cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
  return perform("cudaMemsetAsync", [&] {
    std::memset(data, value, bytes);
    return not_of_this_device(stream);
  });
}

cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream) {
  return perform("cudaStreamSynchronize",
                 [&] { return is_captured(stream) ? break_capture(stream) : cudaSuccess; });
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

cudaError_t __wrap_cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return perform("cudaMemPoolSetAttribute", [] { return cudaSuccess; });
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
    if (posix_memalign(data, 256, bytes) != 0) return cudaErrorMemoryAllocation;
    now.blocks[*data] = found->second;
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaFreeAsync(void* data, cudaStream_t) {
  return perform("cudaFreeAsync", [&] {
    if (now.blocks.erase(data) != 1) return cudaErrorInvalidValue;
    std::free(data);
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaGetDriverEntryPointByVersion(char const* name, void** function, unsigned,
                                                    unsigned long long,
                                                    cudaDriverEntryPointQueryResult* result) {
  return perform("cudaGetDriverEntryPointByVersion", [&] {
    bool const is_known = std::strcmp(name, "cuTensorMapEncodeTiled") == 0;
    *function = is_known ? reinterpret_cast<void*>(encode_tensor_map) : nullptr;
    *result = is_known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaGetDriverEntryPoint(char const* name, void** function,
                                           unsigned long long flags,
                                           cudaDriverEntryPointQueryResult* result) {
  return __wrap_cudaGetDriverEntryPointByVersion(name, function, 0, flags, result);
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
