// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Copies of 2 to 18 GB, which are cut for their size where no extent is a large power of two.
// faults/pieces.cpp has the rules of the cuts without a device.

#include "support/gpu.hpp"

#include <xpose/xpose.hpp>

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

TEST_SUITE_BEGIN("cuda.large");

namespace {

using xpose::bfloat16;
using xpose::index;

/// Elements of a period that no extent divides, over and over.
constexpr index period = 16777213;  // a prime

template <class T>
T value_at(index element) {
  auto const hash = static_cast<std::uint64_t>(element % period) * 0x9E3779B97F4A7C15u >> 56;
  return T(static_cast<float>(hash));  // of 8 bits, exact in every type here
}

/// Device memory; null where the device has too little.
template <class T>
class device_elements {
 public:
  explicit device_elements(index count) : count_(count) {
    if (cudaMalloc(&data_, static_cast<std::size_t>(count) * sizeof(T)) != cudaSuccess)
      cudaGetLastError();
  }
  ~device_elements() { cudaFree(data_); }
  device_elements(device_elements const&) = delete;
  device_elements& operator=(device_elements const&) = delete;
  T* data() const { return static_cast<T*>(data_); }
  void fill() {
    std::vector<T> once(static_cast<std::size_t>(std::min(period, count_)));
    for (std::size_t k = 0; k < once.size(); ++k) once[k] = value_at<T>(static_cast<index>(k));
    REQUIRE(cudaMemcpy(data_, once.data(), once.size() * sizeof(T), cudaMemcpyHostToDevice) ==
            cudaSuccess);
    for (index at = period; at < count_; at += period)
      REQUIRE(cudaMemcpy(data() + at, data_,
                         static_cast<std::size_t>(std::min(period, count_ - at)) * sizeof(T),
                         cudaMemcpyDeviceToDevice) == cudaSuccess);
  }
  void clear() {
    REQUIRE(cudaMemset(data_, 0xff, static_cast<std::size_t>(count_) * sizeof(T)) == cudaSuccess);
  }
  /// Elements k whose value is not that of the input's element source(k), in 64 stretches from the
  /// first element to the last. A source below 0 is not looked at.
  template <class Source>
  index wrong(Source const& source) const {
    constexpr index stretches = 64;
    index const length = std::min<index>(count_, 1 << 18);
    std::vector<T> got(static_cast<std::size_t>(length));
    index count = 0;
    for (index s = 0; s < stretches; ++s) {
      index const first = (count_ - length) * s / (stretches - 1);
      REQUIRE(cudaMemcpy(got.data(), data() + first, got.size() * sizeof(T),
                         cudaMemcpyDeviceToHost) == cudaSuccess);
      for (index k = 0; k < length; ++k) {
        index const from = source(first + k);
        if (from >= 0)
          count += static_cast<float>(got[static_cast<std::size_t>(k)]) !=
                           static_cast<float>(value_at<T>(from))
                       ? 1
                       : 0;
      }
    }
    return count;
  }

 private:
  index count_;
  void* data_ = nullptr;
};

/// call(in, out) on so many elements; then each of the output's is the input's number source(k).
template <class In, class Out, class Call, class Source>
void check(index in_count, index out_count, Call const& call, Source const& source) {
  device_elements<In> in(in_count);
  device_elements<Out> out(out_count);
  if (in.data() == nullptr || out.data() == nullptr) {
    MESSAGE("the device has too little memory");
    return;
  }
  in.fill();
  out.clear();
  call(in.data(), out.data());
  CHECK(out.wrong(source) == 0);
}

/// {2, 1, 0, 3} of a tensor of three extents of n, and runs of `run`.
template <class T>
void permute(index n, index run) {
  index const count = n * n * n * run;
  check<T, T>(
      count, count,
      [&](T* in, T* out) {
        using tensor = xpose::tensor_view<T, 4>;
        std::array<index, 4> const extents{n, n, n, run};
        xpose::permute(xpose::cuda, tensor(in, extents), tensor(out, extents),
                       std::array<int, 4>{2, 1, 0, 3});
      },
      [&](index k) {
        index const i = k / run / n / n, j = k / run / n % n, l = k / run % n;
        return ((l * n + j) * n + i) * run + k % run;
      });
}

TEST_CASE("permutes that are cut for their size are right on a device, 2 and 18 GB") {
  if (!needs_gpu()) return;
  permute<xpose::float16>(206, 125);
  permute<float>(260, 252);
}

/// Of a batch of n matrices of n rows and `cols` columns with pads.
struct padded {
  index n, cols, ld, rows;  // `rows` from matrix to matrix
  index count() const { return n * rows * ld; }
  template <class T>
  xpose::batch_view<T> view(T* data) const {
    return {data, n, n, cols, xpose::strided{ld, 1}, rows * ld};
  }
  index column(index k) const { return k % ld; }
  index row(index k) const { return k / ld % rows; }
  bool has(index k) const { return column(k) < cols && row(k) < n; }
  index number(index b, index i, index j) const { return (b * rows + i) * ld + j; }
};

TEST_CASE("copies that are cut for their size are right on a device, 4 and 6 GB") {
  if (!needs_gpu()) return;
  auto const copied = [](padded const& in, padded const& out) {
    return [in, out](index k) {
      return out.has(k) ? in.number(k / out.ld / out.rows, out.row(k), out.column(k)) : -1;
    };
  };
  padded const in{1800, 475, 477, 1808}, out{1800, 475, 479, 1803};
  check<float, float>(
      in.count(), out.count(),
      [&](float* a, float* b) { xpose::copy(xpose::cuda, in.view(a), out.view(b)); },
      copied(in, out));
  padded const both{1025, 1028, 1032, 1033};
  check<float, bfloat16>(
      both.count(), both.count(),
      [&](float* a, bfloat16* b) {
        xpose::copy(xpose::cuda, both.view(a), both.view(b), xpose::cast<bfloat16>{});
      },
      copied(both, both));
}

template <class T>
void transpose(index rows, index cols) {
  check<T, T>(
      rows * cols, rows * cols,
      [rows, cols](T* a, T* b) {
        xpose::transpose(xpose::cuda, xpose::matrix_view<T>(a, rows, cols),
                         xpose::matrix_view<T>(b, cols, rows));
      },
      [rows, cols](index k) { return k % rows * cols + k / rows; });
}

TEST_CASE("a transpose in bands of tiles is right on a device, 8 and 16 GB") {
  if (!needs_gpu()) return;
  // In tiles of capability 90, with an L2 of up to 60 MB: 488x245, down first, and 489x488, across
  // first. Seven bands each, the last smaller.
  transpose<float>(31200, 31301);
  transpose<bfloat16>(62500, 62401);
}

TEST_CASE("a transpose by long strips of tiles is right on a device, 2 GB") {
  if (!needs_gpu()) return;
  // 469x79 tiles: with an L2 of 60 MB down first, though that is the longer side; else across.
  transpose<float>(30001, 10001);
}

TEST_CASE("transposes through a cast that are cut for their size are right on a device, 5 GB") {
  if (!needs_gpu()) return;
  padded const both{1037, 1037, 1040, 1045};
  check<float, bfloat16>(
      both.count(), both.count(),
      [&](float* a, bfloat16* b) {
        xpose::transpose(xpose::cuda, both.view(a), both.view(b), xpose::cast<bfloat16>{});
      },
      [&](index k) {
        return both.has(k) ? both.number(k / both.ld / both.rows, both.column(k), both.row(k)) : -1;
      });
}

}  // namespace

TEST_SUITE_END();
