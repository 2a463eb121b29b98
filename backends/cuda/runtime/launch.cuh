// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The one door to the device: every kernel launch, synchronisation and runtime call of the backend
// goes through here, and is checked.
#pragma once

#include <xpose/backends/cuda/ptx/pdl.cuh>
#include <xpose/detail/execution.hpp>
#include <xpose/error.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace xpose {
inline namespace v0 {
namespace detail {

inline void check_cuda(cudaError_t status, char const* call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears it: the exception reports it, the user's next call starts clean
  throw_cuda_error(static_cast<int>(status), call);
}

inline cudaStream_t stream_of(execution const& where) {
  return static_cast<cudaStream_t>(where.stream);
}

/// After the last launch: waits unless the policy says nosync, or the call was explain() alone.
inline void finish(execution const& where) {
  bool const has_launched = where.report == nullptr || !where.report->explain_only;
  if (has_launched && !where.nosync)
    check_cuda(cudaStreamSynchronize(stream_of(where)), "cudaStreamSynchronize");
}

/// What decides which kernel runs.
struct device_properties {
  int multiprocessors;
  int capability;    // 80, 90, ..
  int shared_bytes;  // that a block may have
  int l2_bytes;
};

/// Of the current device. Each thread asks the runtime once; later calls cost cudaGetDevice.
XPOSE_EXPORT device_properties properties_of_device();

/// How many clusters run at a time.
struct device_clusters {
  static constexpr int most_blocks_of_one = 8;
  int of[most_blocks_of_one];  // 1, 2, .. 8 blocks, a multiprocessor each

  /// Blocks that run at a time, one a multiprocessor, in clusters of so many.
  int blocks_in_clusters_of(int blocks) const { return of[blocks - 1] * blocks; }
  void copy_to(int (&clusters)[most_blocks_of_one]) const {
    std::copy(std::begin(of), std::end(of), clusters);
  }
};

/// The same of the current device, asked as seldom.
XPOSE_EXPORT device_clusters clusters_of_device();

/// What a kernel was compiled for. A user's file is compiled for whatever its nvcc was told, and
/// may lack instructions that the device has: code that chooses kernels by capability asks for the
/// attributes of a kernel of its own file.
struct kernel_attributes {
  int capability;    // of the code that runs: 75, 80, 90, .. as __CUDA_ARCH__ / 10 was
  int shared_bytes;  // of fixed size
};

/// Of a __global__ function of this file on the current device; throws cuda_error. A small cache of
/// the thread answers: a hit costs cudaGetDevice. Static: a program and each of its shared
/// libraries have a runtime of their own, which knows only the kernels linked with it (libxpose's
/// answers 400 about a user's).
[[maybe_unused]] static kernel_attributes attributes_of_kernel(void const* kernel) {
  struct entry {
    void const* kernel;
    int device;
    kernel_attributes value;
  };
  // Plain data, so that it outlives static objects whose destructors call. Four kernels share a
  // set: addresses of one call's kernels may agree in the bits that choose it.
  constexpr std::uintptr_t sets = 16;
  constexpr int ways = 4;
  thread_local entry cache[sets][ways];
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  entry* const set = cache[reinterpret_cast<std::uintptr_t>(kernel) / 16 % sets];
  for (int w = 0; w < ways; ++w)
    if (set[w].kernel == kernel && set[w].device == device) return set[w].value;
  cudaFuncAttributes attributes{};
  check_cuda(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  std::copy_backward(set, set + ways - 1, set + ways);
  set[0] = {kernel, device, {attributes.ptxVersion, static_cast<int>(attributes.sharedSizeBytes)}};
  return set[0].value;
}

template <class... Params>
static kernel_attributes attributes_of_kernel(void (*kernel)(Params...)) {
  return attributes_of_kernel(reinterpret_cast<void const*>(kernel));
}

/// The capability that tables are tuned for: 90 for devices that also have its shared memory (those
/// of capability 120 have less than half of it), else 80.
inline int tuned_capability() {
  constexpr int shared_bytes_of_90 = 227 << 10;
  device_properties const device = properties_of_device();
  return device.capability >= 90 && device.shared_bytes >= shared_bytes_of_90 ? 90 : 80;
}

/// Of a launch, all on grid.x (y and z stop at 65535).
inline constexpr index most_blocks = 2147483647;

/// Lets a kernel have all dynamic shared memory that its static one leaves of the current device's.
/// The limit is the function's, shared by all threads and streams: a launch that set just its own
/// need could lower the limit between another thread's setting and launch. Set each time, because
/// cudaDeviceReset clears it.
inline void allow_shared_memory(void const* function, char const* name) {
  int const most =
      properties_of_device().shared_bytes - attributes_of_kernel(function).shared_bytes;
  check_cuda(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
             name);
}

/// Launches kernel(args...); `blocks` is at most most_blocks, and a multiple of the cluster. PDL:
/// programmatic dependent launch.
template <class... Params>
void launch_with_attributes(execution const& where, int cluster, bool uses_pdl, index blocks,
                            int threads, int shared_bytes, char const* name,
                            void (*kernel)(Params...), std::common_type_t<Params> const&... args) {
  constexpr int default_limit = 40 << 10;  // 48 KB, less some for static shared memory
  auto const* const function = reinterpret_cast<void const*>(kernel);
  if (shared_bytes > default_limit) allow_shared_memory(function, name);
  cudaLaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (cluster > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count++].val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
  }
  if (uses_pdl) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.stream = stream_of(where);
  config.attrs = attributes;
  config.numAttrs = count;
  void* arguments[] = {const_cast<void*>(static_cast<void const*>(&args))...};
  check_cuda(cudaLaunchKernelExC(&config, function, arguments), name);
}

template <class... Params>
void launch_blocks(execution const& where, index blocks, int threads, int shared_bytes,
                   char const* name, void (*kernel)(Params...),
                   std::common_type_t<Params> const&... args) {
  launch_with_attributes(where, 1, false, blocks, threads, shared_bytes, name, kernel, args...);
}

/// Programmatic dependent launch where the device and the kernel's code have it (capability 90),
/// else a plain one. All threads of the kernel must call pdl_wait() before their first access to
/// global memory. May be captured.
template <class... Params>
void launch_pdl(execution const& where, int cluster, index blocks, int threads, int shared_bytes,
                char const* name, void (*kernel)(Params...),
                std::common_type_t<Params> const&... args) {
  bool const has_pdl =
      properties_of_device().capability >= 90 && attributes_of_kernel(kernel).capability >= 90;
  launch_with_attributes(where, cluster, has_pdl, blocks, threads, shared_bytes, name, kernel,
                         args...);
}

/// Uninitialised shared memory for T, which need not have a trivial constructor.
template <class T, int Rows, int Cols>
struct shared_tile {
  alignas(T) unsigned char bytes[Rows][Cols][sizeof(T)];
  __device__ T& operator()(int row, int col) { return *reinterpret_cast<T*>(bytes[row][col]); }
};

}  // namespace detail
}  // namespace v0
}  // namespace xpose
