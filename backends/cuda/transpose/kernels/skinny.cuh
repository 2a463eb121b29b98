// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes with one side of at most 64 elements, of elements of any number of words. What happens
// to a vec16 before it is stored: memory/store_vec16.cuh.
// transpose_skinny_cols: a tile of input rows, whose pitch is at most twice their bytes, is loaded
// as one contiguous range, gaps included; output rows are cut at sectors.
//   in: a b . d e . g h .  -> shared memory, same order -> out: a d g ..
//                                                               b e h ..
// transpose_skinny_rows: rows are loaded; the output, where it has no gaps, is stored as one
// contiguous range, else word by word.
#pragma once

#include <xpose/backends/cuda/memory/contiguous_range.cuh>
#include <xpose/backends/cuda/memory/store_vec16.cuh>
#include <xpose/backends/cuda/transpose/launch_tiles.cuh>
#include <xpose/backends/cuda/transpose/skinny.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// The vec16 e of the output tile: the vec16 q of column j. A warp takes LanesAcross columns side
/// by side, whose bytes lie in one word.
template <int LanesAcross>
struct skinny_task {
  int q, j;
  __device__ skinny_task(int e, fast_divisor vec16s_down) {
    constexpr int lanes_down = 32 / LanesAcross;
    int const warp = e / 32 * lanes_down;  // in vec16s of one column
    int const across = vec16s_down.quotient(LanesAcross == 1 ? e : warp);
    q = LanesAcross == 1 ? e - across * static_cast<int>(vec16s_down.value)
                         : warp - across * static_cast<int>(vec16s_down.value) + e % lanes_down;
    j = LanesAcross == 1 ? across : across * LanesAcross + e % 32 / lanes_down;
  }
};

template <class Stored, class Element, class Layout, int T, int L, int LanesAcross>
__global__ void __launch_bounds__(T)
    transpose_skinny_cols(transpose_problem const __grid_constant__ p, tile_order const order,
                          int const rows_in_tile, fast_divisor const vec16s_down,
                          Element const element, Stored const stored) {
  using word = typename Stored::word;
  constexpr int W = Stored::in_bytes, V = vec16_bytes / Stored::out_bytes;
  constexpr int extra_words = sector_bytes / Stored::out_bytes;
  extern __shared__ uint4 smem_vec16s[];
  char* const smem = reinterpret_cast<char*>(smem_vec16s);
  auto const tile = locate_tile(p, order);
  int const pitch = static_cast<int>(p.in_pitch), words = element.count();
  int const extra = element.quotient(extra_words + words - 1);
  char const* const in = tile.in;
  char const* const in_end = in + index{p.rows - 1} * pitch + p.cols * (words * W);
  char const* const begin = in + (index{tile.row_tile} * rows_in_tile - extra) * pitch;
  char const* const end = begin + index{rows_in_tile + extra} * pitch;
  char const* const origin = align_down_16(begin);
  load_contiguous_range<W, T, L, Layout>(smem, origin, begin < in ? in : begin,
                                         end < in_end ? end : in_end, in_end);
  __syncthreads();

  int const to_next_row = pitch - words * W;  // from the end of an element
  for (int e = threadIdx.x; e < p.cols * static_cast<int>(vec16s_down.value); e += T) {
    auto const [q, j] = skinny_task<LanesAcross>(e, vec16s_down);
    char* const out_row = tile.out + j * p.out_pitch;
    int const misalignment = bytes_past_alignment<sector_bytes>(out_row) / Stored::out_bytes;
    index const out_word = index{tile.row_tile} * rows_in_tile * words + q * V - misalignment;
    auto const source = stored.load_source(tile.batch_index, j, out_word, index{p.rows} * words);
    int const first_word = extra * words + q * V - misalignment;
    int const row = element.quotient(first_word);
    int part = first_word - row * words;
    int at = static_cast<int>(begin - origin) + row * pitch + (j * words + part) * W;
    typename Stored::gathered v;
    if constexpr (are_triples<Element, W>) {
      static_assert(std::is_same_v<Layout, padded_layout>);
      six_triples triples;
      at -= part;
#pragma unroll
      for (int k = 0; k < six_triples::count; ++k)
        triples.words[k] = padded_triple_at(smem, at + k * pitch);
      v.vec16 = triples.vec16(part);
    } else {
#pragma unroll
      for (int k = 0; k < V; ++k) {
        v.words[k] = *reinterpret_cast<word const*>(smem + Layout::smem_offset(at));
        at += W;
        if (++part == words) {
          part = 0;
          at += to_next_row;
        }
      }
    }
    stored.store(out_row, out_word, index{p.rows} * words, v, source);
  }
}

