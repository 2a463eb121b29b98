// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on a CUDA device for the compiled types.

#include <xpose/backends/cuda/gemm.cuh>

#include <xpose/backends/compiled_problem.hpp>
#include <xpose/backends/cuda/backend.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

struct runner {
  template <class Problem>
  static void run(execution const& where, Problem const& problem) {
    cuda_gemm(where, problem);
  }
};

}  // namespace

char const* cuda_gemm_kernel(gemm_request const&) {
  return "gemm_tiles";
}

void cuda_run_gemm(execution const& where, gemm_request const& r) {
  run_compiled_problem<runner>(where, r, compiled_gemms{});
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
