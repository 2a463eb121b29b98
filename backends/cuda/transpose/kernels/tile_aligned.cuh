// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transpose of W-byte words through a tile in shared memory, coalesced 16-byte accesses on both
// sides. Used when addresses and pitches of the input are multiples of 16, of the output of 32.
//
//   global in            shared memory                        global out
//   R rows of C words -> rows as read, one vec16 of padding -> C rows of R words: a thread gathers
//   (vec16 loads)        after every V = 16 / W rows           V rows of its columns (vec16 stores)
//
// The padding makes the gathers free of bank conflicts: 8 lanes read 8 groups of V rows, 4 lanes
// read 4 neighbouring words, and these 32 words lie in 32 banks.
// What lost: TMA (persistent blocks, 2 to 8 pipeline stages, swizzled tiles), f32 0.940 of a copy
// where this gives 0.969, 1 byte 0.90 where this gives 0.97 (H100, 2026-11-21).
#pragma once

#include <xpose/backends/cuda/memory/vector_access.cuh>
#include <xpose/backends/cuda/transpose/launch_tiles.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

template <int W, int R, int C, int T>
struct aligned_tile {
  static constexpr int V = 16 / W;  // words in a vec16, and rows in a group
  static constexpr int rows = R, cols = C, threads = T;
  static constexpr int vec16s_in_row = C / V;
  static constexpr int group_pitch = C % 2 ? C : C + 1;  // vec16s; odd
  static constexpr int shared_bytes = R / V * group_pitch * 16;
  static constexpr int loads = R * vec16s_in_row / T;
  static constexpr int cols_per_thread = columns_in_word<W>;
  static constexpr int vec16s_down = R / V;
  static constexpr int lanes_down = vec16s_down < 8 ? vec16s_down : 8;
  static constexpr int lanes_across = 32 / lanes_down;
  static constexpr int gathers = vec16s_down * (C / cols_per_thread) / T;
  static_assert(R * vec16s_in_row % T == 0 && vec16s_down * (C / cols_per_thread) % T == 0,
                "every thread loads and stores the same number of vec16s");

  static __device__ int vec16_at(int row, int c) {
    return row / V * group_pitch + row % V * vec16s_in_row + c;
  }
  /// What a thread gathers in step l: the vec16 `down` of cols_per_thread columns from `col`.
  struct gathered {
    int down, col;
  };
  static __device__ gathered gathered_by(int l) {
    constexpr int warps_down = vec16s_down / lanes_down;
    int const e = threadIdx.x + l * T, lane = e % 32, warp = e / 32;
    return {warp % warps_down * lanes_down + lane % lanes_down,
            (warp / warps_down * lanes_across + lane / lanes_down) * cols_per_thread};
  }
};

/// A thread's loads of the rows x cols of a tile that are inside the matrix.
template <class Tile, int W>
struct aligned_loads {
  uint4 v[Tile::loads];

  __device__ void load(char const* in, index ld, int rows, int cols) {
#pragma unroll
    for (int l = 0; l < Tile::loads; ++l) {
      int const e = threadIdx.x + l * Tile::threads;
      int const row = e / Tile::vec16s_in_row, c = e % Tile::vec16s_in_row;
      if (row < rows && (c + 1) * Tile::V <= cols) v[l] = load_vec16(in + row * ld + c * 16);
    }
  }
  __device__ void store(char const* in, index ld, int rows, int cols, uint4* smem) const {
#pragma unroll
    for (int l = 0; l < Tile::loads; ++l) {
      int const e = threadIdx.x + l * Tile::threads;
      int const row = e / Tile::vec16s_in_row, c = e % Tile::vec16s_in_row;
      uint4* const to = smem + Tile::vec16_at(row, c);
      if (row < rows && (c + 1) * Tile::V <= cols) *to = v[l];
      else if (row < rows)
        copy_words<W>(reinterpret_cast<char*>(to), in + row * ld + c * 16, cols - c * Tile::V);
    }
  }
};

template <class Tile, int W>
__device__ inline void load_tile(char const* in, index ld, int rows, int cols, uint4* smem) {
  aligned_loads<Tile, W> loads;
  loads.load(in, ld, rows, cols);
  loads.store(in, ld, rows, cols, smem);
}

/// Reads V words of each of the thread's columns: one vec16 of the output for each.
template <class Tile, int W>
__device__ inline void gather(uint4 const* smem, typename Tile::gathered from,
                              uint4 (&out)[columns_in_word<W>]) {
  constexpr int row_bytes = Tile::vec16s_in_row * vec16_bytes;
  char const* const at =
      reinterpret_cast<char const*>(smem + from.down * Tile::group_pitch) + from.col * W;
  if constexpr (W == 16) out[0] = *reinterpret_cast<uint4 const*>(at);
  else if constexpr (W == 8) {
    uint2 const a = *reinterpret_cast<uint2 const*>(at);
    uint2 const b = *reinterpret_cast<uint2 const*>(at + row_bytes);
    out[0] = make_uint4(a.x, a.y, b.x, b.y);
  } else {
    std::uint32_t r[16 / W];
#pragma unroll
    for (int k = 0; k < 16 / W; ++k)
      r[k] = *reinterpret_cast<std::uint32_t const*>(at + k * row_bytes);
    columns_to_vec16<W>(r, out);
  }
}

template <class Tile, int W>
__device__ inline void store_tile(uint4 const* smem, char* out, index ld, int rows, int cols) {
#pragma unroll
  for (int l = 0; l < Tile::gathers; ++l) {
    auto const from = Tile::gathered_by(l);
    uint4 v[Tile::cols_per_thread];
    gather<Tile, W>(smem, from, v);
#pragma unroll
    for (int k = 0; k < Tile::cols_per_thread; ++k)
      if (from.col + k < cols)
        store_in_row<W>(out + (from.col + k) * ld, from.down * Tile::V, rows, v[k]);
  }
}

template <int W, int R, int C, int T, int MinBlocks>
__global__ void __launch_bounds__(T, MinBlocks)
    transpose_tile_aligned(transpose_problem const __grid_constant__ p, tile_order const order) {
  using tile = aligned_tile<W, R, C, T>;
  extern __shared__ uint4 smem[];
  auto const at = locate_tile(p, order);
  int const rows = min(R, p.rows - at.row_tile * R), cols = min(C, p.cols - at.col_tile * C);
  char const* const in = at.in + index{at.row_tile} * R * p.in_pitch + index{at.col_tile} * (C * W);
  char* const out = at.out + index{at.col_tile} * C * p.out_pitch + index{at.row_tile} * (R * W);

  load_tile<tile, W>(in, p.in_pitch, rows, cols, smem);
  __syncthreads();

  store_tile<tile, W>(smem, out, p.out_pitch, rows, cols);
}

template <int W, int R, int C, int T, int MinBlocks>
void run_tile_aligned(execution const& where, transpose_config const& config,
                      bit_copy const& copy) {
  using tile = aligned_tile<W, R, C, T>;
  launch_tiles<tile>(where, config.name, transpose_tile_aligned<W, R, C, T, MinBlocks>,
                     problem_of(copy), std::max(tile::shared_bytes, config.kernel.smem_bytes), 0);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
