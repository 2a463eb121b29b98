// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transpose of tensors whose dimensions are shorter than a tile. Rows are up to three dimensions
// that are contiguous in the output, columns up to three that are contiguous in the input:
//
//   in   [a][c][d][e]   a row: all d and e of an (a, c)      tile: 128 bytes or more of (a, c),
//   out  [e][d][a][c]   a row: all a and c of an (e, d)            128 bytes of (d, e)
//
// So a tile's rows lie anywhere in the input, and its columns' rows anywhere in the output; both
// addresses take two divisions. Rows are realigned when they are loaded; output rows are cut at
// sectors, as in tile_unaligned.cuh.
#pragma once

#include <xpose/backends/cuda/memory/vector_access.cuh>
#include <xpose/backends/cuda/transpose/launch_tiles.cuh>

namespace xpose::detail {

/// Where number i of a side lies: the number's digits, times their strides.
struct merged_side {
  index strides[merged_dimensions::most];
  fast_divisor extents[merged_dimensions::most - 1];

  merged_side(merged_dimensions const& side, index copy_plan::dimension::*stride) {
    for (int d = 0; d < merged_dimensions::most; ++d) {
      strides[d] = side.dimensions[d].*stride;
      if (d + 1 < merged_dimensions::most) extents[d] = fast_divisor(side.dimensions[d].extent);
    }
  }
  __device__ index offset(int i) const {
    int const second = extents[0].quotient(i), third = extents[1].quotient(second);
    return (i - extents[0] * second) * strides[0] + (second - extents[1] * third) * strides[1] +
           third * strides[2];
  }
};

template <int W, int R, int C, int T>
struct merged_tile {
  static constexpr int V = vec16_bytes / W;
  static constexpr int rows = R, cols = C, threads = T;
  static constexpr int extra_rows = sector_bytes / W, slots = R + extra_rows;
  static constexpr int vec16s_in_row = C / V;
  static constexpr int loads = ceil_div(slots * vec16s_in_row, T);
  static constexpr int vec16s_down = R / V, lanes_down = 8, lanes_across = 32 / lanes_down;
  static constexpr int gathers = vec16s_down * C / T;
  static constexpr int shared_bytes = slots * C * W + ceil_div(slots, V) * vec16_bytes;
  static_assert(C % V == 0 && vec16s_down % lanes_down == 0 && vec16s_down * C % T == 0,
                "warps fill the tile");

  /// Padding after every V rows: eight lanes that read these are in different banks.
  static __device__ int byte_of(int slot) { return slot * (C * W) + slot / V * vec16_bytes; }
};

template <int W, int R, int C, int T, int MinBlocks>
__global__ void __launch_bounds__(T, MinBlocks)
    transpose_tile_merged(transpose_problem const __grid_constant__ p, tile_order const order,
                          merged_side const rows, merged_side const cols,
                          char const* const readable_end) {
  using tile = merged_tile<W, R, C, T>;
  using word = typename word_of<W>::type;
  extern __shared__ uint4 smem_vec16s[];
  char* const smem = reinterpret_cast<char*>(smem_vec16s);
  auto const at = locate_tile(p, order);
  int const first_row = at.row_tile * R - tile::extra_rows, first_col = at.col_tile * C;

  unaligned_vec16 loaded[tile::loads];
  int to[tile::loads];
#pragma unroll
  for (int l = 0; l < tile::loads; ++l) {
    int const e = threadIdx.x + l * T, slot = e / tile::vec16s_in_row;
    int const c = e % tile::vec16s_in_row, row = first_row + slot;
    int const word_in_row = first_col + c * tile::V;
    bool const exists = slot < tile::slots && row >= 0 && row < p.rows && word_in_row < p.cols;
    to[l] = exists ? tile::byte_of(slot) + c * vec16_bytes : -1;
    if (exists)
      loaded[l] =
          load_unaligned_in_row<W>(at.in + rows.offset(row), word_in_row, p.cols, readable_end);
  }
#pragma unroll
  for (int l = 0; l < tile::loads; ++l)
    if (to[l] >= 0) *reinterpret_cast<uint4*>(smem + to[l]) = loaded[l].realigned();
  __syncthreads();

  constexpr int warps_down = tile::vec16s_down / tile::lanes_down;
#pragma unroll 1
  for (int l = 0; l < tile::gathers; ++l) {
    int const e = threadIdx.x + l * T, lane = e % 32, warp = e / 32;
    int const q = warp % warps_down * tile::lanes_down + lane % tile::lanes_down;
    int const j = warp / warps_down * tile::lanes_across + lane / tile::lanes_down;
    if (first_col + j >= p.cols) continue;
    char* const out_row = at.out + cols.offset(first_col + j);
    int const misalignment = bytes_past_alignment<sector_bytes>(out_row) / W;
    int const slot = tile::extra_rows + q * tile::V - misalignment;
    vec16_words<W> v;
#pragma unroll
    for (int k = 0; k < tile::V; ++k)
      v.words[k] = *reinterpret_cast<word const*>(smem + tile::byte_of(slot + k) + j * W);
    store_in_row<W>(out_row, index{at.row_tile} * R + q * tile::V - misalignment, p.rows, v.vec16);
  }
}

template <int W, int R, int C, int T, int MinBlocks>
void run_tile_merged(execution const& where, transpose_config const& config, bit_copy const& copy) {
  using tile = merged_tile<W, R, C, T>;
  merged_sides const sides = merged_sides_of(copy, R, C);
  auto const merged = [](merged_dimensions const& side) {
    copy_plan::dimension d = side.dimensions[0];
    d.extent = side.extent();
    return d;
  };
  transpose_problem p(copy.in, copy.out, merged(sides.rows), merged(sides.cols));
  for (int d = 0; d < sides.others_count; ++d) p.add_outer(sides.others[d]);
  launch_tiles<tile>(where, config.name, transpose_tile_merged<W, R, C, T, MinBlocks>, p,
                     tile::shared_bytes, tile::extra_rows,
                     merged_side(sides.rows, &copy_plan::dimension::in_stride),
                     merged_side(sides.cols, &copy_plan::dimension::out_stride), copy.readable_end);
}

}  // namespace xpose::detail
