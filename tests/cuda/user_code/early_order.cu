// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm whose kernel starts before the work ahead of it on the stream is done (launch_pdl) reads
// what that work wrote: behind kernels of the user's, events, other streams, copies and in graphs.

#include "support/gpu.hpp"
#include "support/memory.hpp"
#include "support/replay.hpp"

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

// A named namespace: nvcc confuses the unnamed one of a file with those inside doctest's templates.
namespace early_order {

constexpr int side = 64, elements = side * side;
constexpr long long late = 10'000'000;  // ns

/// Fills p, so late that a kernel that did not wait would have read what was there before.
__global__ void fill_late(float* p, float value, bool lets_the_next_start) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if (lets_the_next_start) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
  unsigned long long start = 0, time = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  } while (time - start < late);
  for (int i = static_cast<int>(threadIdx.x); i < elements; i += static_cast<int>(blockDim.x))
    p[i] = value;
}

struct event {
  event() { REQUIRE(cudaEventCreateWithFlags(&handle, cudaEventDisableTiming) == cudaSuccess); }
  ~event() { cudaEventDestroy(handle); }
  event(event const&) = delete;
  event& operator=(event const&) = delete;
  cudaEvent_t handle = nullptr;
};

struct blocking_stream {
  blocking_stream() { REQUIRE(cudaStreamCreate(&handle) == cudaSuccess); }
  ~blocking_stream() { cudaStreamDestroy(handle); }
  blocking_stream(blocking_stream const&) = delete;
  blocking_stream& operator=(blocking_stream const&) = delete;
  cudaStream_t handle = nullptr;
};

/// C = A B with A of ones, B of zeros before each order of calls.
class product {
 public:
  float* a() const { return reinterpret_cast<float*>(a_.data()); }
  float* b() const { return reinterpret_cast<float*>(b_.data()); }
  float* c() const { return reinterpret_cast<float*>(c_.data()); }
  void multiply(cudaStream_t s) const {
    using view = xpose::matrix_view<float const>;
    xpose::gemm(xpose::cuda.on(s).nosync(), view(a(), side, side), view(b(), side, side),
                xpose::matrix_view<float>(c(), side, side));
  }
  void fill_b(cudaStream_t s, float value, bool lets_the_next_start = false) const {
    fill_late<<<1, 256, 0, s>>>(b(), value, lets_the_next_start);
  }
  /// Whether C is the product of ones and `value` after order() of calls.
  template <class Order>
  bool is_right(float value, Order const& order) {
    std::vector<float> ones(elements, 1.f), zeros(elements, 0.f), result(elements);
    a_.write(ones.data());
    b_.write(zeros.data());
    cudaDeviceSynchronize();
    order();
    cudaDeviceSynchronize();
    c_.read(result.data());
    return std::all_of(result.begin(), result.end(), [&](float x) { return x == side * value; });
  }

 private:
  place_memory a_{place::device, elements * sizeof(float)};
  place_memory b_{place::device, elements * sizeof(float)};
  place_memory c_{place::device, elements * sizeof(float)};
};

TEST_CASE("gemm that starts early waits for what is ahead of it on its stream") {
  if (!needs_gpu()) return;
  product p;
  stream const s, other;
  event const filled;
  CHECK(p.is_right(2, [&] {
    p.fill_b(s.handle, 2);
    p.multiply(s.handle);
  }));
  CHECK(p.is_right(3, [&] {
    p.fill_b(s.handle, 3, true);
    for (int again = 0; again < 3; ++again) p.multiply(s.handle);
  }));
  CHECK(p.is_right(4, [&] {
    p.fill_b(other.handle, 4);
    cudaEventRecord(filled.handle, other.handle);
    p.multiply(s.handle);
    cudaStreamWaitEvent(s.handle, filled.handle);
    p.multiply(s.handle);
  }));
  std::vector<float> const fives(elements, 5.f);
  CHECK(p.is_right(5, [&] {
    p.fill_b(s.handle, 1);
    cudaMemcpyAsync(p.b(), fives.data(), elements * sizeof(float), cudaMemcpyHostToDevice,
                    s.handle);
    p.multiply(s.handle);
  }));
}

TEST_CASE("gemm that starts early keeps the order of the legacy stream and of those that block") {
  if (!needs_gpu()) return;
  product p;
  blocking_stream const blocking;
  CHECK(p.is_right(6, [&] {
    p.multiply(cudaStreamLegacy);
    p.fill_b(blocking.handle, 6);
    p.multiply(cudaStreamLegacy);
  }));
  CHECK(p.is_right(7, [&] {
    p.multiply(blocking.handle);
    p.fill_b(cudaStreamLegacy, 7);
    p.multiply(blocking.handle);
  }));
}

TEST_CASE("gemm that starts early waits in a graph for joined streams, and behind a memset") {
  if (!needs_gpu()) return;
  product p;
  stream const s, other;
  event const forked, joined;
  for (int const kind : {0, 1, 2}) {
    CAPTURE(kind);
    CHECK(p.is_right(8, [&] {
      replay(
          s, 1,
          [&] {
            if (kind < 2) {
              cudaEventRecord(forked.handle, s.handle);
              cudaStreamWaitEvent(other.handle, forked.handle);
              p.fill_b(other.handle, 8, true);
              cudaEventRecord(joined.handle, other.handle);
              if (kind == 1) p.multiply(s.handle);
              cudaStreamWaitEvent(s.handle, joined.handle);
            } else {
              cudaMemsetAsync(p.c(), 0, 4, s.handle);
              p.fill_b(s.handle, 8, true);
            }
            p.multiply(s.handle);
            p.multiply(s.handle);
          },
          [](int) {}, [](int) {});
    }));
  }
}

}  // namespace early_order
