// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Thrust's iterators as input under nvcc: read on the device, and on the host where the policy, or
// the lack of a device, says so.

#include <doctest/doctest.h>

#include "iterators.hpp"
#include "stream.hpp"

#include <thrust/device_vector.h>
#include <thrust/system/cuda/execution_policy.h>

namespace {

TEST_CASE("Thrust's iterators are read on the device") {
  if (!needs_gpu()) return;
  fancy::check_all<thrust::device_vector>(thrust::device, "cuda");
  fancy::check_iterators_of_memory<thrust::device_vector<float>>(thrust::device);
}

TEST_CASE("Thrust's iterators are read on omp where there is no GPU") {
  if (has_gpu()) return;
  fancy::check_all<thrust::host_vector>(thrust::device, "omp");
}

struct wide {
  long long words[6];  // too large for a tile
};
struct to_wide {
  __host__ __device__ wide operator()(long long k) const { return {{k, k, k, k, k, -k}}; }
};

TEST_CASE("an iterator's elements of any size and layout reach the device's memory") {
  if (!needs_gpu()) return;
  constexpr xpose::index rows = 1025, cols = 513;
  auto const number = thrust::make_counting_iterator(0ll);
  auto const in = xpose::view(number, rows, cols);
  auto const is_number = [](long long value, xpose::index i, xpose::index j) {
    return value == i * cols + j;
  };
  thrust::device_vector<wide> large(rows * cols);
  xpose::transpose(xpose::cuda, in, xpose::view(large, cols, rows), to_wide{});
  thrust::host_vector<wide> const of_large = large;
  // Rows of the input and of the output, each with gaps and one of them backwards.
  thrust::device_vector<long long> gaps(2 * cols * (rows + 1));
  xpose::strided const backwards{-2 * (rows + 1), 2};
  xpose::matrix_view<long long> const out(
      thrust::raw_pointer_cast(gaps.data()) + (cols - 1) * 2 * (rows + 1), cols, rows, backwards);
  xpose::transpose(xpose::cuda, in, out);
  thrust::host_vector<long long> const of_gaps = gaps;
  bool is_right = true;
  for (xpose::index i = 0; i < rows; ++i)
    for (xpose::index j = 0; j < cols; ++j) {
      is_right =
          is_right && is_number(of_large[static_cast<std::size_t>(j * rows + i)].words[0], i, j) &&
          is_number(of_gaps[static_cast<std::size_t>((cols - 1 - j) * 2 * (rows + 1) + 2 * i)], i,
                    j);
    }
  CHECK(is_right);
}

TEST_CASE("a nosync policy enqueues the reading of an iterator, and a graph records it") {
  if (!needs_gpu()) return;
  new_stream const stream;
  thrust::device_vector<int> out(fancy::rows * fancy::cols, -1);
  auto const in = xpose::view(thrust::make_counting_iterator(0), fancy::rows, fancy::cols);
  auto const to = xpose::view(out, fancy::cols, fancy::rows);
  auto const queue = thrust::cuda::par_nosync.on(stream);
  xpose::transpose(thrust::cuda::par.on(stream), in, to);  // loads the kernel
  CHECK(out[1] == fancy::cols);

  std::atomic<bool> open{false};
  stream.wait_for(open);
  xpose::transpose(queue, in, to);
  CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
  open = true;
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);

  recording graph(stream);
  xpose::transpose(queue, in, to);
  REQUIRE(graph.stop() == cudaSuccess);
  thrust::fill(out.begin(), out.end(), -1);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  graph.play();
  CHECK(out[1] == fancy::cols);
}

TEST_CASE("explain names the kernel that reads an iterator on the device") {
  if (!needs_gpu()) return;
  thrust::device_vector<int> out(fancy::rows * fancy::cols);
  auto const kernel_of = [&](auto const& to) {
    return xpose::explain(xpose::cuda, xpose::operation::transpose,
                          xpose::view(thrust::make_counting_iterator(0), fancy::rows, fancy::cols),
                          to)
        .kernel;
  };
  CHECK(kernel_of(xpose::view(out, fancy::cols, fancy::rows)) == "transpose_iterator");
  CHECK(kernel_of(xpose::view(out, fancy::cols, fancy::rows, xpose::col_major)) == "copy_iterator");
}

TEST_CASE("automatic reads an iterator on the device if the output is there") {
  if (!needs_gpu()) return;
  fancy::check_all<thrust::device_vector>(xpose::automatic, "cuda");
}

}  // namespace
