// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Memory pools behind stream_workspace, one a device, made at first use.

#include <xpose/backends/cuda/runtime/workspace.hpp>

#include <xpose/backends/core/message.hpp>
#include <xpose/backends/cuda/runtime/launch.cuh>

#include <cstdint>
#include <map>
#include <mutex>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

cudaMemPool_t make_pool(int device) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  if (properties.memoryPoolsSupported == 0)
    throw backend_error(message("the call needs temporary memory, and device ", device, ", ",
                                properties.name,
                                ", has no memory pools; bring memory with xpose::cuda.with(pool)")
                            .c_str());
  cudaMemPoolProps asked{};
  asked.allocType = cudaMemAllocationTypePinned;
  asked.location.type = cudaMemLocationTypeDevice;
  asked.location.id = device;
  cudaMemPool_t pool = nullptr;
  check_cuda(cudaMemPoolCreate(&pool, &asked), "cudaMemPoolCreate");
  std::uint64_t kept = properties.totalGlobalMem / 16;
  // Else the driver, short of memory, may make one stream wait for another's block. Blocks are
  // still reused where streams are ordered already, by events or because the work is done.
  int no = 0;
  cudaError_t status = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept);
  if (status == cudaSuccess)
    status = cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &no);
  if (status != cudaSuccess) cudaMemPoolDestroy(pool);
  check_cuda(status, "cudaMemPoolSetAttribute");
  return pool;
}

/// Of the current device. Made at the first call, even during graph capture; never destroyed, since
/// the runtime may end before static objects do.
cudaMemPool_t pool_of_device() {
  static std::mutex one_at_a_time;
  static std::map<int, cudaMemPool_t>& pools = *new std::map<int, cudaMemPool_t>;
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  std::lock_guard<std::mutex> const lock(one_at_a_time);
  cudaMemPool_t& pool = pools[device];
  if (pool != nullptr) return pool;
  struct relaxed_capture {
    relaxed_capture() {
      check_cuda(cudaThreadExchangeStreamCaptureMode(&mode), "cudaThreadExchangeStreamCaptureMode");
    }
    ~relaxed_capture() {
      if (cudaThreadExchangeStreamCaptureMode(&mode) != cudaSuccess) cudaGetLastError();
    }
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  } const relaxed;
  return pool = make_pool(device);
}

}  // namespace

stream_workspace::stream_workspace(execution const& where, index bytes)
    : stream_(where.stream), nosync_(where.nosync) {
  if (brings_memory(where, backend_id::cuda)) {
    given_.emplace(where, bytes);
    data_ = given_->data();
    return;
  }
  check_cuda(cudaMallocFromPoolAsync(&data_, static_cast<std::size_t>(bytes), pool_of_device(),
                                     stream_of(where)),
             "cudaMallocFromPoolAsync");
}

stream_workspace::~stream_workspace() {
  auto const stream = static_cast<cudaStream_t>(stream_);
  cudaError_t status = cudaSuccess;
  if (!given_) status = cudaFreeAsync(data_, stream);
  // An allocator without streams may give the memory to another thread at once.
  else if (!nosync_) status = cudaStreamSynchronize(stream);
  // The results are right even if freeing fails. A lost device, and an error of the work, show when
  // the call waits for its results, or at the next call.
  if (status != cudaSuccess) cudaGetLastError();
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
