// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes with one short side, 64 elements at most.
// transpose_thin_cols: rows that lie close together (pitch at most twice the row) are read as one
// stretch, gaps included, and written as rows cut at sectors. transpose_thin_rows: rows in, one
// stretch out; where the output has gaps, word by word.
#pragma once

#include <xpose/backends/cuda/places.cuh>
#include <xpose/backends/cuda/stretch.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

inline constexpr int most_thin = 64;

/// Chunk e of the tile, `lanes_across` columns side by side in a warp so that pads are hit evenly.
template <int LanesAcross>
struct thin_task {
  int q, j;
  __device__ thin_task(int e, fast_divisor chunks_down) {
    constexpr int lanes_down = 32 / LanesAcross;
    int const warp = e / 32 * lanes_down;  // in chunks of one column
    int const across = chunks_down.quotient(LanesAcross == 1 ? e : warp);
    q = LanesAcross == 1 ? e - across * static_cast<int>(chunks_down.value)
                         : warp - across * static_cast<int>(chunks_down.value) + e % lanes_down;
    j = LanesAcross == 1 ? across : across * LanesAcross + e % 32 / lanes_down;
  }
};

template <int W, int T, int L, int LanesAcross>
__global__ void __launch_bounds__(T)
    transpose_thin_cols(transpose_problem const __grid_constant__ p, tile_order const order,
                        int rows_in_tile, fast_divisor const chunks_down) {
  constexpr int V = 16 / W, extra = sector_bytes / W;
  extern __shared__ uint4 stage_chunks[];
  char* const stage = reinterpret_cast<char*>(stage_chunks);
  auto const place = place_of(p, order);
  int const row_tile = place.row_tile;
  int const pitch = static_cast<int>(p.in_pitch);
  char const* const in = place.in;
  char const* const in_end = in + index{p.rows - 1} * pitch + p.cols * W;
  char const* const begin = in + (index{row_tile} * rows_in_tile - extra) * pitch;
  char const* const end = begin + index{rows_in_tile + extra} * pitch;
  char const* const origin = chunk_below(begin);
  load_stretch<W, T, L>(stage, origin, begin < in ? in : begin, end < in_end ? end : in_end,
                        in_end);
  __syncthreads();

  for (int e = threadIdx.x; e < p.cols * static_cast<int>(chunks_down.value); e += T) {
    thin_task<LanesAcross> const task(e, chunks_down);
    char* const out_row = place.out + task.j * p.out_pitch;
    int const skew = bytes_above<sector_bytes>(out_row) / W;
    int at = static_cast<int>(begin - origin) + (extra + task.q * V - skew) * pitch + task.j * W;
    chunk_words<W> v;
#pragma unroll
    for (int k = 0; k < V; ++k, at += pitch)
      v.words[k] = *reinterpret_cast<typename word_of<W>::type const*>(stage + padded(at));
    store_in_row<W>(out_row, index{row_tile} * rows_in_tile + task.q * V - skew, p.rows, v.chunk);
  }
}

/// Rows of a tile in shared memory: row i at row_at[i], a pad of 16 bytes every V rows.
template <int W, int T, int L>
__device__ inline void load_thin_rows(transpose_problem const& p, char const* in, index first_col,
                                      index end_col, fast_divisor chunks_in_row, char* stage,
                                      int* row_at) {
  char const* const in_end = p.end_of(in, index{p.cols} * W);
  uint4 v[L];
  int to[L];
#pragma unroll
  for (int l = 0; l < L; ++l) {
    int const e = threadIdx.x + l * T, i = chunks_in_row.quotient(e);
    int const c = e - i * static_cast<int>(chunks_in_row.value);
    to[l] = -1;
    if (i >= p.rows) continue;
    char const* const row = in + i * p.in_pitch;
    char const* const from = chunk_below(row + first_col * W) + c * 16;
    int const slot = (i * static_cast<int>(chunks_in_row.value) + i / (16 / W)) * 16;
    if (c == 0) row_at[i] = slot + bytes_above<16>(row + first_col * W);
    if (from + 16 <= row || from >= row + end_col * W) continue;
    if (from + 16 <= in_end) {
      v[l] = load_chunk(from);
      to[l] = slot + c * 16;
    } else {
      copy_words<W>(stage + slot + c * 16, from, static_cast<int>(in_end - from) / W);
    }
  }
#pragma unroll
  for (int l = 0; l < L; ++l)
    if (to[l] >= 0) *reinterpret_cast<uint4*>(stage + to[l]) = v[l];
}

template <int W, int T, int L>
__global__ void __launch_bounds__(T)
    transpose_thin_rows(transpose_problem const __grid_constant__ p, tile_order const order,
                        int cols_in_tile, fast_divisor const rows,
                        fast_divisor const chunks_in_row) {
  using word = typename word_of<W>::type;
  constexpr int V = 16 / W;
  extern __shared__ uint4 stage_chunks[];
  __shared__ int row_at[most_thin];
  char* const stage = reinterpret_cast<char*>(stage_chunks);
  auto const place = place_of(p, order);
  int const col_tile = place.col_tile;
  char* const out = place.out;
  bool const is_stretch = p.out_pitch == p.rows * W;
  int const skew = is_stretch ? bytes_above<sector_bytes>(out) / W : 0;
  int const extra = is_stretch ? (sector_bytes / W + p.rows - 1) / p.rows : 0;  // columns
  index const first_col = index{col_tile} * cols_in_tile - extra;
  index const end_col = min(index{p.cols}, first_col + extra + cols_in_tile);
  load_thin_rows<W, T, L>(p, place.in, first_col, end_col, chunks_in_row, stage, row_at);
  __syncthreads();

  if (!is_stretch) {
    for (int e = threadIdx.x; e < cols_in_tile * p.rows; e += T) {
      int const j = rows.quotient(e), i = e - j * p.rows;
      if (first_col + j >= end_col) return;
      reinterpret_cast<word*>(out + (first_col + j) * p.out_pitch)[i] =
          *reinterpret_cast<word const*>(stage + row_at[i] + j * W);
    }
    return;
  }
  for (int e = threadIdx.x; e < cols_in_tile * p.rows / V; e += T) {
    int const first_word = extra * p.rows + e * V - skew;
    int j = rows.quotient(first_word), i = first_word - j * p.rows;
    chunk_words<W> v;
#pragma unroll
    for (int k = 0; k < V; ++k) {
      v.words[k] = *reinterpret_cast<word const*>(stage + row_at[i] + j * W);
      if (++i == p.rows) {
        i = 0;
        ++j;
      }
    }
    store_in_row<W>(out, index{col_tile} * cols_in_tile * p.rows + e * V - skew,
                    index{p.cols} * p.rows, v.chunk);
  }
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
