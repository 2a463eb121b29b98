// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The GEMM driver of the CPU, for any kernel: chooses the blocking, and runs the loops around the
// microkernel on several threads. Compiled once: only the functions it calls know the types. Every
// sum runs over ascending k, whatever the blocks and threads.
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

/// Accumulators of a piece of C after all k, row_step and col_step bytes apart.
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
  /// C's elements have the accumulators' type, and its old values are not needed: C can hold them.
  bool c_can_accumulate;
  /// And the accumulators are the results.
  bool c_needs_no_epilogue;
  index batch;
  index rows;
  index cols;
  index k_extent;
  void const* problem;  // for the epilogue, and the context of the kernel's functions
  void (*epilogue)(void const* problem, accumulator_tile const& tile);
  /// The epilogue calls code of the user, which may call xpose itself, or use AMX.
  bool epilogue_is_user_code;
  /// C' = B' A': rows and columns of all of the above are exchanged, but not of the epilogue's
  /// tile.
  bool is_transposed;
};

/// On the policy's threads, or on this one inside a parallel region. Throws
/// std::bad_alloc before anything is written.
XPOSE_EXPORT void run_blocked_gemm(execution const& where, gemm_call const& call);

/// GEMV, a GEMM whose C is one column: the matrix is read once, in place, by the kernel's own
/// functions. Assumes a matrix whose rows or columns are contiguous.
bool is_gemv(gemm_call const& call);
void run_gemv(execution const& where, gemm_call const& call);

/// C' = B' A'.
gemm_call transposed(gemm_call call);
/// Of a tile of C as the call sees C. By reference: a copy is loads wider than the stores before
/// them, which wait for these (1200x1300x32 of bfloat16: 15 % of its time).
void apply_epilogue(gemm_call const& call, accumulator_tile const& tile);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
