// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes of many small matrices at any strides, word by word: a block loads some of them in the
// order of the input and stores them in the order of the output. Used for batches and permutations
// whose two tiled dimensions are so short that most of a tile would be idle. Without gaps between
// matrices transpose_small_batched is faster. Assumes natural alignment.
#pragma once

#include <xpose/backends/cuda/memory/tile_coordinates.cuh>
#include <xpose/backends/cuda/memory/vector_access.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

struct small_scattered_block {
  static constexpr int threads = 256;
  static constexpr int loads = 8;  // of a thread, in flight together
  static constexpr int most_words = threads * loads;
  static constexpr int most_matrices = 64;
};

/// Rows in shared memory lie an odd number of words apart, so the words of a column lie in
/// different banks.
XPOSE_HOST_DEVICE inline int small_scattered_pitch(int cols) {
  return cols | 1;
}

template <int W>
__global__ void __launch_bounds__(small_scattered_block::threads)
    transpose_small_scattered(transpose_problem const __grid_constant__ p, int const matrices,
                              fast_divisor const area, fast_divisor const rows,
                              fast_divisor const cols) {
  using word = typename word_of<W>::type;
  using block = small_scattered_block;
  extern __shared__ uint4 smem_vec16s[];
  __shared__ char const* ins[block::most_matrices];
  __shared__ char* outs[block::most_matrices];
  word* const smem = reinterpret_cast<word*>(smem_vec16s);
  int const thread = static_cast<int>(threadIdx.x);
  index const first = index{blockIdx.x} * matrices;
  int const count = static_cast<int>(min(index{matrices}, p.batch_count - first));
  int const words = area * count;
  int const pitch = small_scattered_pitch(p.cols), matrix_words = p.rows * pitch;
  if (thread < count) {
    ins[thread] = p.in;
    outs[thread] = p.out;
    p.outer.advance_to(static_cast<unsigned>(first + thread), ins[thread], outs[thread]);
  }
  __syncthreads();

  word v[block::loads];
  int to[block::loads];
#pragma unroll
  for (int l = 0; l < block::loads; ++l) {
    int const e = thread + l * block::threads;
    to[l] = -1;
    if (e >= words) continue;
    int const m = area.quotient(e), inside = e - area * m;
    int const i = cols.quotient(inside), j = inside - cols * i;
    v[l] = *reinterpret_cast<word const*>(ins[m] + i * p.in_pitch + j * p.in_step);
    to[l] = m * matrix_words + i * pitch + j;
  }
#pragma unroll
  for (int l = 0; l < block::loads; ++l)
    if (to[l] >= 0) smem[to[l]] = v[l];
  __syncthreads();

  for (int e = thread; e < words; e += block::threads) {
    int const m = area.quotient(e), inside = e - area * m;
    int const j = rows.quotient(inside), i = inside - rows * j;
    *reinterpret_cast<word*>(outs[m] + j * p.out_pitch + i * p.out_step) =
        smem[m * matrix_words + i * pitch + j];
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
