// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes of many small matrices at any strides, one element an access, with or without an
// element function: a block loads some of them in the order of the input and stores them in the
// order of the output. Used for batches and permutations whose two tiled dimensions are so short
// that most of a tile would be idle. Bit copies without gaps between matrices take
// transpose_small_batched, which is faster. Assumes natural alignment.
#pragma once

#include <xpose/backends/cuda/memory/vector_access.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_strided.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

struct small_scattered_block {
  static constexpr int threads = 256;
  static constexpr int loads = 8;  // of a thread, in flight together
  static constexpr int most_elements = threads * loads;
  static constexpr int most_matrices = 64;
};

/// Rows in shared memory lie an odd number of elements apart, so the elements of a column lie in
/// different banks.
XPOSE_HOST_DEVICE inline int small_scattered_pitch(int cols) { return cols | 1; }

template <class In, class Out, class F>
__global__ void __launch_bounds__(small_scattered_block::threads)
    transpose_small_scattered(transpose_problem const __grid_constant__ p, int const matrices,
                              fast_divisor const area, fast_divisor const rows,
                              fast_divisor const cols, F const f) {
  using block = small_scattered_block;
  extern __shared__ uint4 smem_vec16s[];
  __shared__ char const* ins[block::most_matrices];
  __shared__ char* outs[block::most_matrices];
  Out* const smem = reinterpret_cast<Out*>(smem_vec16s);
  int const thread = static_cast<int>(threadIdx.x);
  index const first = index{blockIdx.x} * matrices;
  int const count = static_cast<int>(min(index{matrices}, p.batch_count - first));
  int const elements = area * count;
  int const pitch = small_scattered_pitch(p.cols), in_matrix = p.rows * pitch;
  if (thread < count) {
    ins[thread] = p.in;
    outs[thread] = p.out;
    p.outer.advance_to(static_cast<unsigned>(first + thread), ins[thread], outs[thread]);
  }
  __syncthreads();

  uninitialized<In> v[block::loads];
  int to[block::loads];
#pragma unroll
  for (int l = 0; l < block::loads; ++l) {
    int const e = thread + l * block::threads;
    to[l] = -1;
    if (e >= elements) continue;
    int const m = area.quotient(e), inside = e - area * m;
    int const i = cols.quotient(inside), j = inside - cols * i;
    v[l].load(ins[m] + i * p.in_pitch + j * p.in_step);
    to[l] = m * in_matrix + i * pitch + j;
  }
#pragma unroll
  for (int l = 0; l < block::loads; ++l)
    if (to[l] >= 0) smem[to[l]] = static_cast<Out>(f(v[l].value));
  __syncthreads();

  for (int e = thread; e < elements; e += block::threads) {
    int const m = area.quotient(e), inside = e - area * m;
    int const j = rows.quotient(inside), i = inside - rows * j;
    *reinterpret_cast<Out*>(outs[m] + j * p.out_pitch + i * p.out_step) =
        smem[m * in_matrix + i * pitch + j];
  }
}

/// Of a block: 16 KB, or what a thread's loads take, and no more than leaves each multiprocessor
/// a block; a larger matrix by itself.
template <class In, class Out, class F>
void launch_small_scattered(execution const& where, char const* name, transpose_problem const& p,
                            F const& f) {
  using block = small_scattered_block;
  constexpr index bytes = sizeof(Out);
  constexpr index most_elements = std::min<index>(block::most_elements, (index{16} << 10) / bytes);
  index const area = index{p.rows} * p.cols;
  index const of_each = ceil_div(p.batch_count, index{properties_of_device().multiprocessors});
  index const matrices =
      std::max<index>(1, std::min({index{block::most_matrices}, most_elements / area, of_each}));
  int const smem_bytes =
      static_cast<int>(matrices * p.rows * small_scattered_pitch(p.cols) * bytes);
  launch_blocks(where, ceil_div(p.batch_count, matrices), block::threads, smem_bytes, name,
                transpose_small_scattered<In, Out, F>, p, static_cast<int>(matrices),
                fast_divisor(area), fast_divisor(p.rows), fast_divisor(p.cols), f);
}

template <int W>
void run_small_scattered(execution const& where, transpose_config const& config,
                         bit_copy const& copy) {
  using word = typename word_of<W>::type;
  launch_small_scattered<word, word>(where, config.name, problem_by_words(copy), identity{});
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
