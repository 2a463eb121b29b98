// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The CPU's ladder: naive loops, then cache blocks, then threads.

#include "ladder/ladder.hpp"

#include <omp.h>

#include <algorithm>

namespace xpose::bench::ladder {
namespace {

using word = std::uint32_t;

constexpr index block_side = 32;

void naive_row(word const* in, word* out, index rows, index cols) {
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < cols; ++j) out[j * rows + i] = in[i * cols + j];
}

void naive_col(word const* in, word* out, index rows, index cols) {
  for (index j = 0; j < cols; ++j)
    for (index i = 0; i < rows; ++i) out[j * rows + i] = in[i * cols + j];
}

void move_block(word const* in, word* out, index rows, index cols, index first_row,
                index first_col) {
  index const last_row = std::min(rows, first_row + block_side);
  index const last_col = std::min(cols, first_col + block_side);
  for (index j = first_col; j < last_col; ++j)
    for (index i = first_row; i < last_row; ++i) out[j * rows + i] = in[i * cols + j];
}

void blocked(word const* in, word* out, index rows, index cols) {
  for (index i = 0; i < rows; i += block_side)
    for (index j = 0; j < cols; j += block_side) move_block(in, out, rows, cols, i, j);
}

void blocked_parallel(word const* in, word* out, index rows, index cols) {
#pragma omp parallel for collapse(2)
  for (index i = 0; i < rows; i += block_side)
    for (index j = 0; j < cols; j += block_side) move_block(in, out, rows, cols, i, j);
}

void gemm_naive(float const* a, float const* b, float* c, index m, index n, index k) {
  for (index i = 0; i < m; ++i)
    for (index j = 0; j < n; ++j) {
      float sum = 0;
      for (index p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}

/// Rows of C in the innermost loop, so that it vectorises; blocks of k keep rows of B in the cache.
void gemm_blocked_parallel(float const* a, float const* b, float* c, index m, index n, index k) {
  constexpr index k_block = 64;
#pragma omp parallel for
  for (index i = 0; i < m; ++i) std::fill_n(c + i * n, n, 0.0f);
  for (index first = 0; first < k; first += k_block) {
    index const last = std::min(k, first + k_block);
#pragma omp parallel for
    for (index i = 0; i < m; ++i)
      for (index p = first; p < last; ++p) {
        float const factor = a[i * k + p];
        for (index j = 0; j < n; ++j) c[i * n + j] += factor * b[p * n + j];
      }
  }
}

rung move_rung(char const* name, char const* idea, void (*loop)(word const*, word*, index, index)) {
  return {name,
          idea,
          rung_work::transpose,
          [loop](void const* in, void* out, index rows, index cols, void*) {
            loop(static_cast<word const*>(in), static_cast<word*>(out), rows, cols);
          },
          nullptr,
          nullptr};
}

rung gemm_rung(char const* name, char const* idea,
               void (*loop)(float const*, float const*, float*, index, index, index)) {
  return {name,
          idea,
          rung_work::gemm,
          nullptr,
          [loop](void const* a, void const* b, void* c, index m, index n, index k, void*) {
            loop(static_cast<float const*>(a), static_cast<float const*>(b), static_cast<float*>(c),
                 m, n, k);
          },
          nullptr};
}

}  // namespace

std::vector<rung> const& host_rungs() {
  static std::vector<rung> const rungs = {
      move_rung("loop_row", "reads rows, writes columns; one thread", naive_row),
      move_rung("loop_col", "reads columns, writes rows; one thread", naive_col),
      move_rung("loop_blocked", "blocks of 32x32 stay in the first-level cache", blocked),
      move_rung("loop_blocked_parallel", "the blocks spread over all threads", blocked_parallel),
      gemm_rung("loop_gemm", "the three loops of the definition; one thread", gemm_naive),
      gemm_rung("loop_gemm_blocked_parallel", "rows of C innermost, k in blocks, all threads",
                gemm_blocked_parallel),
  };
  return rungs;
}

}  // namespace xpose::bench::ladder
