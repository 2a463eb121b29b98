// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// GEMV, a GEMM whose C is one column: the matrix is read once, in place, by the kernel's own
// functions. Assumes a matrix whose rows or columns are contiguous.
#pragma once

#include <xpose/backends/omp/gemm/driver.hpp>

namespace xpose::detail {

bool is_gemv(gemm_call const& call);
void run_gemv(execution const& where, gemm_call const& call);

/// C' = B' A'.
gemm_call transposed(gemm_call call);
/// Of a tile of C as the call sees C.
void apply_epilogue(gemm_call const& call, accumulator_tile tile);

}  // namespace xpose::detail
