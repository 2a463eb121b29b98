// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Compiled with CUDA_API_PER_THREAD_DEFAULT_STREAM: policies without a stream then mean the
// thread's own, whatever the compiled library was built with. An executable of its own, because
// Thrust's inline functions differ under that macro.

#include <doctest/doctest.h>

#include "cuda_policies.hpp"

#include <thrust/device_vector.h>

namespace {

TEST_CASE("CUDA policies without a stream mean the thread's own default stream") {
  auto const stream = reinterpret_cast<cudaStream_t>(0x1230);
  for_each_cuda_policy(
      cudaStreamPerThread, stream,
      [](char const* spelling, auto const& policy, cudaStream_t expected, bool nosync) {
        CAPTURE(spelling);
        using traits = xpose::detail::policy_traits<std::decay_t<decltype(policy)>>;
        xpose::detail::execution const where = traits::make(policy);
        CHECK(where.stream == static_cast<void*>(expected));
        CHECK(where.nosync == nosync);
      });
}

TEST_CASE("thrust::device runs on the thread's own default stream") {
  if (!needs_gpu()) return;
  matrices<thrust::device_vector<float>> m;
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(contains(m.report_of(thrust::device), stream_report(cudaStreamPerThread, false)));
  CHECK(m.are_transposed());
  CHECK(contains(m.report_of(xpose::cuda), stream_report(cudaStreamPerThread, false)));
}

}  // namespace
