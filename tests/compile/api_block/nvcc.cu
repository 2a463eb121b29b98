// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The calls of the documents that need nvcc or Thrust, word for word.

#include "block.hpp"

#include <xpose/thrust.hpp>

#include <doctest/doctest.h>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>

namespace xp = xpose;

// A named namespace: nvcc confuses the unnamed one of a file with those inside doctest's templates.
namespace api_block {

struct relu {
  XPOSE_HOST_DEVICE float operator()(float x) const { return x > 0 ? x : 0; }
};

TEST_CASE("gemm with an epilogue of the user's") {
  block_memory p_memory(60000 * sizeof(float));
  block_memory q_memory(60000 * sizeof(float));
  block_memory g_memory(90000 * sizeof(float));
  block_stream const stream;
  xp::matrix_view<float const> A(p_memory.counting<float>(60000, -48.f), 300, 200);
  xp::matrix_view<float> B(q_memory.counting<float>(60000, -40.f), 200, 300);
  xp::matrix_view<float> G(g_memory.as<float>(), 300, 300);
  xp::gemm(xp::cuda.on(stream), A, B, G, xp::options().accumulate<float>().epilogue(relu{}));
  CHECK(is_product(A, B, G, sum_of_products{}, relu{}));
}

thrust::host_vector<float> counting(std::size_t count) {
  thrust::host_vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(i);
  return numbers;
}

TEST_CASE("transpose under Thrust's policies, on a device_vector") {
  if (!needs_gpu()) return;
  block_stream const stream;
  thrust::host_vector<float> const in = counting(60000);
  thrust::device_vector<float> const d_in = in;
  auto const is_right_after = [&](auto const& call) {
    thrust::device_vector<float> d_out(60000, -1.f);
    call(d_out);
    stream.wait();
    thrust::host_vector<float> const out = d_out;
    return is_transpose(xp::view(in, 300, 200), xp::view(out, 200, 300));
  };
  CHECK(is_right_after([&](thrust::device_vector<float>& d_out) {
    xp::transpose(thrust::device, xp::view(d_in, 300, 200), xp::view(d_out, 200, 300));
  }));
  CHECK(is_right_after([&](thrust::device_vector<float>& d_out) {
    auto A = xp::view(d_in, 300, 200);
    auto B = xp::view(d_out, 200, 300);
    xp::transpose(thrust::cuda::par_nosync.on(stream), A, B);
  }));
}

TEST_CASE("transpose under thrust::device where there is no GPU runs on the processor") {
  if (has_gpu()) return;
  thrust::host_vector<float> const in = counting(60000);
  thrust::host_vector<float> out(60000, -1.f);
  xp::transpose(thrust::device, xp::view(in, 300, 200), xp::view(out, 200, 300));
  CHECK(is_transpose(xp::view(in, 300, 200), xp::view(out, 200, 300)));
}

}  // namespace api_block
