// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The driver of gemm on the cores, for any kernel: plans the blocks, packs panels of A and B,
// multiplies tile by tile and finishes sums, on several threads. Compiled once; types are known to
// the functions it calls alone. Every sum runs over ascending k whatever the blocks and threads.
#pragma once

#include <xpose/backends/omp/gemm/kernel/kernel.hpp>
#include <xpose/detail/execution.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A as rows or B as columns along k; steps in bytes.
struct gemm_operand {
  char const* data;
  index batch_step;
  index step;  // from row to row of A, from column to column of B
  index k_step;
  bool conjugated;
};

/// Sums of a piece of C that run over all of k, row_step and col_step bytes apart.
struct accumulator_tile {
  index batch;
  index first_row;
  index first_col;
  index rows;
  index cols;
  char const* accumulators;
  index row_step;
  index col_step;
};

struct gemm_call {
  gemm_kernel const* kernel;
  gemm_operand a;
  gemm_operand b;
  char* c;
  index c_batch_step;
  index c_row_step;
  index c_col_step;
  index c_bytes;  // of an element
  /// C's elements are sums and its old values are not needed: sums may grow where results will be.
  bool c_can_accumulate;
  /// And the sums are the results.
  bool c_needs_no_epilogue;
  index batch;
  index rows;
  index cols;
  index k_extent;
  void const* problem;  // what the functions below and the kernel's own see
  void (*epilogue)(void const* problem, accumulator_tile const& tile);
  /// finish calls code of the user, which may call xpose itself, or use AMX.
  bool epilogue_is_user_code;
  /// Rows and columns of all of the above are exchanged, but not in what finish is told.
  bool is_transposed;
};

/// On the policy's threads, or on this one inside a parallel region. Throws
/// std::bad_alloc before anything is written.
XPOSE_EXPORT void run_blocked_gemm(execution const& where, gemm_call const& call);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
