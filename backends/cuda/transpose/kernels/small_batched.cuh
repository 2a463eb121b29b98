// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Batches of small matrices without gaps on either side: a block loads some matrices as one
// contiguous range and stores their transposes as one. Elements of any number of words.
//   in: a0 b0 c0 d0 a1 b1 c1 d1  ->  shared memory, same order  ->  out: a0 c0 b0 d0 a1 c1 b1 d1
// transpose_small_batched_bytes: 1-byte words, extents that are multiples of 4, addresses of 16;
// 4x4 blocks transposed in registers give 1.0 of a copy, byte by byte would give 0.8.
// transpose_small_batched_quads: the same of any extents from 4 on, at any addresses.
#pragma once

#include <xpose/backends/cuda/memory/contiguous_range.cuh>
#include <xpose/backends/cuda/transpose/launch_tiles.cuh>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Walks the elements in the order of the output, and tells the byte at which each lies in the
/// input. Matrices follow each other without gaps on both sides.
struct transposed_elements {
  int rows, cols, row_bytes, to_next_column, to_next_matrix;
  int i, j, at;  // row, column and byte of the element in the input

  __device__ transposed_elements(transpose_problem const& p, int bytes_of_element, int element,
                                 fast_divisor const& area, fast_divisor const& in_column)
      : rows(p.rows), cols(p.cols), row_bytes(p.cols * bytes_of_element) {
    int const matrix_bytes = p.rows * row_bytes;
    int const m = area.quotient(element), inside = element - area * m;
    j = in_column.quotient(inside);
    i = inside - in_column * j;
    at = m * matrix_bytes + i * row_bytes + j * bytes_of_element;
    to_next_column = bytes_of_element - matrix_bytes;  // from the row after a column's last
    to_next_matrix = matrix_bytes - row_bytes;
  }
  // By selections instead: 17x17 bytes 0.71 of a copy, not 0.85; 8x8 triples 0.97, not 0.99 (H100,
  // 2026-11-21).
  __device__ void go_to_next() {
    at += row_bytes;
    if (++i < rows) return;
    i = 0;
    at += to_next_column;
    if (++j < cols) return;
    j = 0;
    at += to_next_matrix;
  }
  /// The byte of the element `count` further on. Requires columns of at least `count` elements.
  __device__ int after(int count) const {
    int const past_column = to_next_column + (j + 1 < cols ? 0 : to_next_matrix);
    return at + count * row_bytes + (count < rows - i ? 0 : past_column);
  }
};

/// The vec16 at word `first` of the `words` that a block stores.
template <int W, class Layout, class Element>
__device__ inline uint4 gather_small_batched(char const* smem, int misalignment,
                                             transpose_problem const& p, int first, int words,
                                             fast_divisor const& area,
                                             fast_divisor const& in_column,
                                             Element const& element) {
  using word = typename word_of<W>::type;
  constexpr int V = vec16_bytes / W;
  int const element_bytes = element.count() * W;
  if constexpr (are_triples<Element, W>) {
    int const before = (first + vec16_bytes * element_bytes) / element_bytes - vec16_bytes;
    int const elements = words / element_bytes;
    transposed_elements from(p, element_bytes, max(before, 0), area, in_column);
    six_triples triples{};
#pragma unroll
    for (int k = 0; k < six_triples::count; ++k) {
      if (before + k < 0 || before + k >= elements) continue;
      static_assert(std::is_same_v<Layout, padded_layout>);
      triples.words[k] = padded_triple_at(smem, misalignment + from.at);
      from.go_to_next();
    }
    return triples.vec16(first - before * element_bytes);
  } else {
    int const start = max(first, 0), number = element.quotient(start);
    transposed_elements from(p, element_bytes, number, area, in_column);
    int part = start - number * element.count();
    vec16_words<W> v{};
    auto const take = [&](int k) {
      int const at = Layout::smem_offset(misalignment + from.at + part * W);
      v.words[k] = *reinterpret_cast<word const*>(smem + at);
      if (++part < element.count()) return;
      part = 0;
      from.go_to_next();
    };
    bool const is_full = first >= 0 && first + V <= words;
    if (std::is_same_v<Element, element_words<1>> && is_full && p.rows >= V) {
#pragma unroll
      for (int k = 0; k < V; ++k)
        v.words[k] = *reinterpret_cast<word const*>(
            smem + Layout::smem_offset(misalignment + from.after(k)));
    } else if (is_full) {
#pragma unroll
      for (int k = 0; k < V; ++k) take(k);
    } else {
#pragma unroll
      for (int k = 0; k < V; ++k)
        if (first + k >= 0 && first + k < words) take(k);
    }
    return v.vec16;
  }
}

