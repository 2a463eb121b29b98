// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A CUDA stream of the test's own, a gate that holds its work back, and a recording of it as a CUDA
// graph.
#pragma once

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <atomic>
#include <thread>

class new_stream {
 public:
  // Non-blocking: the legacy default stream must not order its work.
  new_stream() {
    REQUIRE(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess);
  }
  ~new_stream() { cudaStreamDestroy(stream_); }
  new_stream(new_stream const&) = delete;
  new_stream& operator=(new_stream const&) = delete;
  operator cudaStream_t() const { return stream_; }

  /// Work given to the stream after this runs once `open` is true.
  void wait_for(std::atomic<bool>& open) const {
    auto const wait = [](void* gate) {
      while (!*static_cast<std::atomic<bool>*>(gate)) std::this_thread::yield();
    };
    REQUIRE(cudaLaunchHostFunc(stream_, wait, &open) == cudaSuccess);
  }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Records what a stream is given. Ends the recording when it goes, so that a failed test cannot
/// leave the stream capturing under the destructors of its vectors.
class recording {
 public:
  explicit recording(cudaStream_t stream) : stream_(stream) {
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  }
  ~recording() {
    stop();
    if (replay_ != nullptr) cudaGraphExecDestroy(replay_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
  }
  recording(recording const&) = delete;
  recording& operator=(recording const&) = delete;

  cudaError_t stop() {
    if (stopped_) return cudaSuccess;
    stopped_ = true;
    cudaError_t const status = cudaStreamEndCapture(stream_, &graph_);
    return status == cudaSuccess ? cudaGraphInstantiate(&replay_, graph_, 0) : status;
  }
  void play() const {
    REQUIRE(cudaGraphLaunch(replay_, stream_) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(stream_) == cudaSuccess);
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t replay_ = nullptr;
  bool stopped_ = false;
};
