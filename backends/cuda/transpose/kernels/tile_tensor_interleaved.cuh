// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Tiles of tensors (tile_tensor.cuh) of words of 1 or 2 bytes whose runs in the output are long.
// Words of 4 or 2 rows are interleaved when they are loaded, as in tile_merged.cuh, so that shared
// memory is written and read by units of 4 bytes. Rows are elements of the fastest dimension of the
// output, columns those of the tile's others:
//
//   global in                    shared memory                        global out
//   runs of 4 rows (1 byte), at  a unit: 4 rows of a column           16 bytes of a run: each 4 are
//   any address                  a group of rows: units of columns -> of one unit, or the end of
//   one
//                                one after another, then the next     and the beginning of another
//
// The last group of rows ends where the rows do and has rows of the group before it: a unit has no
// rows beyond, so that 4 bytes of the output are of two units at most. Which two does not depend on
// the tile: a block finds them once. Blocks keep two tiles in shared memory, one to load and one to
// store, and meet once a tile.
//
// Bound by L1 (72 % of its cycles, loads at any address are two) and by instructions (58 %, 12 a
// byte). Shares of a copy, tile_tensor's and so: bytes of 16x21x2x42x34x92 by 014253 0.52, 0.69; of
// 39x12x21x48x7x14 by 103542 0.58, 0.66; 2 bytes of 14x18x2x37x30x80 by 014253 0.64, 0.75. Lost:
// four groups of rows by neighbouring lanes, which store without conflicts of banks and load more
// cache lines at once (bytes of 68x131x544x15 by 2031 0.59, 0.62); four blocks of 64 registers,
// which leave L1 too little (74x16x724x724 by 0231 0.71, 0.89); one tile in shared memory and two
// barriers (4075x12x77x128 by 0132 0.73, 0.84). H200, 2026-11-30.
#pragma once

#include <xpose/backends/cuda/transpose/kernels/tile_merged.cuh>
#include <xpose/backends/cuda/transpose/kernels/tile_tensor.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

template <int W>
struct interleaved_tile {
  static constexpr int rows = 4 / W;  // of a unit
  static constexpr int V = vec16_bytes / W;
  static constexpr int threads = tensor_tile::threads, min_blocks = 3;
  static constexpr int loads = tensor_tile::max_interleaved_vec16s / rows / threads;
};

/// Where a group of runs begins: in the input, in bytes, and in shared memory, in units.
struct interleaved_run {
  index in;
  int unit;
};

/// tensor_tile as the kernel reads it.
struct interleaved_problem {
  tensor_tiles tiles;
  char const* in;
  char* out;
  char const* readable_end;
  int in_runs;  // groups of as many as are interleaved
  int out_runs;
  int in_run, out_run;  // in words
  index row_in_stride;
  index row_reach;  // from a vec16 of a group's first row to the end of those of its last one
  int group_pitch, groups_pitch;   // from one group of rows, and from all of them, on: in units
  fast_divisor row;                // rows
  fast_divisor groups;             // of rows
  fast_divisor vec16s_in_run;      // of the input
  fast_divisor vec16s_in_out_run;  // wherever it begins
  int columns;
  int units;
  int column_digits, in_digits, out_digits;
  tensor_digit column_digit[tensor_tile::max_dimensions];  // with strides in units
  tensor_digit in_digit[tensor_tile::max_dimensions];      // of runs of one row in the input
  tensor_digit out_digit[tensor_tile::max_dimensions];     // of runs in the output

  int buffer_bytes() const { return round_up(units * 4); }
  int runs_byte() const {
    return 2 * buffer_bytes() + static_cast<int>(vec16s_in_out_run.value) * out_runs * vec16_bytes;
  }
  int shared_bytes() const {
    return runs_byte() + in_runs * static_cast<int>(sizeof(interleaved_run)) +
           out_runs * static_cast<int>(sizeof(index));
  }

 private:
  static int round_up(int bytes) { return (bytes + vec16_bytes - 1) / vec16_bytes * vec16_bytes; }
};

