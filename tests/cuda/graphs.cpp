// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a process may do around its calls: capture the first of them, hand over memory of the graph,
// reset the device.

#include "cases/matrix.hpp"
#include "support/gpu.hpp"
#include "support/own_process.hpp"
#include "support/replay.hpp"

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <cstddef>

TEST_SUITE_BEGIN("cuda.runtime");

namespace {

using xpose::index;

TEST_CASE("memory that cudaMallocAsync gives under a capture is an operand of captured calls") {
  if (!needs_gpu()) return;
  constexpr index rows = 300, cols = 200;
  stream const s;
  auto const policy = xpose::cuda.on(s.handle).nosync();
  matrix<float> in(place::device, rows, cols, cases::pattern::row_major);
  matrix<float> out(place::device, rows, cols, cases::pattern::row_major);
  auto const value = [](int replay) {
    return [replay](index, index i, index j) { return static_cast<float>(i * 1000 + j - replay); };
  };
  replay(
      s, 2,
      [&] {
        void* memory = nullptr;
        REQUIRE(cudaMallocAsync(&memory, rows * cols * sizeof(float), s.handle) == cudaSuccess);
        auto* const turned = static_cast<float*>(memory);
        CHECK_NOTHROW(
            xpose::transpose(policy, in.there(), xpose::matrix_view<float>(turned, cols, rows)));
        CHECK_NOTHROW(xpose::transpose(policy, xpose::matrix_view<float const>(turned, cols, rows),
                                       out.there()));
        REQUIRE(cudaFreeAsync(memory, s.handle) == cudaSuccess);
      },
      [&](int replay) { in.fill(value(replay)); },
      [&](int replay) { CHECK(out.holds(value(replay))); });
}

/// C = A B, with A and B in the same memory.
template <class T>
void multiply(xpose::cuda_policy const& policy, place_memory const& a, place_memory const& c,
              index rows, index cols, index k_extent) {
  auto const* const from = reinterpret_cast<T const*>(a.data());
  xpose::gemm(policy, xpose::matrix_view<T const>(from, rows, k_extent),
              xpose::matrix_view<T const>(from, k_extent, cols),
              xpose::matrix_view<T>(reinterpret_cast<T*>(c.data()), rows, cols));
}

/// On zeros: a transpose, a workspace, tensor maps, copied operands, 3xBF16 emulation, split-K.
void capture_first_call(int which) {
  place_memory const a(place::device, std::size_t{64} << 20), c(place::device, a.bytes());
  REQUIRE(cudaMemset(a.data(), 0, a.bytes()) == cudaSuccess);
  REQUIRE(cudaMemset(c.data(), 0xff, c.bytes()) == cudaSuccess);
  stream const s;
  auto const policy = xpose::cuda.on(s.handle).nosync();
  auto* const from = reinterpret_cast<float*>(a.data());
  auto* const to = reinterpret_cast<float*>(c.data());
  replay(
      s, 1,
      [&] {
        using xpose::matrix_view;
        if (which == 0)
          xpose::transpose(policy, matrix_view<float const>(from, 3000, 2000),
                           matrix_view<float>(to, 2000, 3000));
        if (which == 1) {
          xpose::copy(policy, matrix_view<float const>(from, 3000, 2000),
                      matrix_view<float>(to, 3000, 2000));
          xpose::transpose_inplace(policy, matrix_view<float>(to, 3000, 2000));
        }
        if (which == 2) multiply<xpose::float16>(policy, a, c, 1024, 1024, 1024);
        if (which == 3) multiply<xpose::float16>(policy, a, c, 1001, 1003, 1005);
        if (which == 4)
          xpose::gemm(policy, matrix_view<float const>(from, 1540, 1540),
                      matrix_view<float const>(from, 1540, 1540),
                      matrix_view<float>(to, 1540, 1540),
                      xpose::options().precision(xpose::fast_f32));
        if (which == 5) multiply<float>(policy, a, c, 20, 20, 50000);
      },
      [](int) {},
      [&](int) {
        unsigned char first = 1;
        REQUIRE(cudaMemcpy(&first, c.data(), 1, cudaMemcpyDeviceToHost) == cudaSuccess);
        CHECK(first == 0);
      });
}

TEST_CASE("the first call of a process may be captured") {
  if (number_of_own_process() < 0 && !needs_gpu()) return;
  in_own_processes(6, capture_first_call);
}

void multiply_ones() {
  constexpr index side = 20, k_extent = 50000;  // split-K, with a workspace
  matrix<float> a(place::device, side, k_extent, [](index, index) { return 1.f; });
  matrix<float> c(place::device, side, side, cases::pattern::row_major);
  xpose::gemm(xpose::cuda, a.there(), a.there().transposed(), c.there());
  CHECK(c.is([](index, index) { return static_cast<float>(k_extent); }));
  // Dynamic shared memory beyond 48 KB.
  matrix<float> in(place::device, 121, 127, cases::pattern::row_major, 300);
  matrix<float> out(place::device, 127, 121, cases::pattern::row_major, 300);
  in.fill([](index b, index i, index j) { return static_cast<float>(b + i - j); });
  xpose::transpose(xpose::cuda, in.batch_there(), out.batch_there());
  CHECK(out.holds([](index b, index i, index j) { return static_cast<float>(b + j - i); }));
}

TEST_CASE("calls go on after cudaDeviceReset") {
  if (!needs_gpu()) return;
  in_own_processes(1, [](int) {
    for (int again = 0; again < 3; ++again) {
      multiply_ones();
      REQUIRE(cudaDeviceReset() == cudaSuccess);
    }
  });
}

}  // namespace

TEST_SUITE_END();
