// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes full cache lines of the output, with vectors of 64 bytes and no scratch: all input
// rows of a line are in registers. Of each row 32 bytes are loaded at a time, into vectors of two
// rows, so that one shuffle of two vectors finishes a cache line. With elements of 8 bytes:
//
//   loaded                 interleave_rows           two_halves
//   a0 a1 a2 a3|e0 ..      a0 b0 a2 b2|e0 f0 ..      a0 b0 c0 d0 e0 f0 g0 h0   output row 0
//   b0 b1 b2 b3|f0 ..  ->  a1 b1 a3 b3|e1 f1 ..  ->  a1 ..                     output row 1
//   c0 ..      |g0 ..      c0 d0 c2 d2|g0 h0 ..      a2 ..
//   d0 ..      |h0 ..      c1 d1 c3 d3|g1 h1 ..      a3 ..
//
// These are two shuffles a cache line (tile-inl.h: three), of 4 bytes three (four). Partial lines
// of 1 and 2 bytes wait in scratch there, and what a step costs besides is more: f64 96x22 in the
// L1 cache takes 1.1 ns a line by tile-inl.h, 0.5 by these loops.

#if defined(XPOSE_OMP_REGISTER_LINES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_REGISTER_LINES_INL
#undef XPOSE_OMP_REGISTER_LINES_INL
#else
#define XPOSE_OMP_REGISTER_LINES_INL
#endif

#include <xpose/backends/omp/transpose/simd/registers-inl.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86

/// Transposes 64 / Bytes rows of 32 bytes. Calls sink(column, vector of its cache line).
template <int Bytes, class Sink>
HWY_INLINE void transpose_half_vectors(char const* in, index in_pitch, Sink const& sink) {
  using s = vector_shape<Bytes>;
  using lane = typename s::lane;
  constexpr int n = s::rows_in_block;
  typename s::tag const d;
  hn::Half<typename s::tag> const half;
  auto const load_half = [=](char const* from) HWY_ATTR {
    return hn::LoadU(half, reinterpret_cast<lane const*>(from));
  };
  typename s::quarter_lines z[2];
#pragma GCC unroll 2
  for (int q = 0; q < 2; ++q) {
#pragma GCC unroll 16
    for (int k = 0; k < n; ++k) {
      char const* const row = in + (q * n + k) * in_pitch;
      z[q][k] = hn::Combine(d, load_half(row + 2 * n * in_pitch), load_half(row));
    }
    interleave_rows<Bytes>(z[q]);
  }
  auto const first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
  auto const second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  auto const two_halves = [](auto numbers, auto a, auto b) HWY_ATTR {
    return decltype(a){_mm512_permutex2var_epi64(a.raw, numbers, b.raw)};
  };
#pragma GCC unroll 16
  for (int c = 0; c < n; ++c) {
    auto const upper = two_halves(first, z[0][c], z[1][c]);
    auto const lower = two_halves(second, z[0][c], z[1][c]);
    sink(c, &upper);
    sink(n + c, &lower);
  }
}

/// The same with 64 bytes of each row, of elements of 4 bytes at least.
template <int Bytes, class Sink>
HWY_INLINE void transpose_full_vectors(char const* in, index in_pitch, Sink const& sink) {
  using s = vector_shape<Bytes>;
  typename s::quarter_lines z[4];
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q)
    load_quarter<Bytes>(in + q * s::rows_in_block * in_pitch, in_pitch, z[q]);
  assemble_lines<Bytes>([&](int q, int c) HWY_ATTR { return z[q][c]; }, sink);
}

/// Cache lines of an output row that are written one after the other (tile-inl.h's line_group),
/// whether the next 64 bytes of each input row are prefetched, and bytes of a row that are loaded
/// at a time. No lines: by tile-inl.h.
struct register_group {
  index lines;
  bool prefetches;
  int load_bytes = 32;
};

