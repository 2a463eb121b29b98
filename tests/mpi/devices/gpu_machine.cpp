// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Real devices, dealt out to the processes of a node in turns.

#include "machine.hpp"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

namespace machine {
namespace {

int devices = 0;

void check(cudaError_t status, char const* call) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  std::abort();
}

}  // namespace

void start(int rank) {
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("summary: 0 passed, 0 failed, 0 skipped\n");
    std::exit(77);  // which ctest takes for skipped
  }
  check(cudaSetDevice(rank % devices), "cudaSetDevice");
}
bool has_device_for_each(int processes) { return processes <= devices; }
bool can_share_devices() { return false; }
void share_devices(bool) {}
void fail_call(int) {}
int calls() { return 0; }
char const* wrongs() { return ""; }

void* allocate(std::size_t bytes) {
  void* data = nullptr;
  check(cudaMalloc(&data, bytes), "cudaMalloc");
  return data;
}
void release(void* data) { check(cudaFree(data), "cudaFree"); }
void to_device(void* to, void const* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}
void from_device(void* to, void const* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

}  // namespace machine
