// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Device memory that a tuner's calls walk through, and the clock that times them.
#pragma once

#include "types/random.hpp"

#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/matrix_view.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <type_traits>

namespace xpose::bench {

using detail::check_cuda;

/// Device memory of random elements, larger than the cache, that calls walk through.
class arena {
 public:
  static constexpr index bytes = index{3} << 29;

  arena() {
    check_cuda(cudaMalloc(reinterpret_cast<void**>(&data_), bytes), "cudaMalloc");
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    check_cuda(cudaEventCreate(&start_), "cudaEventCreate");
    check_cuda(cudaEventCreate(&stop_), "cudaEventCreate");
    cudaDeviceProp gpu{};
    check_cuda(cudaGetDeviceProperties(&gpu, 0), "cudaGetDeviceProperties");
    int kilohertz = 0;
    check_cuda(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0),
               "cudaDeviceGetAttribute");
    multiprocessors_ = gpu.multiProcessorCount;
    cycles_per_second_ = 1e3 * kilohertz;
    auto const& clusters = detail::clusters_of_device().of;
    std::printf(
        "# %s, %d multiprocessors, %d, %d and %d clusters of 2, 4 and 8, %.2f GHz at most, CUDA "
        "%d\n",
        gpu.name, multiprocessors_, clusters[1], clusters[3], clusters[7],
        1e-9 * cycles_per_second_, CUDART_VERSION);
  }
  ~arena() {
    cudaStreamDestroy(stream_);
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
    cudaFree(data_);
  }
  arena(arena const&) = delete;
  arena& operator=(arena const&) = delete;

  char* data() const { return data_; }
  int multiprocessors() const { return multiprocessors_; }
  double cycles(double seconds) const { return seconds * cycles_per_second_; }

  /// Seconds of call(number), the median of rounds of many calls in a row, which are one graph:
  /// calls of a few microseconds would else measure the host. A call that takes longer than
  /// `longest` is timed alone, four times. Then the GPU rests for twice as long as it worked: an
  /// H200 that multiplies without a pause is at its limit of 700 W after some milliseconds, at 1.45
  /// GHz, where all configs of a large product take the same (2026-11-29).
  template <class Call>
  double time(Call const& call, double longest = 30e-3) const {
    auto const start = std::chrono::steady_clock::now();
    double const seconds = time_without_rest(call, longest);
    constexpr double least_for_rest = 20e-6;  // shorter calls do not fill the GPU
    if (seconds > least_for_rest)
      std::this_thread::sleep_for(2 * (std::chrono::steady_clock::now() - start));
    return seconds;
  }
  cudaStream_t stream() const { return stream_; }

 private:
  template <class Call>
  double time_without_rest(Call const& call, double longest) const {
    constexpr double of_round = 0.7e-3;
    constexpr int rounds = 3;
    auto const several = [&](int calls) {
      return [&call, calls] {
        for (int c = 0; c < calls; ++c) call(c);
      };
    };
    time_once(several(1));
    double guess = time_once(several(2)) / 2;
    if (guess > longest) guess = std::min(guess, time_once(several(2)) / 2);
    if (guess > longest) return guess;
    int const calls = static_cast<int>(std::clamp(of_round / guess, 2.0, 200.0));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t recorded = nullptr;
    check_cuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal),
               "cudaStreamBeginCapture");
    several(calls)();
    check_cuda(cudaStreamEndCapture(stream_, &graph), "cudaStreamEndCapture");
    check_cuda(cudaGraphInstantiate(&recorded, graph, 0), "cudaGraphInstantiate");
    auto const replay = [&] { check_cuda(cudaGraphLaunch(recorded, stream_), "cudaGraphLaunch"); };
    time_once(replay);
    double times[rounds];
    for (double& t : times) t = time_once(replay) / calls;
    cudaGraphExecDestroy(recorded);
    cudaGraphDestroy(graph);
    std::sort(times, times + rounds);
    return times[rounds / 2];
  }
  template <class Work>
  double time_once(Work const& work) const {
    check_cuda(cudaEventRecord(start_, stream_), "cudaEventRecord");
    work();
    check_cuda(cudaEventRecord(stop_, stream_), "cudaEventRecord");
    check_cuda(cudaEventSynchronize(stop_), "cudaEventSynchronize");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
    return 1e-3 * milliseconds;
  }

  char* data_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
  int multiprocessors_ = 0;
  double cycles_per_second_ = 0;
};

/// As the bench fills operands: the power that zeros save would flatter a tile.
template <class T>
__global__ void fill(T* data, index count) {
  index const stride = index{gridDim.x} * blockDim.x;
  for (index i = index{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
    data[i] = random_scalar<T>::make(hash_of(static_cast<std::uint64_t>(i), 0));
}

}  // namespace xpose::bench
