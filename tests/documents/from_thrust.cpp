// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What docs/from_thrust.md shows: Thrust's algorithms and the calls to xpose in their place, with
// equal results. Compiled twice: here by a C++ compiler, where Thrust's device is OpenMP, and as
// from_thrust.cu by nvcc, where it is a GPU.

#include "support/gpu.hpp"

#include <xpose/thrust.hpp>
#include <xpose/xpose.hpp>

#include <doctest/doctest.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/transform.h>

#include <array>
#include <string>

#ifndef __CUDACC__  // what Thrust's users write in either case
#undef __host__
#undef __device__
#define __host__
#define __device__
#endif

namespace xp = xpose;

// A named namespace: nvcc confuses the unnamed one of a file with those inside doctest's templates.
namespace from_thrust {

constexpr int rows = 60, cols = 44, inner = 32;

bool can_run() {
#ifdef __CUDACC__
  return needs_gpu();
#else
  return true;
#endif
}

// Small enough for sums of products to be exact.
thrust::device_vector<float> numbers(int size) {
  thrust::host_vector<float> values(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) values[static_cast<std::size_t>(i)] = static_cast<float>(i % 251);
  return values;
}

/// Whether both leave the same in `size` elements.
template <class Original, class Replacement>
bool agree(int size, Original const& original, Replacement const& replacement) {
  thrust::device_vector<float> theirs(static_cast<std::size_t>(size), -1.f), ours = theirs;
  original(theirs);
  replacement(ours);
  return ours == theirs;
}

struct source_in_rows {  // where element `at` of the transpose comes from
  int rows, cols;
  __host__ __device__ int operator()(int at) const { return at % rows * cols + at / rows; }
};

struct halve {
  __host__ __device__ float operator()(float x) const { return 0.5f * x; }
};

struct weighted_sum {
  float alpha, beta;
  __host__ __device__ float operator()(float x, float y) const { return alpha * x + beta * y; }
};

struct place_in_tile {  // where element `at` of a tile lies in its matrix
  int first, cols_of_tile, cols;
  __host__ __device__ int operator()(int at) const {
    return first + at / cols_of_tile * cols + at % cols_of_tile;
  }
};

struct row_times_column {
  float const *a, *b;
  int inner, cols;
  __host__ __device__ float operator()(int at) const {
    float sum = 0;
    for (int k = 0; k < inner; ++k) sum += a[at / cols * inner + k] * b[k * cols + at % cols];
    return sum;
  }
};

struct source_of_channels {  // height x width x channels read as channels x height x width
  int channels, pixels;
  __host__ __device__ int operator()(int at) const { return at % pixels * channels + at / pixels; }
};

TEST_CASE("From Thrust: a gather that transposes") {
  if (!can_run()) return;
  auto const in = numbers(rows * cols);
  CHECK(agree(
      cols * rows,
      [&](auto& out) {
        auto const source = thrust::make_transform_iterator(thrust::make_counting_iterator(0),
                                                            source_in_rows{rows, cols});
        thrust::gather(thrust::device, source, source + rows * cols, in.begin(), out.begin());
      },
      [&](auto& out) {
        xp::transpose(thrust::device, xp::view(in, rows, cols), xp::view(out, cols, rows));
      }));
}

TEST_CASE("From Thrust: a function of each element on the way") {
  if (!can_run()) return;
  auto const in = numbers(rows * cols);
  CHECK(agree(
      cols * rows,
      [&](auto& out) {
        auto const source = thrust::make_transform_iterator(thrust::make_counting_iterator(0),
                                                            source_in_rows{rows, cols});
        auto const turned = thrust::make_permutation_iterator(in.begin(), source);
        thrust::transform(thrust::device, turned, turned + rows * cols, out.begin(), halve{});
      },
      [&](auto& out) {
        xp::transpose(thrust::device, xp::view(in, rows, cols), xp::view(out, cols, rows), halve{});
      }));
}

TEST_CASE("From Thrust: a tile of a matrix") {
  if (!can_run()) return;
  auto const in = numbers(rows * cols);
  CHECK(agree(
      20 * 30,
      [&](auto& out) {
        auto const place = thrust::make_transform_iterator(thrust::make_counting_iterator(0),
                                                           place_in_tile{16 * cols + 8, 30, cols});
        auto const tile = thrust::make_permutation_iterator(in.begin(), place);
        thrust::copy(thrust::device, tile, tile + 20 * 30, out.begin());
      },
      [&](auto& out) {
        // From (16, 8) on, 20 rows and 30 columns.
        xp::copy(thrust::device, xp::view(in, rows, cols).submatrix(16, 8, 20, 30),
                 xp::view(out, 20, 30));
      }));
}

TEST_CASE("From Thrust: images with their channels first") {
  if (!can_run()) return;
  constexpr int height = 11, width = 13, channels = 3;
  auto const in = numbers(height * width * channels);
  CHECK(agree(
      height * width * channels,
      [&](auto& out) {
        auto const source = thrust::make_transform_iterator(
            thrust::make_counting_iterator(0), source_of_channels{channels, height * width});
        thrust::gather(thrust::device, source, source + channels * height * width, in.begin(),
                       out.begin());
      },
      [&](auto& out) {
        xp::tensor_view<float const, 3> const images(thrust::raw_pointer_cast(in.data()),
                                                     {height, width, channels});
        xp::tensor_view<float, 3> const channels_first(thrust::raw_pointer_cast(out.data()),
                                                       {channels, height, width});
        xp::permute(thrust::device, images, channels_first, std::array<int, 3>{2, 0, 1});
      }));
}

TEST_CASE("From Thrust: a weighted sum") {
  if (!can_run()) return;
  auto const a = numbers(rows * cols), b = numbers(cols * rows);
  CHECK(agree(
      rows * cols,
      [&](auto& c) {
        thrust::transform(thrust::device, a.begin(), a.end(), b.begin(), c.begin(),
                          weighted_sum{2, -1});
      },
      [&](auto& c) {
        xp::add(thrust::device, 2.f, xp::view(a, rows, cols), -1.f, xp::view(b, rows, cols),
                xp::view(c, rows, cols));
      }));
}

TEST_CASE("From Thrust: a product") {
  if (!can_run()) return;
  auto const a = numbers(rows * inner), b = numbers(inner * cols);
  CHECK(agree(
      rows * cols,
      [&](auto& c) {
        row_times_column const dot{thrust::raw_pointer_cast(a.data()),
                                   thrust::raw_pointer_cast(b.data()), inner, cols};
        auto const at = thrust::make_counting_iterator(0);
        thrust::transform(thrust::device, at, at + rows * cols, c.begin(), dot);
      },
      [&](auto& c) {
        xp::gemm(thrust::device, xp::view(a, rows, inner), xp::view(b, inner, cols),
                 xp::view(c, rows, cols));
      }));
}

TEST_CASE("From Thrust: a raw pointer and a policy of xpose's own") {
  if (!can_run()) return;
  auto const in = numbers(rows * cols);
  thrust::device_vector<float> out(cols * rows), expected(cols * rows);
  xp::transpose(thrust::device, xp::view(in, rows, cols), xp::view(expected, cols, rows));
  float const* const p = thrust::raw_pointer_cast(in.data());
  float* const q = thrust::raw_pointer_cast(out.data());
  xp::transpose(xp::automatic, xp::matrix_view<float const>(p, rows, cols),
                xp::matrix_view<float>(q, cols, rows));
  CHECK(out == expected);
}

TEST_CASE("From Thrust: vectors of another shape are refused, and nothing is written") {
  if (!can_run()) return;
  auto const in = numbers(rows * cols);
  thrust::device_vector<float> out(cols * rows, -1.f);
  std::string message;
  try {
    xp::transpose(thrust::device, xp::view(in, rows, cols), xp::view(out, rows, cols));
  } catch (xp::shape_error const& e) {
    message = e.what();  // transpose: out is 60x44, expected 44x60
  }
  CHECK(message == "transpose: out is 60x44, expected 44x60");
  CHECK(out == thrust::device_vector<float>(cols * rows, -1.f));
}

#ifdef __CUDACC__
TEST_CASE("From Thrust: two calls on a stream without waiting") {
  if (!can_run()) return;
  auto const in = numbers(rows * cols);
  thrust::device_vector<float> turned(cols * rows), halves(rows * cols), expected(rows * cols);
  thrust::transform(in.begin(), in.end(), expected.begin(), halve{});
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  auto const queue = thrust::cuda::par_nosync.on(stream);
  xp::transpose(queue, xp::view(in, rows, cols), xp::view(turned, cols, rows));
  xp::transpose(queue, xp::view(turned, cols, rows), xp::view(halves, rows, cols), halve{});
  cudaStreamSynchronize(stream);
  CHECK(halves == expected);
  cudaStreamDestroy(stream);
}
#endif

}  // namespace from_thrust
