// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Copy of runs of 16 bytes and more, at any address and in any order, to an output without gaps. A
// thread stores one aligned vec16 of the output, which holds parts of one run or of two:
//
//   in    .. x0 x1 x2 ..      run r, its end                 out  | .. x1 x2 y0 y1 .. |
//         .. y0 y1 y2 ..      run r + 1, its begin                  a vec16
//
// copy_contiguous_runs cuts a vec16 at the ends of each run, and stores such ends word by word.
// Reads the aligned vec16s around what it needs, never past the end of the input.
#pragma once

#include <xpose/backends/cuda/memory/tile_coordinates.cuh>
#include <xpose/backends/cuda/memory/vector_access.cuh>
#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/backends/cuda/transpose/select.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

inline constexpr int packed_runs_threads = 256;

struct packed_runs_problem {
  char const* in;
  char* out;
  char const* readable_end;
  unsigned word_count;
  fast_divisor words_in_run;
  outer_dimensions runs;

  __device__ char const* run_at(unsigned run) const {
    char const* from = in;
    char* to = out;
    runs.advance_to(run, from, to);
    return from;
  }
};

/// Of the 16 bytes at any address `from` those in [begin, end), where they lie; the others are
/// unspecified. Reads no aligned vec16 without one of [begin, end).
__device__ inline uint4 load_part(char const* from, char const* begin, char const* end) {
  char const* const low = align_down_16(from);
  char const* const high = low + vec16_bytes;
  uint4 const a = high > begin ? load_vec16(low) : uint4{};
  uint4 const b = high < end ? load_vec16(high) : uint4{};
  return realign(a, b, static_cast<unsigned>(bytes_past_alignment<vec16_bytes>(from)));
}

/// The first `bytes` (1 to 16) of a, then those of b.
__device__ inline uint4 first_of(uint4 a, uint4 b, int bytes) {
  auto const mixed = [bytes](std::uint32_t x, std::uint32_t y, int word) {
    int const of_x = bytes - 4 * word;
    if (of_x >= 4) return x;
    std::uint32_t const mask = of_x <= 0 ? 0 : (1U << 8 * of_x) - 1;
    return (x & mask) | (y & ~mask);
  };
  return make_uint4(mixed(a.x, b.x, 0), mixed(a.y, b.y, 1), mixed(a.z, b.z, 2), mixed(a.w, b.w, 3));
}

template <int W>
__global__ void __launch_bounds__(packed_runs_threads)
    copy_packed_runs(packed_runs_problem const __grid_constant__ p) {
  constexpr int V = vec16_bytes / W;
  int const vec16 = static_cast<int>(blockIdx.x * packed_runs_threads + threadIdx.x);
  int const words = static_cast<int>(p.word_count);
  int const first = vec16 * V - bytes_past_alignment<vec16_bytes>(p.out) / W;
  if (first >= words) return;
  int const start = max(first, 0), end = min(first + V, words);
  int const run = p.words_in_run.quotient(start);
  int const part = start - p.words_in_run * run;
  char const* const a = p.run_at(static_cast<unsigned>(run)) + part * W;
  int const a_bytes = min((static_cast<int>(p.words_in_run.value) - part) * W, vec16_bytes);
  bool const is_in_two = a_bytes < (end - start) * W;
  char const* const b = is_in_two ? p.run_at(static_cast<unsigned>(run) + 1) : a;
  char const* const a_end = a + a_bytes;
  char const* const b_end = b + (vec16_bytes - a_bytes);
  auto const can_read = [&](char const* last) {
    return align_down_16(last) + vec16_bytes <= p.readable_end;
  };
  if (end - start < V || !can_read(a_end - 1) || (is_in_two && !can_read(b_end - 1))) {
#pragma unroll 1
    for (int w = start; w < end; ++w) {
      bool const is_of_a = (w - start) * W < a_bytes;
      char const* const from = is_of_a ? a + (w - start) * W : b + (w - start) * W - a_bytes;
      copy_words<W>(p.out + index{w} * W, from, 1);
    }
    return;
  }
  uint4 v = load_part(a, a, a_end);
  if (is_in_two) v = first_of(v, load_part(b - a_bytes, b, b_end), a_bytes);
  store_vec16(p.out + index{first} * W, v);
}

template <int W>
void run_packed_runs(execution const& where, transpose_config const& config, bit_copy const& copy) {
  packed_runs_problem p{copy.in,
                        copy.out,
                        copy.readable_end,
                        static_cast<unsigned>(copy.word_count),
                        fast_divisor(copy.words_in_run),
                        {}};
  for (int d = 1; d < copy.plan.count; ++d) p.runs.add(copy.plan.dimensions[d]);
  index const vec16s = copy.word_count / (vec16_bytes / W) + 2;  // the first may be a part of one
  launch_blocks(where, ceil_div(vec16s, packed_runs_threads), packed_runs_threads, 0, config.name,
                copy_packed_runs<W>, p);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
