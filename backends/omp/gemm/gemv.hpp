// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm whose C is a single column: the matrix is read once, where it is, by the kernel's own
// function for that. Assumes a matrix that is contiguous along its rows or its columns.
#pragma once

#include <xpose/backends/omp/gemm/driver.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

bool is_gemv(gemm_call const& call);
void run_gemv(execution const& where, gemm_call const& call);

/// C' = B' A'.
gemm_call transposed(gemm_call call);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