template <int W>
interleaved_problem interleaved_problem_of(bit_copy const& copy) {
  using shape = interleaved_tile<W>;
  tensor_tile const tile = interleaved_tensor_tile_of(copy, shape::rows);
  interleaved_problem p{};
  p.tiles = tensor_tiles(tile);
  p.in = copy.in;
  p.out = copy.out;
  p.readable_end = copy.readable_end;
  auto const& row = tile.dimensions[0];
  index const groups = ceil_div(row.extent, index{shape::rows});
  p.row = fast_divisor(row.extent);
  p.row_in_stride = row.in_stride;
  p.row_reach = std::max<index>(0, (shape::rows - 1) * row.in_stride) + 2 * vec16_bytes;
  p.groups = fast_divisor(groups);
  p.in_runs = static_cast<int>(tile.in_runs / row.extent * groups);
  p.out_runs = static_cast<int>(tile.out_runs);
  p.in_run = static_cast<int>(tile.in_run);
  p.out_run = static_cast<int>(tile.out_run);
  p.group_pitch = tile.smem_pitch;
  p.groups_pitch = tile.smem_groups_pitch;
  p.units = static_cast<int>(tile.in_runs / row.extent * tile.smem_groups_pitch);
  p.vec16s_in_run = fast_divisor(tile.vec16s_in_run);
  p.vec16s_in_out_run =
      fast_divisor(ceil_div(tile.out_run * W + vec16_bytes - W, index{vec16_bytes}));
  p.columns = static_cast<int>(tile.out_run * tile.out_runs / row.extent);
  for (int d = 1; d < tile.count; ++d)
    p.column_digit[p.column_digits++] = {fast_divisor(tile.dimensions[d].extent),
                                         tile.dimensions[d].smem_stride};
  number_runs(p, tile, 1);  // groups of the row, the first one, are numbered by themselves
  return p;
}

/// 4 bytes of the output: those of one unit from a byte on, then those of another from a byte on.
struct unit_pair {
  std::uint32_t packed;  // for each 14 bits of the unit and 2 of the byte
  static_assert(tensor_tile::max_units <= 1 << 14, "units are numbered by 14 bits");

  __device__ static unit_pair of(int first, int first_byte, int second, int second_byte) {
    return {static_cast<std::uint32_t>(first << 2 | first_byte) |
            static_cast<std::uint32_t>(second << 2 | second_byte) << 16};
  }
  __device__ std::uint32_t gather(char const* smem) const {
    auto const unit = [&](std::uint32_t at) {
      return *reinterpret_cast<std::uint32_t const*>(smem + (at & 0xfffc));
    };
    std::uint32_t const second = packed >> 16;
    // A funnel shift takes the lower 5 bits.
    return __funnelshift_r(unit(packed), __funnelshift_r(unit(second), 0, second << 3),
                           packed << 3);
  }
};

/// A thread's part of a tile: vec16s of the rows of a unit.
template <int W>
struct interleaved_part {
  using shape = interleaved_tile<W>;
  unaligned_vec16 loaded[shape::loads][shape::rows];
  int to[shape::loads];  // a unit; negative: none

