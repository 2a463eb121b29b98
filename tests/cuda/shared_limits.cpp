// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Calls that run one kernel with unlike amounts of shared memory, from several threads and in
// graphs. faults/shared_memory.cpp shows the same without a device.

#include "cases/matrix.hpp"
#include "support/gpu.hpp"
#include "support/replay.hpp"

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <atomic>
#include <thread>
#include <vector>

TEST_SUITE_BEGIN("cuda.runtime");

namespace {

using xpose::index;

constexpr index count = 300;

float value(index b, index i, index j) { return static_cast<float>((7 * b + 3 * i + 5 * j) % 251); }

/// A batch that transpose_small_batched<4> turns, and what it is turned into.
struct batches {
  batches(index rows, index cols)
      : in(place::device, rows, cols, cases::pattern::row_major, count),
        out(place::device, cols, rows, cases::pattern::row_major, count) {
    in.fill(value);
  }
  void transpose(stream const& s) const {
    xpose::transpose(xpose::cuda.on(s.handle).nosync(), in.batch_there(), out.batch_there());
  }
  void forget() {
    out.fill([](index, index, index) { return -1.f; });
  }
  bool is_right() {
    return out.holds([](index b, index i, index j) { return value(b, j, i); });
  }
  matrix<float> in, out;
};

TEST_CASE("threads that turn batches of unlike matrices at once do not disturb each other") {
  if (!needs_gpu()) return;
  struct shape {
    index rows, cols;
  };
  constexpr shape shapes[] = {{66, 157}, {66, 211}, {66, 197}, {65, 143}};
  std::atomic<int> failed{0};
  std::vector<std::thread> users;
  for (shape const e : shapes)
    users.emplace_back([e, &failed] {
      stream const s;
      batches mine(e.rows, e.cols);
      cudaDeviceSynchronize();
      for (int n = 0; n < 3000; ++n) {
        try {
          mine.transpose(s);
        } catch (xpose::cuda_error const&) {
          ++failed;
        }
        if (n % 64 == 0) cudaStreamSynchronize(s.handle);
      }
      cudaStreamSynchronize(s.handle);
      if (!mine.is_right()) ++failed;
    });
  for (auto& user : users) user.join();
  CHECK(failed == 0);
}

TEST_CASE("a captured batch is replayed whatever ran on its kernel since") {
  if (!needs_gpu()) return;
  stream const s;
  batches large(66, 211), small(66, 157);
  for (bool const is_captured_too : {true, false}) {
    CAPTURE(is_captured_too);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    REQUIRE(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    large.transpose(s);
    if (is_captured_too) small.transpose(s);
    REQUIRE(cudaStreamEndCapture(s.handle, &graph) == cudaSuccess);
    small.transpose(s);
    REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
    small.transpose(s);
    REQUIRE(cudaStreamSynchronize(s.handle) == cudaSuccess);
    large.forget();
    small.forget();
    CHECK(cudaGraphLaunch(executable, s.handle) == cudaSuccess);
    CHECK(cudaStreamSynchronize(s.handle) == cudaSuccess);
    CHECK(large.is_right());
    if (is_captured_too) CHECK(small.is_right());
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
  }
}

}  // namespace

TEST_SUITE_END();
