// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Whether this machine can run the CUDA backend, which device a call runs on and what that is, and
// the runtime's words for its errors.

#include <xpose/backends/availability.hpp>

#include <xpose/backends/cuda/launch.cuh>
#include <xpose/backends/message.hpp>
#include <xpose/detail/current_device.hpp>

#include <cuda_runtime_api.h>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

__global__ void probe() {}

availability ask_runtime() {
  auto const refused = [](cudaError_t status, char const* what) {
    cudaGetLastError();
    try {
      throw_cuda_error(static_cast<int>(status), what);
    } catch (device_lost const&) {
      throw;
    } catch (cuda_error const& e) {
      return availability{false, e.what(), 0};
    }
  };
  int devices = 0;
  cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaErrorInsufficientDriver)
    return refused(status, "no CUDA driver, or one too old");
  if (status == cudaErrorNoDevice || (status == cudaSuccess && devices == 0))
    return refused(status, "no CUDA device");
  if (status != cudaSuccess) return refused(status, "the CUDA runtime cannot count devices");

  int device = 0;
  cudaDeviceProp properties{};
  status = cudaGetDevice(&device);
  if (status == cudaSuccess) status = cudaGetDeviceProperties(&properties, device);
  if (status != cudaSuccess)
    return refused(status, "the CUDA device cannot be asked for its properties");
  std::string const name = message(properties.name, " (compute capability ", properties.major, '.',
                                   properties.minor, ')');

  cudaFuncAttributes attributes{};
  status = cudaFuncGetAttributes(&attributes, probe);
  if (status != cudaSuccess)
    return refused(status, (name + " cannot run this build's kernels").c_str());
  return {true, name, devices};
}

bool is_captured(execution const& where) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  // The one question that a capture permits; cudaStreamGetFlags and cudaStreamGetDevice end it.
  check_cuda(cudaStreamIsCapturing(stream_of(where), &capture), "cudaStreamIsCapturing");
  return capture != cudaStreamCaptureStatusNone;
}

}  // namespace

availability const& cuda_availability() {
  static availability const answer = ask_runtime();
  return answer;
}

int device_of_stream(execution const& where) {
  int device = 0;
  [[maybe_unused]] bool const is_default = where.stream == nullptr ||
                                           where.stream == stream_of(default_stream::legacy) ||
                                           where.stream == stream_of(default_stream::per_thread);
#if CUDART_VERSION >= 12080
  if (!is_default) {
    if (is_captured(where)) return -1;
    check_cuda(cudaStreamGetDevice(stream_of(where), &device), "cudaStreamGetDevice");
    return device;
  }
#endif
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

current_device::current_device(int device) {
  if (device < 0) return;
  int now = 0;
  check_cuda(cudaGetDevice(&now), "cudaGetDevice");
  if (now == device) return;
  check_cuda(cudaSetDevice(device), "cudaSetDevice");
  previous_ = now;
}

current_device::~current_device() {
  if (previous_ >= 0 && cudaSetDevice(previous_) != cudaSuccess) cudaGetLastError();
}

device_facts facts_of_device() {
  thread_local int known = -1;
  thread_local device_facts facts{};
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  if (device == known) return facts;
  auto const ask = [device](cudaDeviceAttr attribute) {
    int value = 0;
    check_cuda(cudaDeviceGetAttribute(&value, attribute, device), "cudaDeviceGetAttribute");
    return value;
  };
  known = -1;
  facts = {ask(cudaDevAttrMultiProcessorCount),
           10 * ask(cudaDevAttrComputeCapabilityMajor) + ask(cudaDevAttrComputeCapabilityMinor),
           ask(cudaDevAttrMaxSharedMemoryPerBlockOptin)};
  known = device;
  return facts;
}

void check_capture(char const* op, execution const& where) {
  if (!where.nosync && is_captured(where))
    throw backend_error(
        message(
            op, ": stream ", where.stream,
            " is being captured in a CUDA graph, and this policy would wait for it; use nosync()")
            .c_str());
}

std::string cuda_error_text(int code) {
  auto const status = static_cast<cudaError_t>(code);
  return message(cudaGetErrorName(status), " (", code, "): ", cudaGetErrorString(status));
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
