// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes of many small matrices without gaps, through an element function: a block loads some
// matrices as one contiguous range and stores what the function makes of their transposes as one.
//   in: a0 b0 c0 d0 a1 b1 c1 d1  ->  shared memory, same order  ->  out: f(a0) f(c0) f(b0) f(d0) ..
// Used for sizes of 1, 2, 4, 8 or 16 bytes; assumes natural alignment.
#pragma once

#include <xpose/backends/cuda/elementwise/select.hpp>
#include <xpose/backends/cuda/transpose/kernels/small_batched.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_strided.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class In, class Out, class F, int T, int L>
__global__ void __launch_bounds__(T)
    transpose_small_batched_function(transpose_problem const __grid_constant__ p, int matrices,
                                     fast_divisor const area, fast_divisor const in_column,
                                     F const f) {
  constexpr int in_bytes = sizeof(In), out_bytes = sizeof(Out), V = vec16_bytes / out_bytes;
  extern __shared__ uint4 smem_vec16s[];
  char* const smem = reinterpret_cast<char*>(smem_vec16s);
  int const in_matrix = area.value;
  index const first = index{blockIdx.x} * matrices;
  int const elements = static_cast<int>(min(index{matrices}, p.batch_count - first)) * in_matrix;
  char const* const begin = p.in + first * in_matrix * in_bytes;
  load_contiguous_range<in_bytes, T, L>(smem, align_down_16(begin), begin,
                                        begin + elements * in_bytes,
                                        p.in + p.batch_count * in_matrix * in_bytes);
  __syncthreads();

  char* const out = p.out + first * in_matrix * out_bytes;
  int const past = bytes_past_alignment<vec16_bytes>(begin);
  for (int e =
           static_cast<int>(threadIdx.x) * V - bytes_past_alignment<vec16_bytes>(out) / out_bytes;
       e < elements; e += T * V) {
    transposed_elements from(p, in_bytes, max(e, 0), area, in_column);
    vec16_words<out_bytes> v{};
#pragma unroll
    for (int k = 0; k < V; ++k) {
      if (e + k < 0 || e + k >= elements) continue;
      uninitialized<In> x;
      x.load(smem + padded(past + from.at));
      v.words[k] = bits_as<typename word_of<out_bytes>::type>(static_cast<Out>(f(x.value)));
      from.go_to_next();
    }
    store_in_row<out_bytes>(out, e, elements, v.vec16);
  }
}

/// As many matrices to a block as Smem bytes hold, whole sectors of them if possible.
template <int Smem, class In, class Out, class F>
void launch_small_batched_in(execution const& where, transpose_problem const& p, F const& f) {
  constexpr int T = 256;
  index const area = index{p.rows} * p.cols;
  index const bytes = area * index{sizeof(In)};
  index const matrices = matrices_in_block(bytes, Smem);
  launch_blocks(where, ceil_div(p.batch_count, matrices), T,
                padded_size(static_cast<int>(matrices * bytes) + vec16_bytes),
                "transpose_small_batched<function>",
                transpose_small_batched_function<In, Out, F, T, Smem / (T * vec16_bytes)>, p,
                static_cast<int>(matrices), fast_divisor(area), fast_divisor(p.rows), f);
}

/// Blocks of 16 KB from 8 MB of input on: of 32 and 64 MB 1.08 to 1.16 times as fast as of 8 KB, of
/// 1 MB 0.93; 32 KB by 512 threads were 0.95 times as fast (H200, 2026-11-30).
template <class In, class Out, class F>
void launch_small_batched(execution const& where, transpose_problem const& p, F const& f) {
  constexpr int small = 8 << 10;
  constexpr index min_bytes_of_larger = index{8} << 20;
  index const bytes = index{p.rows} * p.cols * index{sizeof(In)};
  if (bytes > small - vec16_bytes || bytes * p.batch_count >= min_bytes_of_larger)
    launch_small_batched_in<most_bytes_of_small_batched, In, Out>(where, p, f);
  else launch_small_batched_in<small, In, Out>(where, p, f);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
