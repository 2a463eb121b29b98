// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Counts the elements of a transpose or copy that differ from the definition.

#include "cuda/check.hpp"
#include "verify/verify.hpp"

namespace xpose::bench::device {
namespace {

constexpr unsigned threads_in_block = 256;

/// A transpose_case without its type's name, which no kernel can take.
struct copy_layout {
  index rows;
  index cols;
  index in_ld;
  index out_ld;
  index batch;
  index in_batch_stride;
  index out_batch_stride;
};

__global__ void count_differences(copy_layout what, index bytes, bool is_copy,
                                  unsigned char const* in, unsigned char const* out,
                                  unsigned long long* wrong) {
  index const out_cols = is_copy ? what.cols : what.rows;
  index const in_matrix = what.rows * what.cols;
  index const count = what.batch * in_matrix;
  index const step = index{gridDim.x} * blockDim.x;
  for (index e = index{blockIdx.x} * blockDim.x + threadIdx.x; e < count; e += step) {
    index const matrix = e / in_matrix;
    index const i = e % in_matrix / out_cols;  // of out
    index const j = e % out_cols;
    index const from =
        matrix * what.in_batch_stride + (is_copy ? i * what.in_ld + j : j * what.in_ld + i);
    index const to = matrix * what.out_batch_stride + i * what.out_ld + j;
    for (index b = 0; b < bytes; ++b)
      if (in[from * bytes + b] != out[to * bytes + b]) {
        atomicAdd(wrong, 1ull);
        break;
      }
  }
}

}  // namespace

index count_mismatches(transpose_case const& what, bool is_copy, void const* in, void const* out,
                       void* stream) {
  auto const s = static_cast<cudaStream_t>(stream);
  unsigned long long* wrong = nullptr;
  check(cudaMallocAsync(&wrong, sizeof *wrong, s), "cudaMallocAsync");
  check(cudaMemsetAsync(wrong, 0, sizeof *wrong, s), "cudaMemsetAsync");
  count_differences<<<1u << 16, threads_in_block, 0, s>>>(
      copy_layout{what.rows, what.cols, what.in_ld, what.out_ld, what.batch, what.in_batch_stride,
                  what.out_batch_stride},
      static_cast<index>(what.type.bytes), is_copy, static_cast<unsigned char const*>(in),
      static_cast<unsigned char const*>(out), wrong);
  check(cudaGetLastError(), "count_differences");
  unsigned long long counted = 0;
  check(cudaMemcpyAsync(&counted, wrong, sizeof counted, cudaMemcpyDeviceToHost, s),
        "cudaMemcpyAsync");
  check(cudaFreeAsync(wrong, s), "cudaFreeAsync");
  check(cudaStreamSynchronize(s), "cudaStreamSynchronize");
  return static_cast<index>(counted);
}

}  // namespace xpose::bench::device
