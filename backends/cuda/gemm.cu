// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm on a CUDA device for the compiled types.

#include <xpose/backends/cuda/gemm.cuh>

#include <xpose/backends/backend.hpp>
#include <xpose/backends/compiled_problem.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
char const* cuda_gemm_kernel(gemm_request const&) {
  return "gemm_tiles";
}

void cuda_run_gemm(execution const& where, gemm_request const& r) {
  run_compiled_problem(r, compiled_gemms{},
                       [&](auto const& problem) { cuda_gemm(where, problem); });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
