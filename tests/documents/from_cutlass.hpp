// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The products that from_cutlass.cu asks of xpose and from_cutlass_originals.cu of CUTLASS, and
// what must come out. All numbers are small integers, so every order of summation gives the same
// bits.
#pragma once

#include "../../examples/managed_vector.hpp"
#include "support/gpu.hpp"

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

namespace from_cutlass {

inline constexpr int m = 64, n = 48, k = 128, count = 3;

struct shape {
  int count, rows, inner, cols;
  bool b_by_columns;
};

/// A, B and C, all packed and row-major unless the shape says otherwise, and the C that must come
/// out: finish(sum over A B, element of C, column).
template <class T>
struct product {
  template <class Finish>
  product(shape s, Finish const& finish) {
    for (int i = 0; i < s.count * s.rows * s.inner; ++i) a.push_back(T(number(i, 1)));
    for (int i = 0; i < s.count * s.inner * s.cols; ++i) b.push_back(T(number(i, 2)));
    for (int i = 0; i < s.count * s.rows * s.cols; ++i) c.push_back(number(i, 3));
    for (int l = 0; l < s.count; ++l)
      for (int i = 0; i < s.rows; ++i)
        for (int j = 0; j < s.cols; ++j) {
          float sum = 0;
          for (int d = 0; d < s.inner; ++d)
            sum +=
                number((l * s.rows + i) * s.inner + d, 1) *
                number(l * s.inner * s.cols + (s.b_by_columns ? d + j * s.inner : d * s.cols + j),
                       2);
          expected.push_back(finish(sum, c[expected.size()], j));
        }
  }

  static float number(int i, int seed) {
    return static_cast<float>((7 * i + i / 5 + seed) % 9 - 4);
  }

  managed_vector<T> a, b;
  managed_vector<float> c, expected;
};

inline float sum_alone(float sum, float, int) { return sum; }

/// A stream, null where there is no GPU.
struct on_a_stream {
  on_a_stream() {
    if (has_gpu()) cudaStreamCreate(&stream);
  }
  ~on_a_stream() {
    if (has_gpu()) cudaStreamDestroy(stream);
  }
  on_a_stream(on_a_stream const&) = delete;
  on_a_stream& operator=(on_a_stream const&) = delete;

  void wait() const {
    if (has_gpu()) REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  }

  cudaStream_t stream = nullptr;
};

}  // namespace from_cutlass
