// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "default_stream.hpp"

#include <cstddef>
#include <iterator>

namespace {

struct negated {
  __host__ __device__ float operator()(float x) const { return -x; }
};

/// 0, 1, 2, ..
struct numbers {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = float;
  using difference_type = std::ptrdiff_t;
  using pointer = float const*;
  using reference = float;
  __host__ __device__ float operator[](std::ptrdiff_t n) const {
    return static_cast<float>(first + n);
  }
  __host__ __device__ numbers operator+(std::ptrdiff_t n) const { return {first + n}; }
  std::ptrdiff_t first;
};

}  // namespace

namespace from_nvcc {

void transpose_on_cuda(xpose::cuda_policy const& policy, xpose::matrix_view<float const> in,
                       xpose::matrix_view<float> out) {
  xpose::transpose(policy, in, out, negated{});
}

xpose::cuda_policy cuda() { return xpose::cuda; }

void copy_numbers(xpose::cuda_policy const& policy, xpose::matrix_view<float> out) {
  xpose::copy(policy, xpose::view(numbers{0}, out.rows(), out.cols()), out);
}

void copy_numbers_by_automatic(xpose::matrix_view<float> out) {
  xpose::copy(xpose::automatic, xpose::view(numbers{0}, out.rows(), out.cols()), out);
}

}  // namespace from_nvcc
