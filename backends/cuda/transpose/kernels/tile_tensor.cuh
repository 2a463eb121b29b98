// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Permutes tensors whose contiguous dimensions are short, or are on both sides, and elements of
// several words that no other tile is for, in tiles of any number of dimensions
// (transpose/tensor_tile.hpp chooses them). All tiles are alike, so a block finds once where every
// word of them lies in shared memory, and takes one tile after another:
//
//   global in           shared memory                      global out
//   runs of 32 bytes    a run a row, an odd number of      runs: a thread gathers 8 bytes, by a
//   and more, vec16s -> words of 4 or 8 bytes apart    ->  table of where each word lies
//
// The next tile's loads are in flight while a tile is stored. Assumes natural alignment.
#pragma once

#include <xpose/backends/cuda/memory/vector_access.cuh>
#include <xpose/backends/cuda/transpose/launch_tiles.cuh>
#include <xpose/backends/cuda/transpose/tensor_tile.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A digit of a number of runs, times a stride.
struct tensor_digit {
  fast_divisor extent;
  index stride;  // in bytes
};

/// A number's digits, times their strides.
__device__ inline index offset_of(tensor_digit const* digits, int count, int number) {
  index offset = 0;
  for (int d = 0; d < count; ++d) {
    int const rest = digits[d].extent.quotient(number);
    offset += (number - digits[d].extent * rest) * digits[d].stride;
    number = rest;
  }
  return offset;
}

/// Where a tile begins: offsets in bytes.
struct tensor_tile_offsets {
  index in, out;
};

/// The tiles of a tensor.
struct tensor_tiles {
  struct digit {
    fast_divisor tiles;
    index step, last, in_stride, out_stride;
  };

  int count = 0, digits = 0;
  digit outer[tensor_tile::max_dimensions];

  tensor_tiles() = default;
  explicit tensor_tiles(tensor_tile const& tile) : count(static_cast<int>(tile.tiles)) {
    for (int d = 0; d < tile.outer_count; ++d) {
      auto const& o = tile.outer[d];
      outer[digits++] = {fast_divisor(o.tiles), o.step, o.last, o.in_stride, o.out_stride};
    }
  }
  __device__ tensor_tile_offsets find(int tile) const {
    tensor_tile_offsets found{0, 0};
    for (int d = 0; d < digits; ++d) {
      auto const& o = outer[d];
      int const rest = o.tiles.quotient(tile);
      index const at = min(index{tile - o.tiles * rest} * o.step, o.last);
      found.in += at * o.in_stride;
      found.out += at * o.out_stride;
      tile = rest;
    }
    return found;
  }
};

/// tensor_tile as the kernel reads it.
struct tensor_problem {
  tensor_tiles tiles;
  char const* in;
  char* out;
  char const* readable_end;
  int in_runs, out_runs;
  int in_run, out_run;  // in words
  int smem_pitch;
  fast_divisor vec16s_in_run;
  fast_divisor units_in_run;  // of an output run, wherever it begins
  fast_divisor row;           // the fastest dimension of the output
  int row_smem_stride;
  int rows;  // of the output, in a tile
  int row_digits, in_digits, out_digits;
  tensor_digit
      row_digit[tensor_tile::max_dimensions];          // of the rows, with strides in shared memory
  tensor_digit in_digit[tensor_tile::max_dimensions];  // of the runs in the input
  tensor_digit out_digit[tensor_tile::max_dimensions];  // of those in the output

  int table_byte() const { return (in_runs * smem_pitch + 15) / 16 * 16; }
  int rows_byte() const {
    return table_byte() + (words_before + out_runs * out_run + words_behind + 7) / 8 * 16;
  }
  int offsets_byte() const { return rows_byte() + (rows + 7) / 8 * 16; }
  int shared_bytes() const {
    return offsets_byte() + (in_runs + out_runs) * static_cast<int>(sizeof(index));
  }
  /// Entries of the table that are of no word: units begin and end outside a run.
  static constexpr int words_before = 8, words_behind = 16;
};

/// The output is stored in units of 8 bytes.
inline constexpr int tensor_unit_bytes = 8;

/// The digits of the numbers of a problem's runs; those of the input from a dimension of theirs on.
template <class Problem>
void number_runs(Problem& p, tensor_tile const& tile, int first_in_run_dimension) {
  for (int k = first_in_run_dimension; k < tile.in_run_count; ++k) {
    auto const& d = tile.dimensions[tile.in_run_dimensions[k]];
    p.in_digit[p.in_digits++] = {fast_divisor(d.extent), d.in_stride};
  }
  for (int d = tile.out_run_first; d < tile.count; ++d)
    p.out_digit[p.out_digits++] = {fast_divisor(tile.dimensions[d].extent),
                                   tile.dimensions[d].out_stride};
}

