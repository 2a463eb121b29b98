// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The driver under the runtime of faults/fake/fake_runtime.hpp: what it knows of pointers and
// contexts.

#include "fake_state.hpp"
#include "fake_streams.hpp"

#include <dlfcn.h>

#include <cstring>

using namespace fake;
using xpose::detail::residency;

namespace {

CUresult encode_tensor_map(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, cuuint64_t const*,
                           cuuint64_t const*, cuuint32_t const*, cuuint32_t const*,
                           CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                           CUtensorMapFloatOOBfill) {
  return perform_in_driver("cuTensorMapEncodeTiled", [] { return cudaSuccess; });
}

/// A context's handle is its device's number and one.
CUresult retain_context(CUcontext* context, CUdevice device) {
  return perform_in_driver("cuDevicePrimaryCtxRetain", [&] {
    now.contexts.insert(device);
    *context = reinterpret_cast<CUcontext>(static_cast<std::uintptr_t>(device) + 1);
    return cudaSuccess;
  });
}
CUresult release_context(CUdevice) {
  return perform_in_driver("cuDevicePrimaryCtxRelease", [] { return cudaSuccess; });
}
CUresult push_context(CUcontext context) {
  return perform_in_driver("cuCtxPushCurrent", [&] {
    pushed.push_back(static_cast<int>(reinterpret_cast<std::uintptr_t>(context)) - 1);
    return cudaSuccess;
  });
}
CUresult is_stream_capturing(CUstream stream, CUstreamCaptureStatus* status) {
  return perform_in_driver("cuStreamIsCapturing", [&] {
    *status = is_captured(stream) ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return cudaSuccess;
  });
}
CUresult id_of_context(CUcontext, unsigned long long* id) {
  return perform_in_driver("cuCtxGetId", [&] {
    *id = static_cast<unsigned long long>(1000 * now.resets + device_in_use());
    return cudaSuccess;
  });
}
CUresult pop_context(CUcontext*) {
  return perform_in_driver("cuCtxPopCurrent", [] {
    if (pushed.empty()) return cudaErrorDeviceUninitialized;
    pushed.pop_back();
    return cudaSuccess;
  });
}

struct driver_function {
  char const* name;
  void* function;
};
driver_function const driver_functions[] = {
    {"cuTensorMapEncodeTiled", reinterpret_cast<void*>(encode_tensor_map)},
    {"cuDevicePrimaryCtxRetain", reinterpret_cast<void*>(retain_context)},
    {"cuDevicePrimaryCtxRelease", reinterpret_cast<void*>(release_context)},
    {"cuCtxPushCurrent", reinterpret_cast<void*>(push_context)},
    {"cuCtxPopCurrent", reinterpret_cast<void*>(pop_context)},
    {"cuCtxGetId", reinterpret_cast<void*>(id_of_context)},
    {"cuStreamIsCapturing", reinterpret_cast<void*>(is_stream_capturing)}};

int pointer_attributes(unsigned count, int* attributes, void** values, std::uintptr_t pointer) {
  guard const lock;
  if (now.loss != cudaSuccess && now.forgets_pointers) return static_cast<int>(now.loss);
  known_memory at = memory_of_byte(reinterpret_cast<char const*>(pointer));
  bool const is_known = at.device >= 0;
  if (!is_known) at.device = 0;
  bool const is_of_device = at.where == residency::device;
  bool const is_reached =
      is_known && (!is_of_device || at.device == device_in_use() || now.has_peer_access);
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

char driver;  // its address is the handle of libcuda.so.1

}  // namespace

extern "C" {

void* __real_dlopen(char const* file, int mode);
int __real_dlclose(void* handle);
void* __real_dlsym(void* handle, char const* name);

void* __wrap_dlopen(char const* file, int mode) {
  if (file != nullptr && std::strcmp(file, "libcuda.so.1") == 0) return &driver;
  return __real_dlopen(file, mode);
}

/// The real runtime, asked for the text of an error, opens the driver and finds nothing in it.
int __wrap_dlclose(void* handle) { return handle == &driver ? 0 : __real_dlclose(handle); }

void* __wrap_dlsym(void* handle, char const* name) {
  if (handle != &driver) return __real_dlsym(handle, name);
  return std::strcmp(name, "cuPointerGetAttributes") == 0
             ? reinterpret_cast<void*>(pointer_attributes)
             : nullptr;
}

cudaError_t __wrap_cudaGetDriverEntryPointByVersion(char const* name, void** function, unsigned,
                                                    unsigned long long,
                                                    cudaDriverEntryPointQueryResult* result) {
  return perform("cudaGetDriverEntryPointByVersion", [&] {
    *function = nullptr;
    for (auto const& known : driver_functions)
      if (std::strcmp(name, known.name) == 0) *function = known.function;
    *result =
        *function == nullptr ? cudaDriverEntryPointSymbolNotFound : cudaDriverEntryPointSuccess;
    return cudaSuccess;
  });
}

cudaError_t __wrap_cudaGetDriverEntryPoint(char const* name, void** function,
                                           unsigned long long flags,
                                           cudaDriverEntryPointQueryResult* result) {
  return __wrap_cudaGetDriverEntryPointByVersion(name, function, 0, flags, result);
}
}