/// Resident blocks of 1024 threads: one loads while another stores, unless shared memory holds one.
/// Unbound (0), they had 53 to 60 registers, which is one a multiprocessor, or 32 and 300 bytes of
/// stack; smaller blocks have 32 and less. Words of 16 bytes do not fit into 32.
template <int W, int T, int L>
inline constexpr int blocks_of_small_batched = T < 1024 ? 0 : (L > 4 || W == 16 ? 1 : 2);

template <int W, class Element, class Layout, int T, int L>
__global__ void __launch_bounds__(T, blocks_of_small_batched<W, T, L>)
    transpose_small_batched(transpose_problem const __grid_constant__ p, int matrices,
                            fast_divisor const area, fast_divisor const in_column,
                            Element const element) {
  constexpr int V = vec16_bytes / W;
  extern __shared__ uint4 smem_vec16s[];
  char* const smem = reinterpret_cast<char*>(smem_vec16s);
  int const words_in_matrix = area * element.count();
  index const first = index{blockIdx.x} * matrices;
  int const words = static_cast<int>(min(index{matrices}, p.batch_count - first)) * words_in_matrix;
  char const* const begin = p.in + first * words_in_matrix * W;
  load_contiguous_range<W, T, L, Layout>(smem, align_down_16(begin), begin, begin + words * W,
                                         p.in + p.batch_count * words_in_matrix * W);
  __syncthreads();

  char* const out = p.out + first * words_in_matrix * W;
  for (int e = threadIdx.x * V - bytes_past_alignment<16>(out) / W; e < words; e += T * V)
    store_in_row<W>(out, e, words,
                    gather_small_batched<W, Layout>(smem, bytes_past_alignment<16>(begin), p, e,
                                                    words, area, in_column, element));
}

/// A block's blocks of 4x4 go through registers, so that their transposes take the same memory.
template <int T, int L>
__global__ void __launch_bounds__(T, blocks_of_small_batched<1, T, L>)
    transpose_small_batched_bytes(transpose_problem const __grid_constant__ p, int matrices,
                                  fast_divisor const blocks_in_matrix,
                                  fast_divisor const blocks_down) {
  extern __shared__ uint4 smem_vec16s[];
  char* const smem = reinterpret_cast<char*>(smem_vec16s);
  int const area = p.rows * p.cols;
  index const first = index{blockIdx.x} * matrices;
  int const bytes = static_cast<int>(min(index{matrices}, p.batch_count - first)) * area;
  char const* const begin = p.in + first * area;
  load_contiguous_range<1, T, L>(smem, begin, begin, begin + bytes, begin + bytes);
  __syncthreads();

  std::uint32_t transposed[L][4];
  int to[L];
#pragma unroll
  for (int l = 0; l < L; ++l) {
    int const e = threadIdx.x + l * T;
    int const m = blocks_in_matrix.quotient(e);
    int const inside = e - blocks_in_matrix * m;
    int const j = blocks_down.quotient(inside), i = inside - blocks_down * j;
    int const from = m * area + i * 4 * p.cols + j * 4;
    to[l] = e < bytes / 16 ? m * area + j * 4 * p.rows + i * 4 : -1;
    if (to[l] < 0) continue;
    std::uint32_t r[4];
#pragma unroll
    for (int k = 0; k < 4; ++k)
      r[k] = *reinterpret_cast<std::uint32_t const*>(smem + padded(from + k * p.cols));
    transpose_bytes_4x4(r[0], r[1], r[2], r[3], transposed[l]);
  }
  __syncthreads();
#pragma unroll
  for (int l = 0; l < L; ++l)
    if (to[l] >= 0)
#pragma unroll
      for (int k = 0; k < 4; ++k)
        *reinterpret_cast<std::uint32_t*>(smem + padded(to[l] + k * p.rows)) = transposed[l][k];
  __syncthreads();

  for (int e = threadIdx.x * 16; e < bytes; e += T * 16)
    store_vec16(p.out + first * area + e, *reinterpret_cast<uint4 const*>(smem + padded(e)));
}

