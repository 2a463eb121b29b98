// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose in a Thrust program: Thrust's vectors, policies and streams as they are.

#include <xpose/thrust.hpp>
#include <xpose/xpose.hpp>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/sequence.h>

#include <cstdio>

namespace xp = xpose;

struct halve {
  __host__ __device__ float operator()(int x) const { return 0.5f * x; }
};

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("skipped: thrust::device_vector needs a GPU, and there is none");
    return 77;
  }
  thrust::device_vector<int> in(300 * 200);
  thrust::device_vector<int> turned(200 * 300);
  thrust::device_vector<int> back(300 * 200);
  thrust::sequence(in.begin(), in.end());

  // Thrust's blocking policy: the result is there when the call returns.
  xp::transpose(thrust::device, xp::view(in, 300, 200), xp::view(turned, 200, 300));

  // A stream and no waiting: the calls are only ordered, after each other.
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  auto const queue = thrust::cuda::par_nosync.on(stream);
  thrust::device_vector<float> halves(300 * 200);
  xp::transpose(queue, xp::view(turned, 200, 300), xp::view(back, 300, 200));
  xp::transpose(queue, xp::view(turned, 200, 300), xp::view(halves, 300, 200), halve{});
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);

  bool const right = in == back && turned[1] == 200 && halves[299] == 0.5f * in[299];
  std::puts(right ? "transposed there and back on the device" : "the result is wrong");
  return right ? 0 : 1;
}