template <int W>
tensor_problem tensor_problem_of(bit_copy const& copy, tensor_tile const& tile) {
  tensor_problem p{};
  p.in = copy.in;
  p.out = copy.out;
  p.readable_end = copy.readable_end;
  p.tiles = tensor_tiles(tile);
  p.in_runs = static_cast<int>(tile.in_runs);
  p.out_runs = static_cast<int>(tile.out_runs);
  p.in_run = static_cast<int>(tile.in_run);
  p.out_run = static_cast<int>(tile.out_run);
  p.smem_pitch = tile.smem_pitch;
  p.vec16s_in_run = fast_divisor(tile.vec16s_in_run);
  p.units_in_run =
      fast_divisor(ceil_div(tile.out_run * W + tensor_unit_bytes - W, index{tensor_unit_bytes}));
  auto const& row = tile.dimensions[0];
  p.row = fast_divisor(row.extent);
  p.row_smem_stride = row.smem_stride;
  p.rows = static_cast<int>(tile.out_run * tile.out_runs / row.extent);
  for (int d = 1; d < tile.count; ++d)
    p.row_digit[p.row_digits++] = {fast_divisor(tile.dimensions[d].extent),
                                   tile.dimensions[d].smem_stride};
  number_runs(p, tile, 0);
  return p;
}

/// The aligned vec16 at `from` and the 4 bytes behind it; nothing from `end` on is read.
struct vec16_and_word {
  uint4 vec16;
  std::uint32_t next;
};
template <int W>
__device__ inline vec16_and_word load_vec16_and_word(char const* from, bool wants_next,
                                                     char const* end) {
  using word = typename word_of<W>::type;
  wants_next = wants_next && W < 4;
  char const* const behind = from + vec16_bytes;
  if (behind + (wants_next ? 4 : 0) <= end)
    return {load_vec16(from), wants_next ? *reinterpret_cast<std::uint32_t const*>(behind) : 0};
  vec16_words<W> v{};
#pragma unroll
  for (int k = 0; k < vec16_bytes / W; ++k)
    if (from + (k + 1) * W <= end) v.words[k] = reinterpret_cast<word const*>(from)[k];
  std::uint32_t next = 0;
  if constexpr (W < 4)
    for (int k = 0; k < 4 / W && behind + (k + 1) * W <= end; ++k)
      next |= std::uint32_t{reinterpret_cast<word const*>(behind)[k]} << (8 * W * k);
  return {v.vec16, next};
}

/// A thread's part of a tile: vec16s, in which runs begin anywhere.
template <int W, int Loads>
struct tensor_tile_part {
  static constexpr int lead = tensor_tile::smem_lead(W);

  vec16_and_word loaded[Loads];
  int to[Loads];  // negative: none
  unsigned bits[Loads];

  __device__ void load(tensor_problem const& p, char const* in, index const* in_offsets) {
    int const vec16s = p.vec16s_in_run * p.in_runs;
#pragma unroll
    for (int l = 0; l < Loads; ++l) {
      int const e = static_cast<int>(threadIdx.x) + l * tensor_tile::threads;
      to[l] = -1;
      if (e >= vec16s) continue;
      int const run = p.vec16s_in_run.quotient(e), v = e - p.vec16s_in_run * run;
      char const* const row = in + in_offsets[run];
      int const past = bytes_past_alignment<vec16_bytes>(row);
      int const left = p.in_run * W + past - v * vec16_bytes;  // of the run
      if (left <= 0) continue;
      bits[l] = static_cast<unsigned>(past) % 4 * 8;
      to[l] = run * p.smem_pitch + lead + v * vec16_bytes - past / 4 * 4;
      loaded[l] =
          load_vec16_and_word<W>(row - past + v * vec16_bytes, left > vec16_bytes, p.readable_end);
    }
  }
  __device__ void store(char* smem) const {
#pragma unroll
    for (int l = 0; l < Loads; ++l) {
      if (to[l] < 0) continue;
      auto const& v = loaded[l];
      if constexpr (W == 8) {
        auto* const words = reinterpret_cast<uint2*>(smem + to[l]);
        words[0] = make_uint2(v.vec16.x, v.vec16.y);
        words[1] = make_uint2(v.vec16.z, v.vec16.w);
        continue;
      }
      auto* const at = reinterpret_cast<std::uint32_t*>(smem + to[l]);
      auto const shifted = [&](std::uint32_t low, std::uint32_t high) {
        return W < 4 ? __funnelshift_r(low, high, bits[l]) : low;
      };
      at[0] = shifted(v.vec16.x, v.vec16.y);
      at[1] = shifted(v.vec16.y, v.vec16.z);
      at[2] = shifted(v.vec16.z, v.vec16.w);
      at[3] = shifted(v.vec16.w, v.next);
    }
  }
};