/// The 4 bytes at any byte of the range.
template <class Layout>
__device__ inline std::uint32_t four_bytes_at(char const* smem, int at, bool is_aligned) {
  int const word = at & ~3;
  auto const word_at = [&](int byte) {
    return *reinterpret_cast<std::uint32_t const*>(smem + Layout::smem_offset(byte));
  };
  std::uint32_t const low = word_at(word);
  return is_aligned ? low : __funnelshift_r(low, word_at(word + 4), static_cast<unsigned>(at) * 8);
}

/// Blocks of 4x4 bytes, the last of a side over the one before: so all are whole. Transposes go to
/// shared memory of their own, from `transposed_byte` on, byte by byte where columns are not whole
/// words.
template <class Layout, int T, int L>
__global__ void __launch_bounds__(T, blocks_of_small_batched<1, T, L>)
    transpose_small_batched_quads(transpose_problem const __grid_constant__ p, int matrices,
                                  fast_divisor const quads_in_matrix, fast_divisor const quads_down,
                                  int const transposed_byte, char const* const readable_end) {
  extern __shared__ uint4 smem_vec16s[];
  char* const smem = reinterpret_cast<char*>(smem_vec16s);
  int const rows = p.rows, cols = p.cols, area = rows * cols;
  index const first = index{blockIdx.x} * matrices;
  int const count = static_cast<int>(min(index{matrices}, p.batch_count - first));
  int const bytes = count * area;
  char const* const begin = p.in + first * area;
  char* const out = p.out + first * area;
  load_contiguous_range<1, T, L, Layout>(smem, align_down_16(begin), begin, begin + bytes,
                                         readable_end);
  int const in_byte = bytes_past_alignment<16>(begin), out_byte = bytes_past_alignment<16>(out);
  bool const has_words_in = (in_byte | cols) % 4 == 0, has_words_out = (out_byte | rows) % 4 == 0;
  char* const transposed = smem + transposed_byte;
  __syncthreads();

  for (int e = threadIdx.x; e < quads_in_matrix * count; e += T) {
    int const m = quads_in_matrix.quotient(e), inside = e - quads_in_matrix * m;
    int const across = quads_down.quotient(inside), down = inside - quads_down * across;
    int const i = min(down * 4, rows - 4), j = min(across * 4, cols - 4);
    int const from = in_byte + m * area + i * cols + j;
    char* const to = transposed + out_byte + m * area + j * rows + i;
    std::uint32_t r[4], t[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) r[k] = four_bytes_at<Layout>(smem, from + k * cols, has_words_in);
    transpose_bytes_4x4(r[0], r[1], r[2], r[3], t);
    if (has_words_out) {
#pragma unroll
      for (int k = 0; k < 4; ++k) *reinterpret_cast<std::uint32_t*>(to + k * rows) = t[k];
      continue;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k)
#pragma unroll
      for (int b = 0; b < 4; ++b) to[k * rows + b] = static_cast<char>(t[k] >> 8 * b);
  }
  __syncthreads();
  for (int e = static_cast<int>(threadIdx.x) * 16 - out_byte; e < bytes; e += T * 16)
    store_in_row<1>(out, e, bytes, *reinterpret_cast<uint4 const*>(transposed + out_byte + e));
}

/// Share of a copy with padding and swizzled, bytes: 3x3 0.97, 0.90; 5x7 0.95, 0.87; 16x15 1.00,
/// 1.00; 17x17 0.85, 0.98; 33x31 0.96, 0.94; 63x65 0.81, 0.75; with more shared memory 101x99 0.97,
/// 0.98; 201x199 0.45, 0.69. Words of 2 bytes and more reach 1.00 with padding (H100, 2026-11-21).
template <int SmemBytes>
bool suits_swizzle(int rows) {
  constexpr int min_rows = vec16_bytes, max_rows = 2 * vec16_bytes - 1;
  return SmemBytes > small_batched_smem_bytes || (rows >= min_rows && rows <= max_rows);
}

