// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Every spelling of a Thrust policy under nvcc: the backend, the stream and the synchronisation
// that ran.

#include <doctest/doctest.h>

#include "allocators.hpp"
#include "cuda_policies.hpp"
#include "host_policies.hpp"
#include "stream.hpp"

#include <thrust/complex.h>
#include <thrust/device_vector.h>
#include <thrust/universal_vector.h>

namespace {

TEST_CASE("Thrust's serial policies run as xpose::seq") {
  for_each_serial_policy(runs_as{"xpose::seq"});
}

TEST_CASE("Thrust's OpenMP policies run on omp") { for_each_omp_policy(runs_as{"xpose::omp"}); }

TEST_CASE("temporary memory comes from the allocator, or the policy, that brings some") {
  for_each_host_policy_with_memory(takes_given_memory{});
  static_assert(takes_own_memory<decltype(thrust::device)>);
  static_assert(takes_own_memory<decltype(thrust::cuda::par.on(nullptr))>);
  static_assert(takes_own_memory<decltype(thrust::cuda::par_nosync)>);
  static_assert(takes_own_memory<decltype(thrust::cuda::par_nosync.on(nullptr))>);
  static_assert(takes_own_memory<user_stream_policy>);
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

TEST_CASE("a CUDA policy's allocator is not asked where the call falls back to omp") {
  if (has_gpu()) return;
  refusing_allocator allocator;
  CHECK(turns_in_place(thrust::cuda::par(allocator)));
}

/// A device's memory at an odd address, allocated beforehand: cudaMalloc may wait for streams.
/// Writes down whether the stream was still at work when the memory came back.
struct device_allocator {
  using value_type = char;
  thrust::device_vector<char>* memory;
  ledger* book;
  cudaStream_t stream;
  bool* stream_was_busy;

  char* allocate(std::size_t bytes) {
    REQUIRE(bytes < memory->size());
    ++book->taken;
    book->bytes = bytes;
    return thrust::raw_pointer_cast(memory->data()) + 1;
  }
  void deallocate(char* given, std::size_t bytes) {
    ++book->returned;
    book->same_came_back =
        given == thrust::raw_pointer_cast(memory->data()) + 1 && bytes == book->bytes;
    *stream_was_busy = cudaStreamQuery(stream) == cudaErrorNotReady;
  }
};

TEST_CASE("CUDA policies take temporary memory from their allocator, and return it in time") {
  if (!needs_gpu()) return;
  new_stream const stream;
  thrust::device_vector<char> memory(1 << 20);
  ledger book;
  bool was_busy = false;
  device_allocator allocator{&memory, &book, stream, &was_busy};
  auto const check = [&](auto const& policy, bool nosync) {
    book = {};
    matrices<thrust::device_vector<float>> m;
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    std::atomic<bool> open{!nosync};
    stream.wait_for(open);
    auto const turned = xpose::transpose_inplace(policy, xpose::view(m.in, rows_in, cols_in));
    CHECK(was_busy == nosync);
    open = true;
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(turned.rows() == cols_in);
    CHECK(is_transposed(thrust::host_vector<float>(m.in)));
    CHECK(book.taken == 1);
    CHECK(book.returned == 1);
    CHECK(book.same_came_back);
    CHECK(book.bytes >= rows_in * cols_in * sizeof(float) + 255);
  };
  check(thrust::cuda::par(allocator).on(stream), false);  // loads the kernels
  check(thrust::device(device_allocator(allocator)).on(stream), false);
  check(thrust::cuda::par_nosync(allocator).on(stream), true);
  check(xpose::cuda.on(stream).with(allocator), false);
  check(xpose::cuda.on(stream).nosync().with(allocator), true);
}

TEST_CASE("gemm takes its workspace on the device from the policy's allocator") {
  if (!needs_gpu()) return;
  new_stream const stream;
  thrust::device_vector<char> memory(64 << 20);
  ledger book;
  bool was_busy = false;
  device_allocator allocator{&memory, &book, stream, &was_busy};
  // Few tiles and a long sum, so that blocks share it.
  constexpr xpose::index side = 64, depth = 1 << 15;
  thrust::device_vector<float> a(side * depth, 1.f), b(depth * side, 1.f), c(side * side, 0.f);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  xpose::gemm(thrust::cuda::par(allocator).on(stream), xpose::view(a, side, depth),
              xpose::view(b, depth, side), xpose::view(c, side, side));
  CHECK(c[side + 1] == static_cast<float>(depth));
  CHECK(book.taken == 1);
  CHECK(book.returned == 1);
  CHECK_FALSE(was_busy);
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