  __device__ void load(interleaved_problem const& p, char const* in, interleaved_run const* runs) {
    int const vec16s = p.vec16s_in_run * p.in_runs;
#pragma unroll
    for (int l = 0; l < shape::loads; ++l) {
      int const e = static_cast<int>(threadIdx.x) + l * shape::threads;
      to[l] = -1;
      if (e >= vec16s) continue;
      int const run = p.vec16s_in_run.quotient(e), v = e - p.vec16s_in_run * run;
      interleaved_run const at = runs[run];
      to[l] = at.unit + v * shape::V;
      char const* from = in + at.in + v * vec16_bytes;
      if (from + p.row_reach > p.readable_end) {
#pragma unroll
        for (int k = 0; k < shape::rows; ++k)
          loaded[l][k] = load_unaligned_within_row<W>(in + at.in + k * p.row_in_stride,
                                                      v * shape::V, p.in_run, p.readable_end);
        continue;
      }
      int const left = p.in_run * W - v * vec16_bytes;
#pragma unroll
      for (int k = 0; k < shape::rows; ++k, from += p.row_in_stride) {
        auto& row = loaded[l][k];
        int const shift = bytes_past_alignment<vec16_bytes>(from);
        row.shift = static_cast<unsigned>(shift);
        row.low = load_vec16(from - shift);
        if (shift != 0 && left > vec16_bytes - shift)
          row.high = load_vec16(from - shift + vec16_bytes);
      }
    }
  }
  __device__ void store(char* smem) const {
#pragma unroll
    for (int l = 0; l < shape::loads; ++l) {
      if (to[l] < 0) continue;
      uint4 rows[shape::rows], units[shape::rows];
#pragma unroll
      for (int k = 0; k < shape::rows; ++k)
        rows[k] = realign(loaded[l][k].low, loaded[l][k].high, loaded[l][k].shift);
      interleave_rows<W>(rows, units);
#pragma unroll
      for (int k = 0; k < shape::rows; ++k)
        reinterpret_cast<uint4*>(smem + to[l] * 4)[k] = units[k];
    }
  }
};

/// Vec16 number n of a run is gathered from its first byte on by one lane, and stored, realigned
/// with that of the lane before, where the output's alignment is: so lane 0 stores nothing.
template <int W>
__device__ inline void store_interleaved(interleaved_problem const& p, char const* smem,
                                         uint4 const* table, index const* out_offsets, char* out) {
  constexpr int V = vec16_bytes / W, stored_at_once = 31, warps = interleaved_tile<W>::threads / 32;
  int const lane = threadIdx.x % 32;
  int const warp = warps - 1 - threadIdx.x / 32;  // the last ones have loaded less
  int const vec16s = p.vec16s_in_out_run * p.out_runs;
  for (int first = warp * stored_at_once; first < vec16s; first += warps * stored_at_once) {
    int const n = min(max(first + lane - 1, 0), vec16s - 1);
    uint4 const pairs = table[n];
    uint4 v = make_uint4(unit_pair{pairs.x}.gather(smem), unit_pair{pairs.y}.gather(smem),
                         unit_pair{pairs.z}.gather(smem), unit_pair{pairs.w}.gather(smem));
    uint4 before;
    before.x = __shfl_up_sync(~0u, v.x, 1);
    before.y = __shfl_up_sync(~0u, v.y, 1);
    before.z = __shfl_up_sync(~0u, v.z, 1);
    before.w = __shfl_up_sync(~0u, v.w, 1);
    int const run = p.vec16s_in_out_run.quotient(n);
    char* const run_out = out + out_offsets[run];
    int const past = bytes_past_alignment<vec16_bytes>(run_out);
    int const at = (n - p.vec16s_in_out_run * run) * V - past / W;  // a word of the run
    if (lane == 0 || first + lane > vec16s || at >= p.out_run) continue;
    if (past != 0) v = realign(before, v, static_cast<unsigned>(vec16_bytes - past));
    char* const to = run_out + at * W;
    if (at >= 0 && at + V <= p.out_run) store_vec16(to, v);
    else store_in_short_row<W>(run_out, at, p.out_run, v);
  }
}

