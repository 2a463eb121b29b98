// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Time of calls on a stream, without what the host needs to launch them: for the bench, and for
// peers that choose among algorithms.
#pragma once

#include "cuda/check.hpp"

#include <cuda_runtime.h>

#include <cstdint>

namespace xpose::bench {

// Time that the host needs to enqueue one call, generously: the device waits for as long before a
// sample starts, so that launch cost does not appear between the calls.
constexpr double enqueue_seconds = 15e-6;
/// Of one sample; a longer one is taken in parts.
constexpr int most_calls_enqueued = 200;

/// A template, because several files may hold it.
template <class Nanoseconds>
__global__ void spin(Nanoseconds wait) {
  auto const now = [] {
    Nanoseconds time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
  };
  Nanoseconds const start = now();
  while (now() - start < wait) {
  }
}

class stream_timer {
 public:
  explicit stream_timer(cudaStream_t stream) : stream_(stream) {
    check(cudaEventCreate(&start_), "cudaEventCreate");
    check(cudaEventCreate(&stop_), "cudaEventCreate");
  }
  stream_timer(stream_timer const&) = delete;
  stream_timer& operator=(stream_timer const&) = delete;
  ~stream_timer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }

  /// Seconds of call(0) .. call(calls - 1) together, which enqueue on the stream; calls is at most
  /// most_calls_enqueued.
  template <class Call>
  double seconds(int calls, Call const& call) {
    auto const wait = static_cast<std::uint64_t>((calls + 2) * enqueue_seconds * 1e9);
    spin<<<1, 1, 0, stream_>>>(wait);
    check(cudaGetLastError(), "spin");
    check(cudaEventRecord(start_, stream_), "cudaEventRecord");
    for (int i = 0; i < calls; ++i) call(i);
    check(cudaEventRecord(stop_, stream_), "cudaEventRecord");
    check(cudaEventSynchronize(stop_), "cudaEventSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

}  // namespace xpose::bench
