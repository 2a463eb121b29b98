// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Copy of runs of 16 bytes and more, at any address and in any order, to an output without gaps. A
// thread stores one aligned vec16 of the output, which holds parts of one run or of two:
//
//   in    .. x0 x1 x2 ..      run r, its end                 out  | .. x1 x2 y0 y1 .. |
//         .. y0 y1 y2 ..      run r + 1, its begin                  a vec16
//
// Where the order changes, blocks take the output in segments, first those whose runs are
// neighbours in the input. A plane is what the dimension that is fastest in the input steps over in
// the output:
//
//   in   [t][h][run]     out  [h][t][run]     planes: the t and runs of an h
//
//   out  plane h = 0 | segment 0 | segment 4 | ..     in   t = 0: | h = 0 | h = 1 | h = 2 | h = 3 |
//                  1 | segment 1 | segment 5 | ..          t = 1: | h = 0 | h = 1 | h = 2 | h = 3 |
//                  2 | segment 2 | segment 6 | ..     so that sectors which runs share, and pages
//                  3 | segment 3 | segment 7 | ..     of memory, are read once
//
// Shares of cudaMemcpy in the order of the output, a vec16 a thread, and so: 70000x700 runs of 33
// bytes 0.53, 0.75; 96 aligned bytes 0.93, 0.98; words of 8 bytes, which are loaded one by one, not
// by two vec16s and shifts: runs of 40 bytes 0.74, 0.95, of 344 bytes 0.75, 0.94. Lost: words of 1
// and 2 bytes by aligned words of 4 (runs of 1503 bytes 0.79, by vec16s 0.91), bands of the input
// of 64 KB (f64 runs of 40 bytes 0.89, of 2 KB 0.91) (H200, 2026-11-29). Bound by instructions:
// runs of 71 bytes, at 0.69, had 284 of a warp, 78 % of the issue slots (ncu); they have 0.72
// since. copy_contiguous_runs cuts a vec16 at the ends of each run, and stores such ends word by
// word. Words of 1 and 2 bytes are read with the aligned vec16s around them, never past the end of
// the input.
#pragma once

#include <xpose/backends/cuda/memory/tile_coordinates.cuh>
#include <xpose/backends/cuda/memory/vector_access.cuh>
#include <xpose/backends/cuda/runtime/launch.cuh>
#include <xpose/backends/cuda/transpose/select.hpp>

#include <algorithm>