/// Loads the rows of a tile: row i to smem + row_at[i], with 16 bytes of padding every V rows. V
/// more of row_at say where the elements of the next columns are, so that V elements of the output
/// from any row on are at row_at[i], row_at[i + 1], ...: with a test for the last row instead, a
/// byte took 17 instructions.
template <int W, int V, int T, int L>
__device__ inline void load_skinny_rows(transpose_problem const& p, char const* in,
                                        int element_bytes, index first_col, index end_col,
                                        fast_divisor vec16s_in_row, char* smem, int* row_at) {
  char const* const in_end = p.end_of(in, index{p.cols} * element_bytes);
  // In bytes of the part of a row, which begins before the row if first_col is negative.
  int const length = static_cast<int>(end_col - first_col) * element_bytes;
  int const skipped = static_cast<int>(max(-first_col, index{0})) * element_bytes;
  in += first_col * element_bytes;
  uint4 v[L];
  int to[L];
#pragma unroll
  for (int l = 0; l < L; ++l) {
    int const e = threadIdx.x + l * T, i = vec16s_in_row.quotient(e);
    int const c = e - i * static_cast<int>(vec16s_in_row.value);
    to[l] = -1;
    if (i >= p.rows) continue;
    char const* const begin = in + i * p.in_pitch;
    int const past = bytes_past_alignment<16>(begin), at = c * 16 - past;
    int const slot = (i * static_cast<int>(vec16s_in_row.value) + i / V) * 16;
    if (c == 0)
      for (int k = i, to_row = slot + past; k < p.rows + V; k += p.rows, to_row += element_bytes)
        row_at[k] = to_row;
    if (at + 16 <= skipped || at >= length) continue;
    char const* const from = begin + at;
    if (from + 16 <= in_end) {
      v[l] = load_vec16(from);
      to[l] = slot + c * 16;
    } else {
      copy_words<W>(smem + slot + c * 16, from, static_cast<int>(in_end - from) / W);
    }
  }
#pragma unroll
  for (int l = 0; l < L; ++l)
    if (to[l] >= 0) *reinterpret_cast<uint4*>(smem + to[l]) = v[l];
}

/// A vec16 of the output, of elements of three bytes: from byte `part` of the element in row `i`,
/// at byte `at` of that row, down the columns.
__device__ inline uint4 gather_triples(char const* smem, int const* row_at, int rows, int i,
                                       int part, int at) {
  six_triples triples;
  at -= part;
#pragma unroll
  for (int k = 0; k < six_triples::count; ++k) {
    triples.words[k] = triple_at(smem, row_at[i] + at);
    if (++i < rows) continue;
    i = 0;
    at += 3;
  }
  return triples.vec16(part);
}

/// `is_out_contiguous`: neither the output nor the other operand of a sum has gaps.
template <class Stored, class Element, int T, int L>
__global__ void __launch_bounds__(T)
    transpose_skinny_rows(transpose_problem const __grid_constant__ p, tile_order const order,
                          int const cols_in_tile, fast_divisor const words_in_col,
                          fast_divisor const vec16s_in_row, bool const is_out_contiguous,
                          Element const element, Stored const stored) {
  using word = typename Stored::word;
  constexpr int W = Stored::in_bytes, V = vec16_bytes / Stored::out_bytes;
  extern __shared__ uint4 smem_vec16s[];
  __shared__ int row_at[max_skinny_rows + V];
  char* const smem = reinterpret_cast<char*>(smem_vec16s);
  auto const tile = locate_tile(p, order);
  int const words = element.count(), col_words = p.rows * words;
  char* const out = tile.out;
  int const misalignment =
      is_out_contiguous ? bytes_past_alignment<sector_bytes>(out) / Stored::out_bytes : 0;
  int const extra =  // columns
      is_out_contiguous ? words_in_col.quotient(sector_bytes / Stored::out_bytes + col_words - 1)
                        : 0;
  index const first_col = index{tile.col_tile} * cols_in_tile - extra;
  index const end_col = min(index{p.cols}, first_col + extra + cols_in_tile);
  load_skinny_rows<W, V, T, L>(p, tile.in, words * W, first_col, end_col, vec16s_in_row, smem,
                               row_at);
  __syncthreads();

  if (!is_out_contiguous) {
    for (int e = threadIdx.x; e < cols_in_tile * col_words; e += T) {
      int const j = words_in_col.quotient(e), in_col = e - j * col_words;
      int const i = element.quotient(in_col), part = in_col - i * words;
      if (first_col + j >= end_col) return;
      stored.store_word(tile.batch_index, static_cast<int>(first_col) + j,
                        out + (first_col + j) * p.out_pitch, in_col,
                        *reinterpret_cast<word const*>(smem + row_at[i] + (j * words + part) * W));
    }
    return;
  }
  for (int e = threadIdx.x; e < cols_in_tile * col_words / V; e += T) {
    index const out_word = index{tile.col_tile} * cols_in_tile * col_words + e * V - misalignment;
    auto const source =
        stored.load_source(tile.batch_index, 0, out_word, index{p.cols} * col_words);
    int const first_word = extra * col_words + e * V - misalignment;
    int const j = words_in_col.quotient(first_word), in_col = first_word - j * col_words;
    int i = element.quotient(in_col), part = in_col - i * words, at = j * words * W + part * W;
    typename Stored::gathered v;
    if constexpr (are_triples<Element, W>) {
      v.vec16 = gather_triples(smem, row_at, p.rows, i, part, at);
    } else if constexpr (std::is_same_v<Element, element_words<1>>) {
#pragma unroll
      for (int k = 0; k < V; ++k)
        v.words[k] = *reinterpret_cast<word const*>(smem + row_at[i + k] + at);
    } else {
#pragma unroll
      for (int k = 0; k < V; ++k) {
        v.words[k] = *reinterpret_cast<word const*>(smem + row_at[i] + at);
        at += W;
        if (++part < words) continue;
        part = 0;
        if (++i < p.rows) at -= words * W;
        else i = 0;
      }
    }
    stored.store(out, out_word, index{p.cols} * col_words, v, source);
  }
}