template <int W>
__global__ void __launch_bounds__(tensor_tile::threads, interleaved_tile<W>::min_blocks)
    transpose_tile_tensor_interleaved(interleaved_problem const __grid_constant__ p,
                                      int const buffer_bytes, int const runs_byte) {
  using shape = interleaved_tile<W>;
  constexpr int threads = shape::threads;
  extern __shared__ uint4 smem_vec16s[];
  char* const smem = reinterpret_cast<char*>(smem_vec16s);
  auto* const columns = reinterpret_cast<std::uint16_t*>(smem);  // until the first tile is stored
  auto* const table = reinterpret_cast<std::uint32_t*>(smem + 2 * buffer_bytes);
  auto* const runs = reinterpret_cast<interleaved_run*>(smem + runs_byte);
  auto* const out_offsets = reinterpret_cast<index*>(runs + p.in_runs);
  __shared__ tensor_tile_offsets tile_offsets[3];  // of this tile and of the next two
  int const thread = static_cast<int>(threadIdx.x), step = static_cast<int>(gridDim.x);
  int const rows = p.row.value, groups = p.groups.value;
  int tile = static_cast<int>(blockIdx.x);
  auto const row_of = [&](int group) { return min(group * shape::rows, rows - shape::rows); };
  // Padding, so that eight lanes that gather every fourth group are in different banks.
  auto const unit_of = [&](int group) { return group * p.group_pitch + (group >> 1 & ~3); };
  for (int r = thread; r < p.in_runs; r += threads) {
    int const run = p.groups.quotient(r), group = r - p.groups * run;
    runs[r] = {row_of(group) * p.row_in_stride + offset_of(p.in_digit, p.in_digits, run),
               unit_of(group) + p.groups_pitch * run};
  }
  for (int r = thread; r < p.out_runs; r += threads)
    out_offsets[r] = offset_of(p.out_digit, p.out_digits, r);
  for (int c = thread; c < p.columns; c += threads)
    columns[c] = static_cast<std::uint16_t>(offset_of(p.column_digit, p.column_digits, c));
  if (thread < 2) tile_offsets[thread] = p.tiles.find(tile + thread * step);
  __syncthreads();

  interleaved_part<W> part;
  part.load(p, p.in + tile_offsets[0].in, runs);
  auto const find = [&](int word, int& unit, int& byte) {
    int const column = p.row.quotient(word), row = word - p.row * column;
    int const group = row >= rows - shape::rows ? groups - 1 : row / shape::rows;
    unit = columns[column] + unit_of(group);
    byte = (row - row_of(group)) * W;
  };
  int const pairs = p.vec16s_in_out_run * p.out_runs * 4;
  for (int n = thread; n < pairs; n += threads) {
    int const run = p.vec16s_in_out_run.quotient(n / 4);
    int const at = (n - p.vec16s_in_out_run * run * 4) * shape::rows;  // a word of the run
    unit_pair pair{0};
    if (at < p.out_run) {
      int first, first_byte, second = 0, second_byte = 0;
      find(run * p.out_run + at, first, first_byte);
      int const behind = at + shape::rows - first_byte / W;
      if (first_byte != 0 && behind < p.out_run)
        find(run * p.out_run + behind, second, second_byte);
      pair = unit_pair::of(first, first_byte, second, second_byte);
    }
    table[n] = pair.packed;
  }
  __syncthreads();
  char* buffer = smem;
#pragma unroll 1
  for (int now = 0;;) {
    part.store(buffer);
    __syncthreads();
    int const next = now < 2 ? now + 1 : 0, behind = next < 2 ? next + 1 : 0;
    tile += step;
    bool const is_last = tile >= p.tiles.count;
    if (!is_last) part.load(p, p.in + tile_offsets[next].in, runs);
    store_interleaved<W>(p, buffer, reinterpret_cast<uint4 const*>(table), out_offsets,
                         p.out + tile_offsets[now].out);
    if (is_last) return;
    if (thread == 0) tile_offsets[behind] = p.tiles.find(tile + step);
    now = next;
    buffer = buffer == smem ? smem + buffer_bytes : smem;
  }
}

template <int W>
void run_tile_tensor_interleaved(execution const& where, transpose_config const& config,
                                 bit_copy const& copy) {
  interleaved_problem const p = interleaved_problem_of<W>(copy);
  index const blocks = std::min<index>(
      p.tiles.count, tensor_blocks(interleaved_tile<W>::min_blocks, p.shared_bytes()));
  launch_blocks(where, blocks, interleaved_tile<W>::threads, p.shared_bytes(), config.name,
                transpose_tile_tensor_interleaved<W>, p, p.buffer_bytes(), p.runs_byte());
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
