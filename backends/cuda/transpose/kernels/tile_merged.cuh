// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transpose of tensors whose dimensions are shorter than a tile, and of bytes whose columns fill
// half of the tiles of tile_unaligned_bytes.cuh. Rows are up to three dimensions that are
// contiguous in the output, columns up to three that are contiguous in the input:
//
//   in   [a][c][d][e]   a row: all d and e of an (a, c)      tile: 128 bytes or more of (a, c),
//   out  [e][d][a][c]   a row: all a and c of an (e, d)            64 bytes or more of (d, e)
//
// So a tile's rows lie anywhere in the input, and its columns' rows anywhere in the output: a block
// finds the addresses of all once, by two divisions each. Rows are realigned when they are loaded,
// and those of 4 bytes interleaved, so that a thread gathers 4 bytes at once:
//
//   shared memory, words of 1 byte   rows 0-3 of column 0 | rows 0-3 of column 1 | ..
//                                    rows 4-7 of column 0 | rows 4-7 of column 1 | ..
//
// Output rows are cut at sectors, as in tile_unaligned.cuh. Columns are divided equally among
// tiles: 39 are one of up to 64, 70 are two of 35.
// Bound by instructions: a thread holds 3 or 4 vec16s at once. Shares of a copy by tiles and
// threads, H200 (H100): bytes of 37x15x274x129x9 by 24301 128x64/160 0.62 (0.78), 128x128/320 0.60
// (0.78), 256x64/320 0.51; 26x25x28x40x5x39 by 035124 0.60 (0.79), 0.42 (0.56), 0.59 (0.77). 2
// bytes of 43x669x7x224 by 1320 64x64/160 0.75, 64x128/320 0.75, 128x64/320 0.63 (0.78), 64x64/320
// 0.56. f32 of 19x15x137x64x9 by 24301 64x64/384 0.83 (0.94), 32x64/192 0.76 (0.81) (2026-11-28).
#pragma once

#include <xpose/backends/cuda/memory/vector_access.cuh>
#include <xpose/backends/cuda/transpose/launch_tiles.cuh>

#include <limits>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Where number i of a side lies: the number's digits, times their strides.
struct merged_side {
  static constexpr index no_row = std::numeric_limits<index>::min();

  index strides[merged_dimensions::most];
  fast_divisor extents[merged_dimensions::most - 1];

  merged_side(merged_dimensions const& side, index copy_plan::dimension::*stride) {
    for (int d = 0; d < merged_dimensions::most; ++d) {
      strides[d] = side.dimensions[d].*stride;
      if (d + 1 < merged_dimensions::most) extents[d] = fast_divisor(side.dimensions[d].extent);
    }
  }
  __device__ index offset(unsigned i) const {
    unsigned const second = extents[0].quotient(i), third = extents[1].quotient(second);
    return index{i - extents[0].value * second} * strides[0] +
           index{second - extents[1].value * third} * strides[1] + index{third} * strides[2];
  }
};

template <int W, int R, int C, int T>
struct merged_tile {
  static constexpr int V = vec16_bytes / W;
  static constexpr int cols = C;
  static constexpr int extra_rows = sector_bytes / W, slots = R + extra_rows;
  static constexpr int interleaved_rows = 4 / W;  // of a unit of 4 bytes
  static constexpr int units_down = slots / interleaved_rows;
  static constexpr int loads = ceil_div(units_down * (C / V), T);
  static constexpr int vec16s_down = R / V, lanes_down = 8, lanes_across = 32 / lanes_down;
  static constexpr int warps_down = vec16s_down / lanes_down;
  static constexpr int gathered_at_once = T / 32 / warps_down * lanes_across;  // columns
  // A gather may load a unit more than it takes.
  static constexpr int shared_units = (units_down + 1) * (C + 1) + 4;
  static_assert(C % 8 == 0 && C % V == 0 && vec16s_down % lanes_down == 0 &&
                    T / 32 % warps_down == 0 && units_down % 4 == 0,
                "warps fill the tile");

  /// Padding after every 4 units down: eight lanes that read these are in different banks.
  static __device__ unsigned unit_at(unsigned down, unsigned col) {
    return down * C + (down & ~3u) + col;
  }
};

/// Words of 4 / W rows: unit j has those of column j, row after row.
template <int W>
__device__ inline void interleave_rows(uint4 const (&rows)[4 / W], uint4 (&units)[4 / W]) {
  if constexpr (W == 4) {
    units[0] = rows[0];
  } else if constexpr (W == 2) {
    auto const pair = [](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
      constexpr unsigned low = 0x5410, high = 0x7632;
      return make_uint4(__byte_perm(a, b, low), __byte_perm(a, b, high), __byte_perm(c, d, low),
                        __byte_perm(c, d, high));
    };
    units[0] = pair(rows[0].x, rows[1].x, rows[0].y, rows[1].y);
    units[1] = pair(rows[0].z, rows[1].z, rows[0].w, rows[1].w);
  } else {
    auto const quad = [](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
      std::uint32_t cols[4];
      transpose_bytes_4x4(a, b, c, d, cols);
      return make_uint4(cols[0], cols[1], cols[2], cols[3]);
    };
    units[0] = quad(rows[0].x, rows[1].x, rows[2].x, rows[3].x);
    units[1] = quad(rows[0].y, rows[1].y, rows[2].y, rows[3].y);
    units[2] = quad(rows[0].z, rows[1].z, rows[2].z, rows[3].z);
    units[3] = quad(rows[0].w, rows[1].w, rows[2].w, rows[3].w);
  }
}

