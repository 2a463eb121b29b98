// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/reference/gemm.hpp>

#include <xpose/backends/backend.hpp>
#include <xpose/backends/compiled_problem.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
char const* reference_gemm_kernel(gemm_request const&) {
  return "gemm_in_blocks";
}

void reference_run_gemm(execution const&, gemm_request const& r) {
  run_compiled_problem(r, compiled_gemms{}, [](auto const& problem) { reference_gemm(problem); });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