template <int W>
union tensor_unit {
  uint2 whole;
  typename word_of<W>::type words[tensor_unit_bytes / W];
};

/// Entries [at, at + Count) of the table, by vector loads: those of neighbouring lanes are `Count`
/// apart, and one by one each load would take half as many rounds of the banks.
template <int Count>
__device__ inline void load_entries(std::uint16_t const* table, int at, int (&entries)[Count]) {
  if constexpr (Count <= 2) {
#pragma unroll
    for (int k = 0; k < Count; ++k) entries[k] = table[at + k];
  } else {
    std::uint32_t pairs[Count / 2];
    auto const* const from = table + at / Count * Count;
    if constexpr (Count == 8) {
      auto const* const vectors = reinterpret_cast<uint4 const*>(from);
      uint4 const v = realign(vectors[0], vectors[1], at % Count * 2);
      pairs[0] = v.x, pairs[1] = v.y, pairs[2] = v.z, pairs[3] = v.w;
    } else {
      auto const* const vectors = reinterpret_cast<uint2 const*>(from);
      uint2 const low = vectors[0], high = vectors[1];
      bool const by_two = at & 2;
      unsigned const bits = at % 2 * 16;
      std::uint32_t const w[] = {by_two ? low.y : low.x, by_two ? high.x : low.y,
                                 by_two ? high.y : high.x};
      pairs[0] = __funnelshift_r(w[0], w[1], bits);
      pairs[1] = __funnelshift_r(w[1], w[2], bits);
    }
#pragma unroll
    for (int k = 0; k < Count; ++k) entries[k] = pairs[k / 2] >> k % 2 * 16 & 0xffff;
  }
}

template <int W>
__device__ inline void store_tensor_tile(tensor_problem const& p, char const* smem,
                                         std::uint16_t const* table, index const* out_offsets,
                                         char* out) {
  using word = typename word_of<W>::type;
  constexpr int words = tensor_unit_bytes / W;
  int const units = p.units_in_run * p.out_runs;
  for (int u = threadIdx.x; u < units; u += tensor_tile::threads) {
    int const run = p.units_in_run.quotient(u);
    char* const run_out = out + out_offsets[run];
    int const first =
        (u - p.units_in_run * run) * words - bytes_past_alignment<tensor_unit_bytes>(run_out) / W;
    if (first >= p.out_run) continue;
    int entries[words];
    load_entries(table, tensor_problem::words_before + run * p.out_run + first, entries);
    tensor_unit<W> v;
#pragma unroll
    for (int k = 0; k < words; ++k) v.words[k] = *reinterpret_cast<word const*>(smem + entries[k]);
    word* const to = reinterpret_cast<word*>(run_out) + first;
    if (first >= 0 && first + words <= p.out_run) {
      *reinterpret_cast<uint2*>(to) = v.whole;
      continue;
    }
#pragma unroll
    for (int k = 0; k < words; ++k)
      if (first + k >= 0 && first + k < p.out_run) to[k] = v.words[k];
  }
}

/// Resident blocks. Shares of a copy with 5, 6 and 8: f32 of 13x99x12x31x30 by 30142 0.76, 0.80,
/// 0.86, of 19x23x37x3x8x38 by 145203 0.60, 0.65, 0.69; 2 bytes of 9x14x85x20x15x20 by 215043 0.59,
/// 0.62, 0.61; 8 bytes of 34x16x50x104x3 by 24301 0.81, 0.86, 0.79, of 81x329x56x34 by 3210 0.66,
/// 0.63, 0.56; bytes of 35x95x23x24x19x3 by 321504 0.52, 0.53, 0.49, of 26x3x36x44x142x12 by 325014
/// 0.41, 0.41, 0.38 (H200, 2026-11-30). Of large tiles half as many have as many loads in flight.
template <int W, int Loads>
inline constexpr int resident_tensor_blocks = Loads > 2 ? 4
                                              : W == 4  ? 8
                                              : W == 1  ? 5
                                                        : 6;