/// ns a cache line by tile-inl.h, and so by 1, 4 and 8 lines, and by 4 and 8 with prefetches; the
/// same operands again, then from memory (Zen 5, one thread, 2026-12-01):
///   f64 96x22     1.09  0.61 0.57 0.51  0.71 0.64     6.30  5.69 4.48 4.36  4.51 4.36
///   c128 32x48    1.36  0.67 0.45 0.44  0.64 0.61     5.68  5.92 5.50 4.72  4.54 3.78
///   f32 48x64     0.78  0.65 0.51 0.51  0.93 0.93
///   f32 208x300   1.06  0.97 0.94 0.98  1.11 1.12     4.99  5.02 5.26 5.33  5.09 4.98
///   f32 256x424   1.26  2.25 1.03 1.04  1.17 1.19     4.82  4.49 4.89 4.79  4.69 4.88
///   f32 608x705   1.21  1.12 1.10 1.21  1.35 1.48     4.22  4.73 5.48 4.89  4.82 4.82
///   f64 152x201   1.03  0.96 1.01 0.97  0.96 0.96     4.64  4.90 4.90 4.65  4.17 4.20
///   f64 600x301   1.43  1.32 1.07 1.07  1.10 1.08     4.68  4.92 4.63 4.60  4.18 4.03
///   c128 300x237  1.43  1.18 1.00 1.05  1.07 1.10     4.95  5.45 4.52 4.42  4.22 4.08
///   b2 320x300    1.94  1.32 1.12 1.11  1.24 1.33     7.44  7.55 7.69 6.49  6.02 5.69
///   b2 1600x1500  2.26  1.66 1.54 1.59  2.00 1.65     7.36  5.35 8.10 6.70  5.63 4.99
///   b1 512x400    1.54  1.43 1.26 1.70  2.67 2.35     9.86  9.80 8.00 6.84  7.49 6.93
///   b1 1984x1500  2.28  2.18 1.87 2.14  3.12 2.87     7.31  9.04 8.70 6.78  6.93 6.17
/// f32 whose vectors straddle no cache lines, in the L1 cache, by tile-inl.h and by halves: 64x64
/// 0.141 us, 0.164.
/// Where output rows share sets of a cache, by tile-inl.h and by full vectors, 8 lines, with
/// prefetches: f64 512x512 1.84, 1.54 and 5.40, 4.98; c128 256x1000 1.26, 1.26 and 4.65, 3.77; f32
/// 512x512 1.81, 1.95 and 5.58, 4.83. With streaming stores, where input rows do: bytes 8192x8192
/// 7.7 ms, 5.8; 2 bytes 4096x4096 3.3, 2.6; all else loses: f32 4000x4000 2.8, 3.1, bytes
/// 0.96, 1.18.
template <int Bytes>
register_group register_group_of(rectangle const& r, store_mode mode) {
  constexpr index l1_cache_bytes = index{48} << 10;
  constexpr index few_bytes = index{256} << 10;
  index const moved = 2 * std::max(r.output_bytes, r.width * r.height * Bytes);
  if (mode == store_mode::streamed) return {Bytes <= 2 && r.in_pitch % 4096 == 0 ? 2 : 0, true};
  bool const is_aligned = (line_offset(r.in) | r.in_pitch % cache_line) == 0;
  if (moved <= l1_cache_bytes) return {Bytes == 4 && is_aligned ? 0 : 8, false};
  if (r.by_single_lines) return {0, false};
  if (Bytes >= 4 && r.out_pitch % 512 == 0 && moved > few_bytes) return {8, true, 64};
  return {Bytes == 16 ? 8 : 4, true};
}

/// Transposes all full cache lines of the height in groups; the width is a vector at least. Returns
/// the input rows that they consist of. sink_at: tile-inl.h, transpose_all_lines.
template <int Bytes, int LoadBytes, bool Prefetches, class SinkAt>
index transpose_register_lines(rectangle const& r, index lines_at_once, SinkAt const& sink_at) {
  using s = vector_shape<Bytes>;
  constexpr index columns = LoadBytes / Bytes;
  // Copies, since a store of a vector may be one to r as far as the compiler knows.
  index const lines = r.height / s::rows;
  index const width = r.width;
  index const in_pitch = r.in_pitch;
  char const* const in = r.in;
  for (index begin = 0; begin < lines; begin += lines_at_once) {
    index const end = std::min(lines, begin + lines_at_once);
    for (index n = 0; n * columns < width; ++n) {
      index const i = std::min(n * columns, width - columns);
      char const* from = in + begin * s::rows * in_pitch + i * Bytes;
      for (index line = begin; line < end; ++line, from += s::rows * in_pitch) {
        if (Prefetches && n * LoadBytes % cache_line == 0)
#pragma GCC unroll 64
          for (int k = 0; k < s::rows; ++k)
            __builtin_prefetch(from + k * in_pitch + 2 * cache_line - 1);
        auto const sink = sink_at(line * s::rows)(i, n * columns);
        if constexpr (LoadBytes == cache_line) transpose_full_vectors<Bytes>(from, in_pitch, sink);
        else transpose_half_vectors<Bytes>(from, in_pitch, sink);
      }
    }
  }
  return lines * s::rows;
}

template <int Bytes, class SinkAt>
index transpose_register_lines(rectangle const& r, register_group const& group,
                               SinkAt const& sink_at) {
  if constexpr (Bytes >= 4)
    if (group.load_bytes == cache_line)
      return transpose_register_lines<Bytes, cache_line, true>(r, group.lines, sink_at);
  return group.prefetches ? transpose_register_lines<Bytes, 32, true>(r, group.lines, sink_at)
                          : transpose_register_lines<Bytes, 32, false>(r, group.lines, sink_at);
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
