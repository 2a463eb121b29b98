// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The one door to the device: every kernel launch, synchronisation and runtime call of the backend
// is checked here.
#pragma once

#include <xpose/detail/execution.hpp>
#include <xpose/error.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace xpose {
inline namespace v0 {
namespace detail {

inline void check_cuda(cudaError_t status, char const* call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // it is reported by the exception; the next call of the user starts clean
  throw_cuda_error(static_cast<int>(status), call);
}

inline cudaStream_t stream_of(execution const& where) {
  return static_cast<cudaStream_t>(where.stream);
}

/// After the last launch: waits unless the policy says nosync, or the call only asked.
inline void finish(execution const& where) {
  bool const has_launched = where.report == nullptr || !where.report->explain_only;
  if (has_launched && !where.nosync)
    check_cuda(cudaStreamSynchronize(stream_of(where)), "cudaStreamSynchronize");
}

/// What kernels are chosen by.
struct device_properties {
  int multiprocessors;
  int capability;    // 80, 90, ..
  int shared_bytes;  // that a block may have
};

/// Of the current device. The runtime is asked once for a thread and device: a call costs
/// cudaGetDevice.
XPOSE_EXPORT device_properties properties_of_device();

/// What a kernel was compiled for. A file of a user's is compiled for whatever its nvcc was told,
/// so that a device may have instructions which the kernels of that file lack: whoever chooses
/// among kernels by capability asks of a kernel that its own file launches.
struct kernel_attributes {
  int capability;    // of the code that runs: 75, 80, 90, .. as __CUDA_ARCH__ / 10 was
  int shared_bytes;  // of fixed size
};

/// Of a __global__ function of this file on the current device. A thread asks the runtime once for
/// a kernel and device, as long as few kernels take turns: a call costs cudaGetDevice. Throws
/// cuda_error. Static: a program and each of its shared libraries have a runtime of their own,
/// which knows the kernels that were linked with it alone (libxpose's answers 400 about a user's).
[[maybe_unused]] static kernel_attributes attributes_of_kernel(void const* kernel) {
  struct answer {
    void const* kernel;
    int device;
    kernel_attributes facts;
  };
  // Of plain data, so that calls from destructors of static objects find it.
  constexpr std::uintptr_t count = 64;
  thread_local answer answers[count];
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  answer& known = answers[reinterpret_cast<std::uintptr_t>(kernel) / 16 % count];
  if (known.kernel == kernel && known.device == device) return known.facts;
  cudaFuncAttributes attributes{};
  check_cuda(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  known = {kernel, device, {attributes.ptxVersion, static_cast<int>(attributes.sharedSizeBytes)}};
  return known.facts;
}

template <class... Params>
static kernel_attributes attributes_of_kernel(void (*kernel)(Params...)) {
  return attributes_of_kernel(reinterpret_cast<void const*>(kernel));
}

/// What the rows of the tables ask for: 90 of devices that have its shared memory too (those of 120
/// have less than half of it), else 80.
inline int tuned_capability() {
  constexpr int shared_bytes_of_90 = 227 << 10;
  device_properties const facts = properties_of_device();
  return facts.capability >= 90 && facts.shared_bytes >= shared_bytes_of_90 ? 90 : 80;
}

/// Blocks of a launch: they go on grid.x alone (y and z stop at 65535).
inline constexpr index most_blocks = 2147483647;

/// How the blocks of a launch stand to each other, and to the kernel before it on the stream.
struct launch_attributes {
  int cluster = 1;        // neighbours that run together
  bool uses_pdl = false;  // before that kernel is done: see launch_pdl
};

/// Lets a kernel take as much dynamic shared memory as the current device has beside its static
/// one. The limit belongs to the function, and so to all threads and streams of the process: it is
/// the same for every launch, since one that set its own need would lower another's between that
/// one's limit and its launch. Set each time, because cudaDeviceReset takes it away.
inline void allow_shared_memory(void const* function, char const* name) {
  int const most =
      properties_of_device().shared_bytes - attributes_of_kernel(function).shared_bytes;
  check_cuda(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
             name);
}

/// kernel(args...) on `blocks` blocks, most_blocks at most and a multiple of the cluster, of
/// `threads` with shared memory.
template <class... Params>
void launch_with_attributes(execution const& where, launch_attributes order, index blocks,
                            int threads, int shared_bytes, char const* name,
                            void (*kernel)(Params...), std::common_type_t<Params> const&... args) {
  constexpr int without_asking = 40 << 10;  // 48 KB, less what a kernel has of fixed size
  auto const* const function = reinterpret_cast<void const*>(kernel);
  if (shared_bytes > without_asking) allow_shared_memory(function, name);
  cudaLaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (order.cluster > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count++].val.clusterDim = {static_cast<unsigned>(order.cluster), 1, 1};
  }
  if (order.uses_pdl) {
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

/// The same of blocks by themselves.
template <class... Params>
void launch_blocks(execution const& where, index blocks, int threads, int shared_bytes,
                   char const* name, void (*kernel)(Params...),
                   std::common_type_t<Params> const&... args) {
  launch_with_attributes(where, {}, blocks, threads, shared_bytes, name, kernel, args...);
}

/// Lets the blocks of a kernel that is launched early after this one start, once every block has
/// called it. After the products of a block: those that start before find places on some
/// multiprocessors only, and stay there (512x512x512 of float16 by mma.sync 5.4 us in place of 4.7;
/// H100, 2026-11-22). A block that fills a multiprocessor may call it at once. Not where there are
/// many: the device takes half a nanosecond for each (10000 of 16x16x16 of float16: 15.1 us in
/// place of 9.5).
__device__ inline void pdl_trigger() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  constexpr unsigned most = 1024;
  if (gridDim.x <= most) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
/// In a kernel that is launched early: until the kernel before is done and its writes are seen.
__device__ inline void pdl_wait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// A launch of a kernel all of whose threads call pdl_wait() ahead of their first
/// access to global memory: where the device can (capability 90, and code compiled for it, which
/// does wait), its blocks start as soon as the kernel before lets them. May be captured.
template <class... Params>
void launch_pdl(execution const& where, int cluster, index blocks, int threads, int shared_bytes,
                char const* name, void (*kernel)(Params...),
                std::common_type_t<Params> const&... args) {
  launch_attributes const order{cluster, properties_of_device().capability >= 90 &&
                                             attributes_of_kernel(kernel).capability >= 90};
  launch_with_attributes(where, order, blocks, threads, shared_bytes, name, kernel, args...);
}

/// kernel(first_block, args...) on any number of blocks of `threads`, in as many launches as it
/// takes; a kernel numbers its block first_block + blockIdx.x.
template <class... Params>
void launch(execution const& where, index blocks, int threads, char const* name,
            void (*kernel)(index, Params...), std::common_type_t<Params>... args) {
  for (index first_block = 0; first_block < blocks; first_block += most_blocks)
    launch_blocks(where, std::min(most_blocks, blocks - first_block), threads, 0, name, kernel,
                  first_block, args...);
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
