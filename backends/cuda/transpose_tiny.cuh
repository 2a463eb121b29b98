// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Batches of small matrices that lie without gaps on both sides: a block reads some matrices as one
// stretch and writes them as one. transpose_tiny_bytes: 1-byte words, extents multiples of 4,
// addresses of 16; byte by byte would give 0.8 of a copy, 4x4 blocks in registers give 1.0.
#pragma once

#include <xpose/backends/cuda/places.cuh>
#include <xpose/backends/cuda/stretch.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

template <int W, int T, int L>
__global__ void __launch_bounds__(T)
    transpose_tiny(transpose_problem const __grid_constant__ p, int matrices,
                   fast_divisor const area, fast_divisor const rows) {
  using word = typename word_of<W>::type;
  constexpr int V = 16 / W;
  extern __shared__ uint4 stage_chunks[];
  char* const stage = reinterpret_cast<char*>(stage_chunks);
  int const words_in_matrix = static_cast<int>(area.value), row_bytes = p.cols * W;
  index const first = index{blockIdx.x} * matrices;
  int const words = static_cast<int>(min(index{matrices}, p.places - first)) * words_in_matrix;
  char const* const begin = p.in + first * words_in_matrix * W;
  load_stretch<W, T, L>(stage, chunk_below(begin), begin, begin + words * W,
                        p.in + p.places * words_in_matrix * W);
  __syncthreads();

  char* const out = p.out + first * words_in_matrix * W;
  for (int e = threadIdx.x * V - bytes_above<16>(out) / W; e < words; e += T * V) {
    int const start = e < 0 ? 0 : e, m = area.quotient(start), inside = start - m * words_in_matrix;
    int j = rows.quotient(inside), i = inside - j * p.rows;
    int at = bytes_above<16>(begin) + (m * words_in_matrix + j) * W + i * row_bytes;
    chunk_words<W> v;
#pragma unroll
    for (int k = 0; k < V; ++k) {
      if (e + k < 0 || e + k >= words) continue;
      v.words[k] = *reinterpret_cast<word const*>(stage + padded(at));
      at += row_bytes;
      if (++i < p.rows) continue;
      i = 0;  // next column; after the last one, next matrix
      at += W - words_in_matrix * W;
      if (++j == p.cols) {
        j = 0;
        at += words_in_matrix * W - row_bytes;
      }
    }
    store_in_row<W>(out, e, words, v.chunk);
  }
}

template <int T, int L>
__global__ void __launch_bounds__(T)
    transpose_tiny_bytes(transpose_problem const __grid_constant__ p, int matrices,
                         fast_divisor blocks_in_matrix, fast_divisor blocks_down) {
  extern __shared__ uint4 stage_chunks[];
  char* const stage = reinterpret_cast<char*>(stage_chunks);
  int const area = p.rows * p.cols;
  char* const turned = stage + padded((matrices * area + 127) / 128 * 128);
  index const first = index{blockIdx.x} * matrices;
  int const bytes = static_cast<int>(min(index{matrices}, p.places - first)) * area;
  char const* const begin = p.in + first * area;
  load_stretch<1, T, L>(stage, begin, begin, begin + bytes, begin + bytes);
  __syncthreads();

  for (int e = threadIdx.x; e < bytes / 16; e += T) {
    int const m = blocks_in_matrix.quotient(e);
    int const inside = e - m * static_cast<int>(blocks_in_matrix.value);
    int const j = blocks_down.quotient(inside),
              i = inside - j * static_cast<int>(blocks_down.value);
    int const from = m * area + i * 4 * p.cols + j * 4, to = m * area + j * 4 * p.rows + i * 4;
    std::uint32_t r[4], c[4];
#pragma unroll
    for (int k = 0; k < 4; ++k)
      r[k] = *reinterpret_cast<std::uint32_t const*>(stage + padded(from + k * p.cols));
    transpose_bytes_4x4(r[0], r[1], r[2], r[3], c);
#pragma unroll
    for (int k = 0; k < 4; ++k)
      *reinterpret_cast<std::uint32_t*>(turned + padded(to + k * p.rows)) = c[k];
  }
  __syncthreads();

  for (int e = threadIdx.x * 16; e < bytes; e += T * 16)
    store_chunk(p.out + first * area + e, *reinterpret_cast<uint4 const*>(turned + padded(e)));
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
