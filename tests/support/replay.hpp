// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A stream of a test's own, and calls captured on it and replayed from a graph.
#pragma once

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <thread>

struct stream {
  stream() { REQUIRE(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking) == cudaSuccess); }
  ~stream() { cudaStreamDestroy(handle); }
  stream(stream const&) = delete;
  stream& operator=(stream const&) = delete;
  cudaStream_t handle = nullptr;
};

/// Kernels that call() launches on the stream.
template <class Call>
std::ptrdiff_t kernels_launched(stream const& s, Call const& call) {
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  call();
  REQUIRE(cudaStreamEndCapture(s.handle, &graph) == cudaSuccess);
  cudaGraphNode_t nodes[16] = {};
  std::size_t count = 16;
  CHECK(cudaGraphGetNodes(graph, nodes, &count) == cudaSuccess);
  auto const kernels = std::count_if(nodes, nodes + count, [](cudaGraphNode_t node) {
    cudaGraphNodeType type{};
    return cudaGraphNodeGetType(node, &type) == cudaSuccess && type == cudaGraphNodeTypeKernel;
  });
  cudaGraphDestroy(graph);
  return kernels;
}

/// Captures call(), then change(n), a launch of the graph, and check(n), `times` times; every other
/// launch comes from another thread.
template <class Call, class Change, class Check>
void replay(stream const& s, int times, Call const& call, Change const& change,
            Check const& check) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaStreamBeginCapture(s.handle, cudaStreamCaptureModeGlobal) == cudaSuccess);
  call();
  REQUIRE(cudaStreamEndCapture(s.handle, &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  for (int n = 0; n < times; ++n) {
    change(n);
    cudaError_t launched = cudaErrorNotReady;
    auto const launch = [&] { launched = cudaGraphLaunch(executable, s.handle); };
    if (n % 2 == 0) launch();
    else std::thread(launch).join();
    REQUIRE(launched == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(s.handle) == cudaSuccess);
    check(n);
  }
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}
