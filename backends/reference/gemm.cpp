// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/reference/gemm.hpp>

#include <xpose/backends/core/backend.hpp>
#include <xpose/backends/core/problems/compiled_gemm.hpp>

void xpose::detail::reference_run_gemm(execution const& where, gemm_request const& r) {
  run_compiled_problem(r, compiled_gemms{},
                       [&](auto const& problem) { reference_gemm(where, problem); });
}
