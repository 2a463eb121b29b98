// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes of few rows of bytes to an output without gaps, in blocks of 4x4 bytes. As
// transpose_skinny_rows, but that gathers byte by byte, in 3 to 6 rounds of the banks each.
//
//   rows in shared memory     4x4, columns of whole words, an      the output
//   r0 | a b c d ..           odd number of them apart
//   r1 | e f g h ..   ->      a e i m .. | b f j n .. | ..    ->   a vec16: parts of two columns
//   r2 | i j k l ..
//   r3 | m n o p ..
//
// What lost (H200, 2026-11-28): 4x16 bytes by vec16s of shared memory, 0.53 to 0.70 of a copy where
// this has 0.57 to 0.70; columns put together in shared memory by shuffles and atomic ors, 0.50 to
// 0.65, at twice the instructions.
#pragma once

#include <xpose/backends/cuda/transpose/kernels/skinny.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A tile in shared memory: rows, then columns, then the byte of each row.
struct skinny_bytes_tile {
  int cols;          // of the output's part
  int cols_loaded;   // with those before it that the part begins in, in whole words
  int words_in_col;  // odd
  int columns_byte, row_at_byte;
  fast_divisor vec16s_in_row;  // an even number
  fast_divisor warps_down;     // a warp takes 8 blocks across and 4 down

  /// The output's part begins at a sector, within the column before: rows are more than its bytes.
  static constexpr int extra_cols = 1;

  /// Rows 4 apart are 8 banks apart.
  static constexpr XPOSE_HOST_DEVICE int byte_of_row(int row, int vec16s_in_row) {
    return (row * vec16s_in_row + row / 4 * 2) * vec16_bytes;
  }
};

/// Loads the tile's columns from first_col on, as far as they are in the matrix. A thread has
/// vec16s of one column, so that addresses are not computed anew.
template <int T, int L>
__device__ inline void load_rows_of_bytes(transpose_problem const& p, skinny_bytes_tile const& tile,
                                          char const* in, index first_col, char* smem,
                                          int* row_at) {
  int const in_row = static_cast<int>(tile.vec16s_in_row.value);
  int const at_once = tile.vec16s_in_row.quotient(T);
  int const first = tile.vec16s_in_row.quotient(static_cast<int>(threadIdx.x));
  int const c = static_cast<int>(threadIdx.x) - first * in_row;
  char const* const begin = in + first_col;
  for (int i = threadIdx.x; i < p.rows; i += T)
    row_at[i] = skinny_bytes_tile::byte_of_row(i, in_row) +
                bytes_past_alignment<vec16_bytes>(begin + i * p.in_pitch);
  // Of the part of a row, which begins before the row if first_col is negative.
  int const skipped = static_cast<int>(max(-first_col, index{0})) - vec16_bytes;
  int const length = static_cast<int>(min(index{tile.cols_loaded}, p.cols - first_col));
  char const* const last = p.end_of(in, p.cols) - vec16_bytes;
  char const* row = begin + first * p.in_pitch;
  uint4 v[L];
  bool is_loaded[L], is_end_left = false;
#pragma unroll
  for (int l = 0; l < L; ++l, row += at_once * p.in_pitch) {
    int const at = c * vec16_bytes - bytes_past_alignment<vec16_bytes>(row);
    bool const is_wanted =
        first < at_once && first + l * at_once < p.rows && at > skipped && at < length;
    is_loaded[l] = is_wanted && row + at <= last;
    is_end_left |= is_wanted && row + at > last;
    if (is_loaded[l]) v[l] = load_vec16(row + at);
  }
#pragma unroll
  for (int l = 0; l < L; ++l)
    if (is_loaded[l])
      *reinterpret_cast<uint4*>(smem + skinny_bytes_tile::byte_of_row(first + l * at_once, in_row) +
                                c * vec16_bytes) = v[l];
  if (!is_end_left) return;
#pragma unroll 1
  for (int i = first; i < p.rows; i += at_once) {
    char const* const from = align_down_16(begin + i * p.in_pitch) + c * vec16_bytes;
    if (from > last && from < last + vec16_bytes)
      copy_words<1>(smem + skinny_bytes_tile::byte_of_row(i, in_row) + c * vec16_bytes, from,
                    static_cast<int>(last + vec16_bytes - from));
  }
}

/// 4 * count bytes of shared memory, from byte `at` on.
template <int Count>
__device__ inline void load_bytes(char const* smem, int at, std::uint32_t (&bytes)[Count]) {
  auto const* const words = reinterpret_cast<std::uint32_t const*>(smem + (at & ~3));
  std::uint32_t word = words[0];
#pragma unroll
  for (int k = 0; k < Count; ++k) {
    std::uint32_t const next = words[k + 1];
    bytes[k] = __funnelshift_r(word, next, static_cast<unsigned>(at) * 8);
    word = next;
  }
}

/// The vec16 from row `i` of the column at byte `at` of shared memory on, which goes on in the next
/// column.
__device__ inline uint4 gather_from_columns(char const* smem, int at, int i, int rows,
                                            int col_bytes) {
  constexpr int words = vec16_bytes / 4;
  std::uint32_t v[words];
  load_bytes(smem, at + i, v);
  int const left = rows - i;  // bytes of this column
  if (left < vec16_bytes) {
    std::uint32_t behind[words];
    load_bytes(smem, at + col_bytes - left, behind);
#pragma unroll
    for (int k = 0; k < words; ++k) {
      int const own = left - 4 * k;
      std::uint32_t const mask = own >= 4 ? ~0u : own <= 0 ? 0u : (1u << own * 8) - 1;
      v[k] = (v[k] & mask) | (behind[k] & ~mask);
    }
  }
  return make_uint4(v[0], v[1], v[2], v[3]);
}

