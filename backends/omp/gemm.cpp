// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/gemm.hpp>

#include <xpose/backends/backend.hpp>
#include <xpose/backends/compiled_problem.hpp>
#include <xpose/backends/omp/gemm_kernel_row.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

char const* omp_gemm_kernel(gemm_request const& r) {
  auto const* const kernel = find_gemm_kernel({r.a.type, r.b.type, r.accumulate, r.semiring});
  return kernel != nullptr ? kernel_of_size(*kernel, r.c.rows, r.c.cols, r.a.cols).name
                           : "gemm_any_type";
}

void omp_run_gemm(execution const& where, gemm_request const& r) {
  run_compiled_problem(r, compiled_gemms{},
                       [&](auto const& problem) { omp_gemm(where.threads, problem); });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
