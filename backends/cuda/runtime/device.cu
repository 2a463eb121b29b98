// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Whether this machine can run the CUDA backend, which device a call runs on and what it is, and
// texts of the runtime's errors.

#include <xpose/backends/core/availability.hpp>

#include <xpose/backends/core/message.hpp>
#include <xpose/backends/cuda/runtime/driver_function.cuh>
#include <xpose/detail/current_device.hpp>

#include <map>
#include <mutex>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

__global__ void probe() {}

/// Clusters of so many blocks that run at a time, one block a multiprocessor. A cluster's are of
/// one GPC, whose multiprocessors need not be a multiple of them.
int most_clusters(int blocks, device_properties const& device) {
  if (blocks == 1) return device.multiprocessors;
  if (device.capability < 90 || attributes_of_kernel(probe).capability < 90)
    return device.multiprocessors / blocks;
  int const dynamic_bytes = device.shared_bytes - 1024;  // less what static shared memory may take
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(128);
  config.dynamicSmemBytes = static_cast<std::size_t>(dynamic_bytes);
  config.attrs = &attribute;
  config.numAttrs = 1;
  int clusters = 0;
  check_cuda(
      cudaFuncSetAttribute(probe, cudaFuncAttributeMaxDynamicSharedMemorySize, dynamic_bytes),
      "cudaFuncSetAttribute");
  check_cuda(cudaOccupancyMaxActiveClusters(&clusters, probe, &config),
             "cudaOccupancyMaxActiveClusters");
  return clusters > 0 ? clusters : -1;  // none of this size fits
}

/// What ask() answers; an error of CUDA becomes an answer too, unless the device is lost.
template <class Ask>
availability answer_of(Ask const& ask) {
  try {
    return ask();
  } catch (device_lost const&) {
    throw;
  } catch (cuda_error const& e) {
    return {false, e.what(), 0};
  }
}

availability ask_runtime() {
  int devices = 0;
  cudaError_t const status = cudaGetDeviceCount(&devices);
  check_cuda(status == cudaSuccess && devices == 0 ? cudaErrorNoDevice : status,
             status == cudaErrorInsufficientDriver ? "no CUDA driver, or one too old"
             : status == cudaErrorNoDevice || status == cudaSuccess
                 ? "no CUDA device"
                 : "the CUDA runtime cannot count devices");
  return {true, "", devices};
}

availability ask_device(int device, int devices) {
  current_device const there(device);
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, device),
             message("device ", device, " cannot be asked for its properties").c_str());
  std::string const name = message(properties.name, " (compute capability ", properties.major, '.',
                                   properties.minor, ')');
  cudaFuncAttributes attributes{};
  check_cuda(cudaFuncGetAttributes(&attributes, probe),
             message("device ", device, ", ", name, ", cannot run this build's kernels").c_str());
  return {true, name, devices};
}

struct driver_functions {
  decltype(&cuDevicePrimaryCtxRetain) retain =
      driver_function<decltype(retain)>("cuDevicePrimaryCtxRetain");
  decltype(&cuDevicePrimaryCtxRelease) release =
      driver_function<decltype(release)>("cuDevicePrimaryCtxRelease");
  decltype(&cuCtxPushCurrent) push = driver_function<decltype(push)>("cuCtxPushCurrent");
  decltype(&cuStreamIsCapturing) is_capturing =
      driver_function<decltype(is_capturing)>("cuStreamIsCapturing");
  decltype(&cuCtxPopCurrent) pop = driver_function<decltype(pop)>("cuCtxPopCurrent");
};

driver_functions const& driver() {
  static driver_functions const found;
  return found;
}

}  // namespace

bool is_captured(execution const& where) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  // The one question that a capture permits; cudaStreamGetFlags and cudaStreamGetDevice end it.
  check_cuda(cudaStreamIsCapturing(stream_of(where), &capture), "cudaStreamIsCapturing");
  return capture != cudaStreamCaptureStatusNone;
}

availability const& cuda_availability() {
  // Never destroyed: calls from destructors of static objects read it.
  static availability const& answer = *new availability(answer_of(ask_runtime));
  return answer;
}

availability const& cuda_availability(int device) {
  static std::mutex one_at_a_time;
  static std::map<int, availability>& answers = *new std::map<int, availability>;
  availability const& machine = cuda_availability();
  if (!machine.is_available) return machine;
  if (device < 0 && machine.devices > 1) check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  if (device < 0) device = 0;
  thread_local int last = -1;  // whose answer this thread has
  thread_local availability const* answer = nullptr;
  if (device == last) return *answer;
  std::lock_guard<std::mutex> const lock(one_at_a_time);
  auto known = answers.find(device);
  if (known == answers.end())
    known = answers.emplace(device, answer_of([&] { return ask_device(device, machine.devices); }))
                .first;
  last = device;
  answer = &known->second;
  return *answer;
}

int device_of_stream(execution const& where) {
  int device = 0;
  [[maybe_unused]] bool const is_default = where.stream == nullptr ||
                                           where.stream == stream_of(default_stream::legacy) ||
                                           where.stream == stream_of(default_stream::per_thread);
#if CUDART_VERSION >= 12080
  if (!is_default) {
    // The runtime's cudaStreamIsCapturing makes a context on the current device, if it has none.
    CUstreamCaptureStatus capture{};
    check_driver(driver().is_capturing(stream_of(where), &capture), "cuStreamIsCapturing");
    if (capture != CU_STREAM_CAPTURE_STATUS_NONE) return -1;
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
  // So that the runtime holds the context too, which would else end with the last reference.
  check_cuda(cudaInitDevice(device, 0, 0), "cudaInitDevice");
  CUcontext context = nullptr;
  check_driver(driver().retain(&context, device), "cuDevicePrimaryCtxRetain");
  CUresult const pushed = driver().push(context);
  driver().release(device);
  check_driver(pushed, "cuCtxPushCurrent");
  is_pushed_ = true;
}

current_device::~current_device() {
  if (is_pushed_) driver().pop(nullptr);
}

device_properties properties_of_device() {
  thread_local int known = -1;
  thread_local device_properties facts{};
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
           ask(cudaDevAttrMaxSharedMemoryPerBlockOptin), ask(cudaDevAttrL2CacheSize)};
  known = device;
  return facts;
}

device_clusters clusters_of_device() {
  thread_local int known = -1;
  thread_local device_clusters facts{};
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  if (device == known) return facts;
  known = -1;
  device_properties const properties = properties_of_device();
  for (int blocks = 1; blocks <= device_clusters::most_blocks_of_one; ++blocks)
    facts.of[blocks - 1] = most_clusters(blocks, properties);
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