namespace xpose {
inline namespace v0 {
namespace detail {

inline constexpr int packed_runs_threads_log = 8,
                     packed_runs_threads = 1 << packed_runs_threads_log;

struct packed_runs_problem {
  char const* in;
  char* out;
  index vec16s_end;  // in bytes, of those that are inside the input
  int word_count;
  fast_divisor words_in_run;
  int runs_in_plane;
  int words_in_plane;
  int planes_in_group;         // the extent of the dimension that is fastest in the input
  index plane_stride;          // of that dimension, in the input
  int lanes_log;               // threads for a segment
  fast_divisor steps_in_band;  // a block takes one step: segments of neighbouring planes
  fast_divisor segments_in_plane;
  fast_divisor bands_in_group;
  outer_dimensions runs;  // of a plane
  outer_dimensions groups;

  // In bytes of the input.
  __device__ index group_at(int group) const {
    return groups.offsets(static_cast<unsigned>(group)).in;
  }
  __device__ index run_at(index plane, int run) const {
    return plane + runs.offsets(static_cast<unsigned>(run)).in;
  }
};

/// Of the 16 bytes at any address `from` those in [begin, end), where they lie; the others are
/// unspecified. Reads no aligned vec16 without one of [begin, end).
__device__ inline uint4 load_part(char const* from, int begin, int end) {
  int const past = bytes_past_alignment<vec16_bytes>(from), in_low = vec16_bytes - past;
  uint4 low, high;
  if (begin < in_low) low = load_vec16(from - past);
  if (end > in_low) high = load_vec16(from + in_low);
  return realign(low, high, static_cast<unsigned>(past));
}

/// The first `bytes` (1 to 16) of a, then those of b.
__device__ inline uint4 first_of(uint4 a, uint4 b, int bytes) {
  auto const mixed = [bytes](std::uint32_t x, std::uint32_t y, int word) {
    std::uint32_t const of_y =
        __funnelshift_lc(0, ~0U, static_cast<unsigned>(max(8 * bytes - 32 * word, 0)));
    return (x & ~of_y) | (y & of_y);
  };
  return make_uint4(mixed(a.x, b.x, 0), mixed(a.y, b.y, 1), mixed(a.z, b.z, 2), mixed(a.w, b.w, 3));
}

/// The vec16s of the output that a thread takes: of a plane, the first of them and others a
/// segment's lanes apart. A plane's vec16s are those that begin in it: its last one may end with
/// words of the next plane.
struct packed_vec16s {
  int group;
  int plane;  // of the group; beyond it: none
  int first;  // of the plane
};
template <int L>
__device__ inline packed_vec16s packed_vec16s_of_thread(packed_runs_problem const& p) {
  int const number = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  int const segment_number = p.steps_in_band.quotient(number);
  int const band = p.segments_in_plane.quotient(segment_number);
  int const group = p.bands_in_group.quotient(band);
  int const step = number - p.steps_in_band * (segment_number - band + p.bands_in_group * group);
  int const segment = segment_number - p.segments_in_plane * band;
  int const lane = thread & ((1 << p.lanes_log) - 1);
  return {group, (step << (packed_runs_threads_log - p.lanes_log)) + (thread >> p.lanes_log),
          (segment * L << p.lanes_log) + lane};
}

/// What a vec16 of the output holds: words of one run, and of the next.
struct packed_source {
  int start, end;  // words of the output
  int a_words;     // the others are b's
  index a, b;      // of the input in bytes, where the vec16 would begin
  bool is_in_two;
  bool is_vec16;  // loaded and stored by vec16s
};

template <int W>
__device__ inline packed_source find_source(packed_runs_problem const& p, packed_vec16s const& at,
                                            index plane_in, int plane_begin, int first) {
  constexpr int V = vec16_bytes / W;
  packed_source s;
  s.start = max(first, 0), s.end = min(first + V, p.word_count);
  int const run = p.words_in_run.quotient(s.start - plane_begin);
  int const part = s.start - plane_begin - p.words_in_run * run;
  s.a = p.run_at(plane_in, run) + part * W;
  s.a_words = min(static_cast<int>(p.words_in_run.value) - part, V);
  s.is_in_two = W < vec16_bytes && s.a_words < s.end - s.start;
  s.b = s.a;
  if (s.is_in_two)
    s.b = (run + 1 < p.runs_in_plane          ? p.run_at(plane_in, run + 1)
           : at.plane + 1 < p.planes_in_group ? plane_in + p.plane_stride
                                              : p.group_at(at.group + 1)) -
          s.a_words * W;
  bool const can_load = W >= 4 || (s.a + s.a_words * W <= p.vec16s_end &&
                                   (!s.is_in_two || s.b + vec16_bytes <= p.vec16s_end));
  s.is_vec16 = s.end - s.start == V && can_load;
  return s;
}

template <int W>
__device__ inline uint4 load_source(char const* in, packed_source const& s) {
  using word = typename word_of<W>::type;
  if constexpr (W >= 4) {
    vec16_words<W> v;
#pragma unroll
    for (int k = 0; k < vec16_bytes / W; ++k)
      v.words[k] = reinterpret_cast<word const*>(in + (k < s.a_words ? s.a : s.b))[k];
    return v.vec16;
  }
  int const a_bytes = s.a_words * W;
  uint4 const v = load_part(in + s.a, 0, a_bytes);
  return s.is_in_two ? first_of(v, load_part(in + s.b, a_bytes, vec16_bytes), a_bytes) : v;
}

/// Two vec16s a thread lose where words have less than 4 bytes: loads then wait for branches.
template <int W>
constexpr int packed_vec16s_per_thread = W < 4 ? 1 : 2;

template <int W>
__global__ void __launch_bounds__(packed_runs_threads)
    copy_packed_runs(packed_runs_problem const __grid_constant__ p) {
  using word = typename word_of<W>::type;
  constexpr int V = vec16_bytes / W, L = packed_vec16s_per_thread<W>;
  packed_vec16s const at = packed_vec16s_of_thread<L>(p);
  if (at.plane >= p.planes_in_group) return;
  int const plane = at.group * p.planes_in_group + at.plane;
  int const plane_begin = plane * p.words_in_plane, plane_end = plane_begin + p.words_in_plane;
  int const past = bytes_past_alignment<vec16_bytes>(p.out) / W;
  int const plane_vec16 = plane == 0 ? 0 : (plane_begin + past + V - 1) / V;
  int const first = (plane_vec16 + at.first) * V - past;
  if (first >= plane_end) return;
  index const plane_in = p.group_at(at.group) + at.plane * p.plane_stride;
  packed_source sources[L];
  uint4 v[L];
#pragma unroll
  for (int l = 0; l < L; ++l) {
    int const first_of_l = first + (l * V << p.lanes_log);
    sources[l] = find_source<W>(p, at, plane_in, plane_begin, first_of_l);
    if (first_of_l >= plane_end) sources[l].end = sources[l].start;
  }
#pragma unroll
  for (int l = 0; l < L; ++l)
    if (sources[l].is_vec16 && sources[l].start < sources[l].end)
      v[l] = load_source<W>(p.in, sources[l]);
#pragma unroll
  for (int l = 0; l < L; ++l) {
    packed_source const& s = sources[l];
    word* const to = reinterpret_cast<word*>(p.out) + s.start;
    if (s.is_vec16 && s.start < s.end) store_vec16(reinterpret_cast<char*>(to), v[l]);
    else
#pragma unroll 1
      for (int w = 0; w < s.end - s.start; ++w)
        to[w] = reinterpret_cast<word const*>(p.in + (w < s.a_words ? s.a : s.b))[w];
  }
}

/// 32 to 256 lanes of a segment, so that it has several runs, and what it cuts of runs is little.
template <int W>
int packed_lanes_log(index run_bytes, index plane_bytes) {
  constexpr int least = 5, vec16s = packed_vec16s_per_thread<W>;
  constexpr index least_runs = 10 / vec16s;
  auto const segment_bytes = [](int log) { return index{vec16_bytes * vec16s} << log; };
  int log = least;
  while (log < packed_runs_threads_log && segment_bytes(log) < least_runs * run_bytes &&
         segment_bytes(log + 1) <= plane_bytes)
    ++log;
  return log;
}

template <int W>
void run_packed_runs(execution const& where, transpose_config const& config, bit_copy const& copy) {
  constexpr index band_bytes = 4096;  // of the input: neighbouring runs that are read together
  constexpr int V = vec16_bytes / W;
  copy_plan const& plan = copy.plan;
  int const fastest = has_packed_planes(copy) ? plan.in_fastest : plan.count;
  packed_runs_problem p{};
  p.in = copy.in;
  p.out = copy.out;
  p.vec16s_end = copy.readable_end - copy.in - bytes_past_alignment<vec16_bytes>(copy.readable_end);
  p.word_count = static_cast<int>(copy.word_count);
  p.words_in_run = fast_divisor(copy.words_in_run);
  index runs = 1;
  for (int d = 1; d < plan.count; ++d) {
    if (d < fastest) runs *= plan.dimensions[d].extent;
    if (d != fastest) (d < fastest ? p.runs : p.groups).add(plan.dimensions[d]);
  }
  index const words_in_plane = runs * copy.words_in_run;
  bool const has_planes = fastest < plan.count;
  index const planes = has_planes ? plan.dimensions[fastest].extent : 1;
  p.plane_stride = has_planes ? plan.dimensions[fastest].in_stride : 0;
  p.runs_in_plane = static_cast<int>(runs);
  p.words_in_plane = static_cast<int>(words_in_plane);
  p.planes_in_group = static_cast<int>(planes);
  p.lanes_log = has_planes ? packed_lanes_log<W>(copy.element_bytes(), words_in_plane * W)
                           : packed_runs_threads_log;
  index const planes_in_step = packed_runs_threads >> p.lanes_log;
  index const steps = ceil_div(planes, planes_in_step);
  index const bands =
      ceil_div(steps, std::max<index>(1, band_bytes / (copy.element_bytes() * planes_in_step)));
  index const steps_in_band = ceil_div(steps, bands);
  // The first vec16 may be a part of one, and the last one.
  index const segments =
      ceil_div(ceil_div(words_in_plane, V) + 1, index{packed_vec16s_per_thread<W>} << p.lanes_log);
  p.steps_in_band = fast_divisor(steps_in_band);
  p.segments_in_plane = fast_divisor(segments);
  p.bands_in_group = fast_divisor(bands);
  index const groups = copy.word_count / (words_in_plane * planes);
  launch_blocks(where, groups * bands * segments * steps_in_band, packed_runs_threads, 0,
                config.name, copy_packed_runs<W>, p);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