/// Bytes of a tile: so many that each multiprocessor has two, as far as shared memory holds them.
/// 8x31168 f32 has 31 tiles of 16 KB.
inline index skinny_tile_bytes(transpose_problem const& p, index element_bytes,
                               index most = skinny_smem_bytes) {
  constexpr index least = 4096;
  index const bytes = p.batch_count * p.rows * p.cols * element_bytes;
  index const of_each = bytes / (2 * properties_of_device().multiprocessors);
  return std::clamp(of_each, least, most);
}

/// Tiles of one size have equal shares of a side, in steps: of 3530 rows of 7 bytes two tiles have
/// 1792 each, where shared memory would hold 2304.
constexpr index share_of_tile(index extent, index tiles, index step) {
  return ceil_div(ceil_div(extent, tiles), step) * step;
}

/// Lanes gather elements that lie 16 columns' bytes apart. So many rounds of the banks do words of
/// up to 4 bytes take, padded, and swizzled if the number of columns is no multiple of 4, else
/// row-swizzled: 7 columns 8, 1; 10 columns 4, 2; 21 columns 6, 1; 16 columns 8, 2; 32 columns
/// 16, 2. Bytes of 4 columns in one word take 1 to 4 padded, and fewer instructions: 348 of 4512x16
/// 0.96 of a copy, row-swizzled 0.90; 90 of 60001x4 0.94, 0.90. But 16 columns whose output rows
/// begin anywhere take 6, more columns 8: 348 of 4514x16 0.74, 0.88; 120 of 2778x96 0.58, 0.90.
/// Before, 592184x21 bytes had 0.69, now 0.89, 1000000x7 0.50 and 0.85 (H100, 2026-11-28).
template <int Threads, int Loads, class Element, class Stored>
auto* skinny_cols_kernel(transpose_problem const& p, index rows) {
  constexpr int W = Stored::in_bytes, V = vec16_bytes / Stored::out_bytes;
  if constexpr (!std::is_same_v<Element, element_words<1>>) {
    return transpose_skinny_cols<Stored, Element, padded_layout, Threads, Loads, 1>;
  } else if constexpr (W <= 4) {
    index const pitch = p.in_pitch / W;
    if (pitch % 4 != 0)
      return transpose_skinny_cols<Stored, Element, swizzled_layout, Threads, Loads, 1>;
    if constexpr (W == 1) {
      bool const is_aligned = p.out_pitch % vec16_bytes == 0;
      if (p.cols % 4 == 0 && (pitch % 16 != 0 || (pitch % 32 != 0 && is_aligned)))
        return transpose_skinny_cols<Stored, Element, padded_layout, Threads, Loads, 4>;
    }
    return transpose_skinny_cols<Stored, Element, row_swizzled_layout, Threads, Loads, 1>;
  } else {
    int const pitch = static_cast<int>(p.in_pitch), in_tile = static_cast<int>(rows);
    return suits_hash<padded_layout, W, V>(in_tile, pitch, pitch * in_tile)
               ? transpose_skinny_cols<Stored, Element, hashed_layout<W>, Threads, Loads, 1>
               : transpose_skinny_cols<Stored, Element, padded_layout, Threads, Loads, 1>;
  }
}

