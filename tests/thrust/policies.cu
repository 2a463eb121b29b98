// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Every spelling of a Thrust policy under nvcc: the backend, the stream and the synchronisation
// that ran.

#include <doctest/doctest.h>

#include "cuda_policies.hpp"
#include "host_policies.hpp"
#include "stream.hpp"

#include <thrust/complex.h>
#include <thrust/device_vector.h>
#include <thrust/universal_vector.h>

namespace {

TEST_CASE("Thrust's serial policies run on the reference") {
  for_each_serial_policy(runs_on{"reference"});
}

TEST_CASE("Thrust's OpenMP policies run on omp") {
  for_each_omp_policy(runs_on{"omp"});
}

TEST_CASE("Thrust's CUDA policies ask for their stream, and nosync is kept") {
  auto const stream = reinterpret_cast<cudaStream_t>(0x1230);
  for_each_cuda_policy(
      cudaStreamLegacy, stream,
      [](char const* spelling, auto const& policy, cudaStream_t expected, bool nosync) {
        CAPTURE(spelling);
        using traits = xpose::detail::policy_traits<std::decay_t<decltype(policy)>>;
        static_assert(traits::uses_device == xpose::detail::device_use::intended);
        xpose::detail::execution const where = traits::make(policy);
        CHECK(where.backend == xpose::detail::backend_id::cuda);
        CHECK(where.stream == static_cast<void*>(expected));
        CHECK(where.nosync == nosync);
        CHECK_FALSE(where.strict);
      });
}

TEST_CASE("Thrust's CUDA policies run on omp where there is no GPU") {
  if (has_gpu()) return;
  for_each_cuda_policy(cudaStreamLegacy, nullptr,
                       [](char const* spelling, auto const& policy, cudaStream_t, bool) {
                         CAPTURE(spelling);
                         matrices<thrust::host_vector<float>> m;
                         std::string const report = m.report_of(policy);
                         CAPTURE(report);
                         CHECK(contains(report, "backend omp,"));
                         CHECK(contains(report, "xpose::cuda fell back to the processor"));
                         CHECK(m.are_transposed());
                       });
}

TEST_CASE("Thrust's CUDA policies run on the device, on their stream, blocking unless nosync") {
  if (!needs_gpu()) return;
  new_stream const stream;
  for_each_cuda_policy(
      cudaStreamLegacy, stream,
      [](char const* spelling, auto const& policy, cudaStream_t expected, bool nosync) {
        CAPTURE(spelling);
        matrices<thrust::device_vector<float>> m;
        REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
        std::string const report = m.report_of(policy);
        CAPTURE(report);
        CHECK(contains(report, "backend cuda,"));
        CHECK(contains(report, stream_report(expected, nosync)));
        REQUIRE(cudaStreamSynchronize(expected) == cudaSuccess);
        CHECK(m.are_transposed());
      });
}

TEST_CASE("a nosync call returns before earlier work of its stream is done, a blocking one after") {
  if (!needs_gpu()) return;
  new_stream const stream;
  matrices<thrust::device_vector<float>> m;
  // Loads the kernel: a first launch may wait for the device.
  xpose::transpose(thrust::cuda::par.on(stream), m.in_view(), m.out_view());

  std::atomic<bool> open{false};
  stream.wait_for(open);
  xpose::transpose(thrust::cuda::par_nosync.on(stream), m.in_view(), m.out_view());
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  open = true;
  xpose::transpose(thrust::cuda::par.on(stream), m.in_view(), m.out_view());
  CHECK(cudaStreamQuery(stream) == cudaSuccess);
  CHECK(m.are_transposed());
}

TEST_CASE("par_nosync can be captured in a CUDA graph, and replays") {
  if (!needs_gpu()) return;
  new_stream const stream;
  matrices<thrust::device_vector<float>> m;
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);

  recording graph(stream);
  // A blocking policy would wait for a stream that does not run; it is refused, and the recording
  // goes on.
  CHECK_THROWS_AS(xpose::transpose(thrust::cuda::par.on(stream), m.in_view(), m.out_view()),
                  xpose::backend_error);
  xpose::transpose(thrust::cuda::par_nosync.on(stream), m.in_view(), m.out_view());
  REQUIRE(graph.stop() == cudaSuccess);
  CHECK_FALSE(m.are_transposed());  // recorded, not run

  for (int run = 0; run < 2; ++run) {
    thrust::fill(m.out.begin(), m.out.end(), -1.f);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    graph.play();
    CHECK(m.are_transposed());
  }
}

TEST_CASE("a pageable host_vector under thrust::device is refused where there is a GPU") {
  if (!needs_gpu()) return;
  matrices<thrust::host_vector<float>> m;
  CHECK_THROWS_AS(xpose::transpose(thrust::device, m.in_view(), m.out_view()),
                  xpose::residency_error);
  CHECK_FALSE(m.are_transposed());
}

TEST_CASE("device memory under thrust::host is refused") {
  if (!needs_gpu()) return;
  matrices<thrust::device_vector<float>> m;
  CHECK_THROWS_AS(xpose::transpose(thrust::host, m.in_view(), m.out_view()),
                  xpose::residency_error);
}

TEST_CASE("a universal_vector works on both sides") {
  if (!needs_gpu()) return;
  matrices<thrust::universal_vector<float>> m;
  xpose::transpose(thrust::device, m.in_view(), m.out_view());
  CHECK(m.are_transposed());
  xpose::transpose(thrust::omp::par, m.in_view(), m.out_view());
  CHECK(m.are_transposed());
}

TEST_CASE("thrust::complex is conjugated and multiplied on the device") {
  if (!needs_gpu()) return;
  using complex = thrust::complex<float>;
  thrust::host_vector<complex> a(4);
  for (std::size_t i = 0; i < 4; ++i) a[i] = complex(float(i), 1.f);
  thrust::device_vector<complex> const on_device = a;
  thrust::device_vector<complex> out(4);
  xpose::transpose(thrust::device, xpose::view(on_device, 2, 2), xpose::view(out, 2, 2),
                   xpose::conjugate{});
  CHECK(complex(out[1]) == complex(2.f, -1.f));
  xpose::gemm(thrust::device, complex(2.f), xpose::view(on_device, 2, 2),
              xpose::view(on_device, 2, 2), complex(0.f), xpose::view(out, 2, 2));
  CHECK(complex(out[0]) == complex(0.f, 6.f));
  CHECK(complex(out[3]) == complex(18.f, 18.f));
}

}  // namespace