template <int W, int Loads>
__global__ void __launch_bounds__(tensor_tile::threads, resident_tensor_blocks<W, Loads>)
    transpose_tile_tensor(tensor_problem const __grid_constant__ p, int const table_byte,
                          int const rows_byte, int const offsets_byte) {
  constexpr int threads = tensor_tile::threads, before = tensor_problem::words_before,
                behind = tensor_problem::words_behind;
  extern __shared__ uint4 smem_vec16s[];
  char* const smem = reinterpret_cast<char*>(smem_vec16s);
  auto* const table = reinterpret_cast<std::uint16_t*>(smem + table_byte);
  auto* const row_offsets = reinterpret_cast<std::uint16_t*>(smem + rows_byte);
  auto* const in_offsets = reinterpret_cast<index*>(smem + offsets_byte);
  index* const out_offsets = in_offsets + p.in_runs;
  __shared__ tensor_tile_offsets tile_offsets[2];  // of this tile and the next, alternately
  int const thread = static_cast<int>(threadIdx.x), step = static_cast<int>(gridDim.x);
  int tile = static_cast<int>(blockIdx.x);
  // By the last warp, while the first ones find the runs' offsets: 9 % of a small tensor's time.
  int const from_end = threads - 1 - thread;
  if (from_end < 2) tile_offsets[from_end] = p.tiles.find(tile + from_end * step);
  for (int r = thread; r < p.in_runs + p.out_runs; r += threads)
    in_offsets[r] = r < p.in_runs ? offset_of(p.in_digit, p.in_digits, r)
                                  : offset_of(p.out_digit, p.out_digits, r - p.in_runs);
  __syncthreads();

  tensor_tile_part<W, Loads> part;
  part.load(p, p.in + tile_offsets[0].in, in_offsets);
  int const words = p.row * p.rows;
  for (int r = thread; r < p.rows; r += threads)
    row_offsets[r] = static_cast<std::uint16_t>(tensor_tile_part<W, Loads>::lead +
                                                offset_of(p.row_digit, p.row_digits, r));
  if (thread < before) table[thread] = 0;
  if (thread < behind) table[before + words + thread] = 0;
  __syncthreads();
  for (int w = thread; w < words; w += threads) {
    int const row = p.row.quotient(w);
    table[before + w] =
        static_cast<std::uint16_t>(row_offsets[row] + (w - p.row * row) * p.row_smem_stride);
  }
#pragma unroll 1
  for (int now = 0;; now ^= 1) {
    part.store(smem);
    __syncthreads();
    index const out_offset = tile_offsets[now].out;
    tile += step;
    bool const is_last = tile >= p.tiles.count;
    if (!is_last) part.load(p, p.in + tile_offsets[now ^ 1].in, in_offsets);
    store_tensor_tile<W>(p, smem, table, out_offsets, p.out + out_offset);
    if (is_last) return;
    __syncthreads();
    if (thread == 0) tile_offsets[now] = p.tiles.find(tile + step);
  }
}

/// As many blocks as are resident, up to `most` on a multiprocessor: each takes several tiles. A
/// multiprocessor has about the shared memory that a block may have, and 2048 threads, or 1536.
inline index tensor_blocks(index most, index shared_bytes) {
  constexpr index reserved = 1 << 10;
  auto const& device = properties_of_device();
  bool const has_fewer_threads =
      (device.capability > 80 && device.capability < 90) || device.capability >= 120;
  most = std::min<index>(most, (has_fewer_threads ? 1536 : 2048) / tensor_tile::threads);
  return device.multiprocessors *
         std::clamp<index>(device.shared_bytes / (shared_bytes + reserved), 1, most);
}

/// Tiles of up to Smem bytes of the input. Words of 16 bytes are two of 8.
template <int W, int Smem>
void run_tile_tensor(execution const& where, transpose_config const& config, bit_copy const& copy) {
  constexpr int word = W < 16 ? W : W / 2;
  constexpr int vec16s = Smem / vec16_bytes, loads = vec16s / tensor_tile::threads;
  tensor_problem const p = tensor_problem_of<word>(copy, tensor_tile_of(copy, vec16s));
  index const blocks = std::min<index>(
      p.tiles.count, tensor_blocks(resident_tensor_blocks<word, loads>, p.shared_bytes()));
  launch_blocks(where, blocks, tensor_tile::threads, p.shared_bytes(), config.name,
                transpose_tile_tensor<word, loads>, p, p.table_byte(), p.rows_byte(),
                p.offsets_byte());
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