template <int T, int L, int MinBlocks>
__global__ void __launch_bounds__(T, MinBlocks)
    transpose_skinny_bytes(transpose_problem const __grid_constant__ p, tile_order const order,
                           fast_divisor const rows_divisor,
                           skinny_bytes_tile const __grid_constant__ shape) {
  extern __shared__ uint4 smem_vec16s[];
  char* const smem = reinterpret_cast<char*>(smem_vec16s);
  char* const columns = smem + shape.columns_byte;
  int* const row_at = reinterpret_cast<int*>(smem + shape.row_at_byte);
  auto const tile = locate_tile(p, order);
  int const misalignment = bytes_past_alignment<sector_bytes>(tile.out);
  int const rows = p.rows, col_bytes = shape.words_in_col * 4;
  load_rows_of_bytes<T, L>(p, shape, tile.in,
                           index{tile.col_tile} * shape.cols - skinny_bytes_tile::extra_cols, smem,
                           row_at);
  __syncthreads();

  int const lane = threadIdx.x % 32, across = shape.cols_loaded / 4;
  for (int w = threadIdx.x / 32; w < shape.warps_down * ceil_div(across, 8); w += T / 32) {
    int const warp_across = shape.warps_down.quotient(w);
    int const a = warp_across * 8 + lane % 8;
    int const d = (w - shape.warps_down * warp_across) * 4 + lane / 8;
    if (a >= across || d * 4 >= rows) continue;
    std::uint32_t r[4], t[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      std::uint32_t word[1];
      load_bytes(smem, row_at[min(d * 4 + k, rows - 1)] + a * 4, word);
      r[k] = word[0];
    }
    transpose_bytes_4x4(r[0], r[1], r[2], r[3], t);
    auto* const to = reinterpret_cast<std::uint32_t*>(columns) + a * 4 * shape.words_in_col + d;
#pragma unroll
    for (int k = 0; k < 4; ++k) to[k * shape.words_in_col] = t[k];
  }
  __syncthreads();

  int const bytes = shape.cols * rows;
  index const first_byte = index{tile.col_tile} * bytes - misalignment;
  for (int e = threadIdx.x * vec16_bytes; e < bytes; e += T * vec16_bytes) {
    int const first = skinny_bytes_tile::extra_cols * rows + e - misalignment;
    int const j = rows_divisor.quotient(first);
    store_in_row<1>(tile.out, first_byte + e, index{p.cols} * rows,
                    gather_from_columns(columns, j * col_bytes, first - j * rows, rows, col_bytes));
  }
}

/// Vec16s of shared memory for so many columns and the one before, wherever rows begin: an even
/// number.
constexpr index vec16s_of_skinny_bytes(index cols) {
  constexpr index in_word = 4;
  index const loaded = ceil_div(cols + skinny_bytes_tile::extra_cols, in_word) * in_word;
  return ceil_div(loaded + vec16_bytes - 1, index{2 * vec16_bytes}) * 2;
}
constexpr index most_cols_of_skinny_bytes(index rows, index tile_bytes) {
  return std::max<index>(sector_bytes, tile_bytes / rows / sector_bytes * sector_bytes);
}
/// Rows of which a thread loads a vec16 each, at most.
constexpr int most_loads_of_skinny_bytes(index threads, index tile_bytes) {
  index most = 0;
  for (index rows = min_rows_of_skinny_bytes; rows <= max_rows_of_skinny_bytes; ++rows)
    most = std::max(most, ceil_div(rows, threads / vec16s_of_skinny_bytes(most_cols_of_skinny_bytes(
                                                       rows, tile_bytes))));
  return static_cast<int>(most);
}

/// Tiles of as many columns as so many bytes hold, and equal shares of a matrix.
template <int Threads, int TileBytes, int MinBlocks>
void run_skinny_bytes(execution const& where, transpose_config const& config,
                      bit_copy const& copy) {
  constexpr index in_word = 4, extra = skinny_bytes_tile::extra_cols;
  transpose_problem const p = problem_of(copy);
  index const rows = copy.rows;
  index const most_cols = most_cols_of_skinny_bytes(rows, skinny_tile_bytes(p, 1, TileBytes));
  index const tiles = ceil_div(copy.cols + extra, most_cols);
  index const cols = share_of_tile(copy.cols + extra, tiles, sector_bytes);
  index const loaded = ceil_div(cols + extra, in_word) * in_word;
  index const vec16s_in_row = vec16s_of_skinny_bytes(cols);
  skinny_bytes_tile shape{};
  shape.cols = static_cast<int>(cols);
  shape.cols_loaded = static_cast<int>(loaded);
  shape.words_in_col = static_cast<int>(ceil_div(rows, in_word) / 2 * 2 + 1);
  shape.columns_byte =
      skinny_bytes_tile::byte_of_row(static_cast<int>(rows), static_cast<int>(vec16s_in_row)) +
      2 * vec16_bytes;
  shape.row_at_byte =
      shape.columns_byte + (shape.cols_loaded * shape.words_in_col + 8) / 4 * vec16_bytes;
  shape.vec16s_in_row = fast_divisor(vec16s_in_row);
  shape.warps_down = fast_divisor(ceil_div(rows, index{16}));
  constexpr int loads = most_loads_of_skinny_bytes(Threads, TileBytes);
  launch_blocks(where, tiles * p.batch_count, Threads,
                shape.row_at_byte + static_cast<int>(rows * sizeof(int)), config.name,
                transpose_skinny_bytes<Threads, loads, MinBlocks>, p, tile_order(1, tiles),
                fast_divisor(rows), shape);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
