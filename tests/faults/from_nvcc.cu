// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "default_stream.hpp"

namespace {

struct negated {
  __host__ __device__ float operator()(float x) const { return -x; }
};

}  // namespace

namespace from_nvcc {

void transpose_on_cuda(xpose::cuda_policy const& policy, xpose::matrix_view<float const> in,
                       xpose::matrix_view<float> out) {
  xpose::transpose(policy, in, out, negated{});
}

xpose::cuda_policy cuda() {
  return xpose::cuda;
}

}  // namespace from_nvcc