/// As many matrices as shared memory holds, whole sectors of them if possible.
inline index matrices_in_block(index matrix_bytes, index smem_bytes) {
  index const fitting = (smem_bytes - vec16_bytes) / matrix_bytes;
  index whole_sectors = 1;
  while (whole_sectors * matrix_bytes % sector_bytes != 0) whole_sectors *= 2;
  return fitting >= whole_sectors ? fitting / whole_sectors * whole_sectors : fitting;
}

template <int W, int N, int Threads, int SmemBytes>
void run_small_batched(execution const& where, transpose_config const& config,
                       bit_copy const& copy) {
  transpose_problem const p = problem_of(copy);
  index const area = copy.rows * copy.cols, matrix_bytes = area * copy.plan.dimensions[0].extent;
  index const matrices = matrices_in_block(matrix_bytes, SmemBytes);
  with_element_words<W, N>(copy.words_in_run, [&](auto const& element) {
    using type = std::decay_t<decltype(element)>;
    constexpr int loads = SmemBytes / (Threads * vec16_bytes);
    auto* kernel = transpose_small_batched<W, type, padded_layout, Threads, loads>;
    if constexpr (N == 1) {
      int const row_bytes = p.cols * W, bytes = static_cast<int>(matrix_bytes);
      bool is_hashed = suits_hash<padded_layout, W>(p.rows, row_bytes, bytes);
      if constexpr (W == 1)
        if (suits_swizzle<SmemBytes>(p.rows)) {
          kernel = transpose_small_batched<W, type, swizzled_layout, Threads, loads>;
          is_hashed = suits_hash<swizzled_layout, W>(p.rows, row_bytes, bytes);
        }
      if (is_hashed) kernel = transpose_small_batched<W, type, hashed_layout<W>, Threads, loads>;
    }
    launch_blocks(where, ceil_div(p.batch_count, matrices), Threads,
                  padded_size(static_cast<int>(matrices * matrix_bytes) + 16), config.name, kernel,
                  p, static_cast<int>(matrices), fast_divisor(area), fast_divisor(p.rows), element);
  });
}

template <int Threads, int SmemBytes>
void run_small_batched_quads(execution const& where, transpose_config const& config,
                             bit_copy const& copy) {
  transpose_problem const p = problem_of(copy);
  index const area = copy.rows * copy.cols, matrices = matrices_in_block(area, SmemBytes);
  int const bytes = static_cast<int>(matrices * area) + vec16_bytes;
  int const transposed_byte = padded_size(bytes) / vec16_bytes * vec16_bytes;
  index const down = ceil_div(copy.rows, index{4}), across = ceil_div(copy.cols, index{4});
  // Padded, rows of 64 and of 128 bytes meet few banks: 6 to 16 rounds (counted) become 1 to 3. A
  // lane that begins another column takes the next one here, the fourth in the kernel: of 7793
  // shapes one in ten is decided otherwise, by at most 2 rounds.
  bool const is_hashed = suits_hash<padded_layout, 1, 4>(p.rows, p.cols, static_cast<int>(area));
  constexpr int loads = SmemBytes / (Threads * vec16_bytes);
  auto* const kernel = is_hashed ? transpose_small_batched_quads<hashed_layout<1>, Threads, loads>
                                 : transpose_small_batched_quads<padded_layout, Threads, loads>;
  launch_blocks(where, ceil_div(p.batch_count, matrices), Threads,
                transposed_byte + (bytes + vec16_bytes - 1) / vec16_bytes * vec16_bytes,
                config.name, kernel, p, static_cast<int>(matrices), fast_divisor(down * across),
                fast_divisor(down), transposed_byte, copy.readable_end);
}

template <int Threads, int SmemBytes>
void run_small_batched_bytes(execution const& where, transpose_config const& config,
                             bit_copy const& copy) {
  transpose_problem const p = problem_of(copy);
  index const area = copy.rows * copy.cols;
  index const matrices = SmemBytes / area;
  launch_blocks(where, ceil_div(p.batch_count, matrices), Threads,
                padded_size(static_cast<int>(matrices * area)), config.name,
                transpose_small_batched_bytes<Threads, SmemBytes / (Threads * vec16_bytes)>, p,
                static_cast<int>(matrices), fast_divisor(area / 16), fast_divisor(p.rows / 4));
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
