// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes of many small matrices at any strides, word by word: a block loads some of them in the
// order of the input and stores them in the order of the output. Used for batches and permutations
// whose two tiled dimensions are so short that most of a tile would be idle. Without gaps between
// matrices transpose_small_batched is faster. Assumes natural alignment.
#pragma once

#include <xpose/backends/cuda/memory/vector_access.cuh>
#include <xpose/backends/cuda/transpose/launch_tiles.cuh>

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
XPOSE_HOST_DEVICE inline int small_scattered_pitch(int cols) { return cols | 1; }

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

/// 16 KB of words, or what a thread's loads take; a larger matrix by itself.
template <int W>
void run_small_scattered(execution const& where, transpose_config const& config,
                         bit_copy const& copy) {
  using block = small_scattered_block;
  constexpr index most_words = std::min<index>(block::most_words, (index{16} << 10) / W);
  transpose_problem const p = problem_by_words(copy);
  index const area = copy.rows * copy.cols;
  index const matrices =
      std::min<index>(block::most_matrices, std::max<index>(1, most_words / area));
  int const smem_bytes = static_cast<int>(matrices * p.rows * small_scattered_pitch(p.cols) * W);
  launch_blocks(where, ceil_div(p.batch_count, matrices), block::threads, smem_bytes, config.name,
                transpose_small_scattered<W>, p, static_cast<int>(matrices), fast_divisor(area),
                fast_divisor(p.rows), fast_divisor(p.cols));
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
