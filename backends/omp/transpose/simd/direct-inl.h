// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes straight from the input to the output rows, without the workspace and the fusions of
// tile-inl.h, which cost as much as a few vectors for each cache line: few columns, and rows that
// fill a half or a quarter of a cache line. Compiled once per instruction set. 4-byte elements,
// vectors of 32 bytes (| separates blocks):
//   two quarters of registers-inl.h                          output rows
//   a0 b0 c0 d0|a4 b4 c4 d4   e0 f0 g0 h0|e4 f4 g4 h4   -->  a0 b0 c0 d0 e0 f0 g0 h0
//                                                            a4 b4 c4 d4 e4 f4 g4 h4

#if defined(XPOSE_OMP_DIRECT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_DIRECT_INL
#undef XPOSE_OMP_DIRECT_INL
#else
#define XPOSE_OMP_DIRECT_INL
#endif

#include <xpose/backends/omp/transpose/simd/registers-inl.h>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

/// Whether the functions below take r: they load whole vectors of the input as it is.
template <int Bytes>
bool has_vectors(rectangle const& r) {
  return r.function == nullptr && r.width >= vector_shape<Bytes>::columns;
}
template <int Bytes>
bool fits_parts(rectangle const& r) {
  return has_vectors<Bytes>(r) && r.height >= vector_shape<Bytes>::rows / 4;
}

/// Stores a half of a cache line of each column: block b of both vectors to the 32 bytes at
/// to + b * step.
template <int Bytes, class Vector>
HWY_INLINE void store_pairs(Vector first, Vector second, char* to, index step) {
  using s = vector_shape<Bytes>;
  typename s::tag const d;
  if constexpr (s::blocks == 1) {
    store<Bytes, store_mode::cached>(first, to);
    store<Bytes, store_mode::cached>(second, to + 16);
  } else if constexpr (s::blocks == 2) {
    store<Bytes, store_mode::cached>(hn::ConcatLowerLower(d, second, first), to);
    store<Bytes, store_mode::cached>(hn::ConcatUpperUpper(d, second, first), to + step);
  } else {
    using lane = typename s::lane;
    hn::FixedTag<lane, 32 / sizeof(lane)> const half;
    auto const put = [=](Vector v, index b) HWY_ATTR {
      hn::StoreU(hn::LowerHalf(half, v), half, reinterpret_cast<lane*>(to + b * step));
      hn::StoreU(hn::UpperHalf(half, v), half, reinterpret_cast<lane*>(to + (b + 2) * step));
    };
    put(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(second), first), 0);
    put(hn::OddEvenBlocks(second, hn::SwapAdjacentBlocks(first)), 1);
  }
}

/// us of all that is less than a cache line, before and by parts, the same operands again: 4 bytes
/// 8x8 0.036, 0.017, 13x40 0.149, 0.056, 12x4000 12.6, 6.4; 8 bytes 4x764 0.66, 0.43; 16 bytes
/// 2x382 0.51, 0.20; 2 bytes 31x40 0.21, 0.09; bytes 63x80 0.44, 0.25. Of a remainder, before by a
/// whole cache line: 19x57 of 4 bytes 0.169, 0.136 (Zen 3).
///
/// Rows from j on that fill so many quarters of a cache line, 1 or 2.
template <int Bytes, int Quarters>
void transpose_part_of_line(rectangle const& r, index j) {
  using s = vector_shape<Bytes>;
  // Copies, since a store of a vector may be one to r as far as the compiler knows.
  index const width = r.width;
  index const in_pitch = r.in_pitch;
  index const out_pitch = r.out_pitch;
  char const* const in = r.in + j * in_pitch;
  char* const out = r.out + j * Bytes;
  for (index n = 0; n * s::columns < width; ++n) {
    index const i = step_start<Bytes>(n, width);
    typename s::quarter_lines z[Quarters];
#pragma GCC unroll 2
    for (int q = 0; q < Quarters; ++q)
      load_quarter<Bytes>(in + i * Bytes + q * s::rows_in_block * in_pitch, in_pitch, z[q]);
    char* to = out + i * out_pitch;
    index const step = s::rows_in_block * out_pitch;
#pragma GCC unroll 16
    for (int c = 0; c < s::rows_in_block; ++c, to += out_pitch) {
      if constexpr (Quarters == 1) store_blocks<Bytes>(z[0][c], to, step);
      else store_pairs<Bytes>(z[0][c], z[1][c], to, step);
    }
  }
}

/// The last rows of r, of which so many are left: by a part of a cache line that may begin before
/// them. False: they fill more than a half.
template <int Bytes>
bool transpose_last_part(rectangle const& r, index left) {
  constexpr index half = vector_shape<Bytes>::rows / 2;
  if (left > half) return false;
  if (left > half / 2) transpose_part_of_line<Bytes, 2>(r, r.height - half);
  else transpose_part_of_line<Bytes, 1>(r, r.height - half / 2);
  return true;
}

/// Less than a cache line of rows; fits_parts.
template <int Bytes>
void transpose_parts(rectangle const& r) {
  constexpr index half = vector_shape<Bytes>::rows / 2;
  index const done = r.height < half ? half / 2 : half;
  if (r.height < half) transpose_part_of_line<Bytes, 1>(r, 0);
  else transpose_part_of_line<Bytes, 2>(r, 0);
  if (r.height > done) transpose_last_part<Bytes>(r, r.height - done);
}

/// Steps of a width up to which transpose_few_steps pays. us without and with it, the same operands
/// again: 16 bytes 5572x2 7.6, 4.1, 5572x6 16.0, 13.8, 300x3 0.50, 0.26; 8 bytes 5572x4 6.1, 4.7,
/// 300x4 0.27, 0.12; 4 bytes 5572x8 6.0, 5.4, but 5572x12 9.7, 12.3; 2 bytes alike (Zen 3).
template <int Bytes>
constexpr index few_steps() {
  return Bytes == 16 ? 3 : Bytes >= 4 ? 1 : 0;
}

/// Transposes all full cache lines of the height; returns the input rows that they consist of. For
/// widths of one vector to few_steps of them.
template <int Bytes, int Steps = 1>
index transpose_few_steps(rectangle const& r) {
  using s = vector_shape<Bytes>;
  if constexpr (Steps < few_steps<Bytes>())
    if (r.width > Steps * s::columns) return transpose_few_steps<Bytes, Steps + 1>(r);
  // Copies, since a store of a vector may be one to r as far as the compiler knows.
  index const lines = r.height / s::rows;
  index const last = r.width - s::columns;
  index const in_pitch = r.in_pitch;
  index const out_pitch = r.out_pitch;
  char const* in = r.in;
  char* out = r.out;
  for (index n = 0; n < lines; ++n, in += s::rows * in_pitch, out += cache_line)
#pragma GCC unroll 3
    for (int step = 0; step < Steps; ++step) {
      index const i = step + 1 < Steps ? step * s::columns : last;
      char* const to = out + i * out_pitch;
      typename s::quarter_lines z[4];
#pragma GCC unroll 4
      for (int q = 0; q < 4; ++q)
        load_quarter<Bytes>(in + i * Bytes + q * s::rows_in_block * in_pitch, in_pitch, z[q]);
      assemble_lines<Bytes>([&](int q, int c) HWY_ATTR { return z[q][c]; },
                            [&](int column, typename s::vector const* v) HWY_ATTR {
                              store_line<Bytes, store_mode::cached>(v, to + column * out_pitch);
                            });
    }
  return lines * s::rows;
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