/// Tiles of as many rows as these bytes hold, a multiple of 8 vec16s of the output. Elements have
/// `words` words.
template <int Threads, class Element, class Stored>
void launch_skinny_cols(execution const& where, char const* name, transpose_problem const& p,
                        index words, Stored const& stored) {
  constexpr index V = vec16_bytes / Stored::out_bytes;
  constexpr index step = 8 * V;
  index const extra_rows = ceil_div(sector_bytes / Stored::out_bytes, words);
  index const bytes = skinny_tile_bytes(p, words * Stored::in_bytes);
  index const fitting = (bytes - 16) / p.in_pitch - extra_rows;
  index const most_rows = std::max(step, fitting / step * step);
  index const tiles = ceil_div(p.rows + extra_rows, most_rows);
  index const rows = share_of_tile(p.rows + extra_rows, tiles, step);
  constexpr int loads = static_cast<int>(skinny_smem_bytes / (Threads * vec16_bytes));
  auto* kernel = skinny_cols_kernel<Threads, loads, Element, Stored>(p, rows);
  launch_blocks(where, tiles * p.batch_count, Threads,
                padded_size(static_cast<int>((rows + extra_rows) * p.in_pitch) + 16), name, kernel,
                p, tile_order(tiles, 1), static_cast<int>(rows), fast_divisor(rows * words / V),
                Element(words), stored);
}

/// Tiles of as many columns as these bytes hold, with an odd number of vec16s in every row.
template <int Threads, class Element, class Stored>
void launch_skinny_rows(execution const& where, char const* name, transpose_problem const& p,
                        index words, bool is_out_contiguous, Stored const& stored) {
  constexpr index V = vec16_bytes / Stored::out_bytes, step = sector_bytes / Stored::out_bytes;
  index const element_bytes = words * Stored::in_bytes;
  index const extra_cols = ceil_div(step, p.rows * words);
  auto const odd = [](index n) { return n / 2 * 2 + 1; };
  index const bytes = skinny_tile_bytes(p, element_bytes);
  index const fitting = odd(bytes / vec16_bytes / p.rows - 1);
  index const most_cols =
      std::max(step, ((fitting - 1) * vec16_bytes / element_bytes - extra_cols - 1) / step * step);
  index const tiles = ceil_div(p.cols + extra_cols, most_cols);
  index const cols = share_of_tile(p.cols + extra_cols, tiles, step);
  index const vec16s_in_row = odd(ceil_div((cols + extra_cols) * element_bytes, vec16_bytes) + 1);
  constexpr int loads = static_cast<int>(skinny_smem_bytes / (Threads * vec16_bytes));
  launch_blocks(where, tiles * p.batch_count, Threads,
                static_cast<int>((p.rows * vec16s_in_row + p.rows / V + 2) * vec16_bytes), name,
                transpose_skinny_rows<Stored, Element, Threads, loads>, p, tile_order(1, tiles),
                static_cast<int>(cols), fast_divisor(p.rows * words), fast_divisor(vec16s_in_row),
                is_out_contiguous, Element(words), stored);
}

inline bool is_output_contiguous(transpose_problem const& p, index element_bytes) {
  return p.out_pitch == p.rows * element_bytes;
}

/// For elements of one word.
template <int Threads, class Stored>
void launch_skinny(execution const& where, char const* name, skinny_side side,
                   transpose_problem const& p, bool is_out_contiguous, Stored const& stored) {
  if (side == skinny_side::cols)
    return launch_skinny_cols<Threads, element_words<1>>(where, name, p, 1, stored);
  launch_skinny_rows<Threads, element_words<1>>(where, name, p, 1, is_out_contiguous, stored);
}

template <int W, int N, int Threads>
void run_skinny_cols(execution const& where, transpose_config const& config, bit_copy const& copy) {
  with_element_words<W, N>(copy.words_in_run, [&](auto const& element) {
    using type = std::decay_t<decltype(element)>;
    launch_skinny_cols<Threads, type>(where, config.name, problem_of(copy), copy.words_in_run,
                                      copy_epilogue<W>{});
  });
}

template <int W, int N, int Threads>
void run_skinny_rows(execution const& where, transpose_config const& config, bit_copy const& copy) {
  transpose_problem const p = problem_of(copy);
  bool const is_out_contiguous = is_output_contiguous(p, copy.plan.dimensions[0].extent);
  with_element_words<W, N>(copy.words_in_run, [&](auto const& element) {
    using type = std::decay_t<decltype(element)>;
    launch_skinny_rows<Threads, type>(where, config.name, p, copy.words_in_run, is_out_contiguous,
                                      copy_epilogue<W>{});
  });
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