/// 16 bytes of a column from `slot`.
template <class Tile>
__device__ inline uint4 gather_units(std::uint32_t const* smem, unsigned slot, unsigned col) {
  constexpr unsigned per_unit = Tile::interleaved_rows;
  constexpr unsigned count = per_unit > 1 ? 5 : 4;
  unsigned const down = slot / per_unit, before_padding = 4 - down % 4;
  std::uint32_t const* const before = smem + Tile::unit_at(down, col);
  std::uint32_t const* const behind = before + 4;
  std::uint32_t u[5];
#pragma unroll
  for (unsigned k = 0; k < count; ++k)
    u[k] = (k < before_padding ? before : behind)[k * Tile::cols];
  if constexpr (per_unit == 1) return make_uint4(u[0], u[1], u[2], u[3]);
  unsigned const bits = slot % per_unit * (32u / per_unit);
  return make_uint4(__funnelshift_r(u[0], u[1], bits), __funnelshift_r(u[1], u[2], bits),
                    __funnelshift_r(u[2], u[3], bits), __funnelshift_r(u[3], u[4], bits));
}

template <int W, int R, int C, int T, int MinBlocks>
__global__ void __launch_bounds__(T, MinBlocks)
    transpose_tile_merged(transpose_problem const __grid_constant__ p, tile_order const order,
                          merged_side const rows, merged_side const cols,
                          fast_divisor const vec16s_in_row, char const* const readable_end) {
  using tile = merged_tile<W, R, C, T>;
  constexpr int V = tile::V, interleaved = tile::interleaved_rows;
  extern __shared__ uint4 smem_vec16s[];
  auto* const smem = reinterpret_cast<std::uint32_t*>(smem_vec16s);
  // From the tensors' addresses: loads at addresses from shared memory would not be known to be of
  // global memory.
  __shared__ index in_rows[tile::slots], out_rows[C];
  constexpr index none = merged_side::no_row;
  auto at = number_tile(p, order);
  int const tile_cols = vec16s_in_row * V;
  int const first_row = at.row_tile * R - tile::extra_rows, first_col = at.col_tile * tile_cols;
  int const col_count = min(tile_cols, p.cols - first_col);
  if (threadIdx.x < tile::slots + col_count) p.outer.advance_to(at.batch_index, at.in, at.out);
#pragma unroll 1
  for (int s = threadIdx.x; s < tile::slots + col_count; s += T) {
    int const row = first_row + s, col = s - tile::slots;
    if (col >= 0) out_rows[col] = at.out - p.out + cols.offset(first_col + col);
    else in_rows[s] = row >= 0 && row < p.rows ? at.in - p.in + rows.offset(row) : none;
  }
  __syncthreads();

  unaligned_vec16 loaded[tile::loads][interleaved];
  int to[tile::loads];
#pragma unroll
  for (int l = 0; l < tile::loads; ++l) {
    int const e = threadIdx.x + l * T;
    int const down = vec16s_in_row.quotient(e), col = (e - vec16s_in_row * down) * V;
    bool const exists = down < tile::units_down && first_col + col < p.cols;
    to[l] = exists ? static_cast<int>(tile::unit_at(down, col)) : -1;
#pragma unroll
    for (int k = 0; k < interleaved; ++k) {
      index const row = exists ? in_rows[down * interleaved + k] : none;
      if (row == none) continue;
      loaded[l][k] =
          load_unaligned_within_row<W>(p.in + row, first_col + col, p.cols, readable_end);
    }
  }
#pragma unroll
  for (int l = 0; l < tile::loads; ++l) {
    if (to[l] < 0) continue;
    uint4 words[interleaved], units[interleaved];
#pragma unroll
    for (int k = 0; k < interleaved; ++k)
      words[k] = realign(loaded[l][k].low, loaded[l][k].high, loaded[l][k].shift);
    interleave_rows<W>(words, units);
#pragma unroll
    for (int k = 0; k < interleaved; ++k) reinterpret_cast<uint4*>(smem + to[l])[k] = units[k];
  }
  __syncthreads();

  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int const q = warp % tile::warps_down * tile::lanes_down + lane % tile::lanes_down;
#pragma unroll 1
  for (int j = warp / tile::warps_down * tile::lanes_across + lane / tile::lanes_down;
       j < col_count; j += tile::gathered_at_once) {
    char* const out_row = p.out + out_rows[j];
    unsigned const misalignment =
        static_cast<unsigned>(bytes_past_alignment<sector_bytes>(out_row)) / W;
    uint4 const v = gather_units<tile>(smem, tile::extra_rows + q * V - misalignment, j);
    int const first = first_row + tile::extra_rows + q * V - static_cast<int>(misalignment);
    if (first >= 0 && first <= p.rows - V) store_vec16(out_row + index{first} * W, v);
    else if constexpr (W == 1) store_in_short_row<W>(out_row, first, p.rows, v);
    else store_in_row<W>(out_row, first, p.rows, v);
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
  index const down = ceil_div(p.rows + extra_rows_of(sides, copy), R);
  index const across = ceil_div(index{p.cols}, C);
  fast_divisor const vec16s_in_row(vec16s_of_equal_tile(p.cols, C, tile::V));
  launch_blocks(where, down * across * p.batch_count, T, tile::shared_units * 4, config.name,
                transpose_tile_merged<W, R, C, T, MinBlocks>, p, tile_order(down, across),
                merged_side(sides.rows, &copy_plan::dimension::in_stride),
                merged_side(sides.cols, &copy_plan::dimension::out_stride), vec16s_in_row,
                copy.readable_end);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
