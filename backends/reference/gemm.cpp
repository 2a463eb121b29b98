// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/reference/gemm.hpp>

#include <xpose/backends/compiled_problem.hpp>
#include <xpose/backends/reference/backend.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

struct runner {
  template <class Problem>
  static void run(execution const&, Problem const& problem) {
    reference_gemm(problem);
  }
};

}  // namespace

char const* reference_gemm_kernel(gemm_request const&) {
  return "gemm_in_blocks";
}

void reference_run_gemm(execution const& where, gemm_request const& r) {
  run_compiled_problem<runner>(where, r, compiled_gemms{});
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
