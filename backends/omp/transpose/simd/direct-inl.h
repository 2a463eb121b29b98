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
namespace xpose::detail::HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

/// Stores the lower and the upper half of v.
template <class D, class Vector>
HWY_INLINE void store_halves(D, Vector v, char* lower, char* upper) {
  hn::Half<D> const half;
  hn::StoreU(hn::LowerHalf(half, v), half, reinterpret_cast<hn::TFromD<D>*>(lower));
  hn::StoreU(hn::UpperHalf(half, v), half, reinterpret_cast<hn::TFromD<D>*>(upper));
}

/// Stores a quarter: 16 bytes of each column. at(b) is where column b blocks from the first goes.
template <int Bytes, class Vector, class At>
HWY_INLINE void store_part(Vector const (&v)[1], At const& at) {
  using s = vector_shape<Bytes>;
  typename s::tag const d;
  if constexpr (s::blocks == 1) {
    store<Bytes, store_mode::cached>(v[0], at(0));
  } else if constexpr (s::blocks == 2) {
    store_halves(d, v[0], at(0), at(1));
  } else {
    hn::Half<typename s::tag> const half;
    store_halves(half, hn::LowerHalf(half, v[0]), at(0), at(1));
    store_halves(half, hn::UpperHalf(half, v[0]), at(2), at(3));
  }
}
/// Two of them: 32 bytes.
template <int Bytes, class Vector, class At>
HWY_INLINE void store_part(Vector const (&v)[2], At const& at) {
  using s = vector_shape<Bytes>;
  typename s::tag const d;
  if constexpr (s::blocks == 1) {
    store<Bytes, store_mode::cached>(v[0], at(0));
    store<Bytes, store_mode::cached>(v[1], at(0) + 16);
  } else if constexpr (s::blocks == 2) {
    store<Bytes, store_mode::cached>(hn::ConcatLowerLower(d, v[1], v[0]), at(0));
    store<Bytes, store_mode::cached>(hn::ConcatUpperUpper(d, v[1], v[0]), at(1));
  } else {
    store_halves(d, hn::OddEvenBlocks(hn::SwapAdjacentBlocks(v[1]), v[0]), at(0), at(2));
    store_halves(d, hn::OddEvenBlocks(v[1], hn::SwapAdjacentBlocks(v[0])), at(1), at(3));
  }
}

/// us of all that is less than a cache line, before and by parts, the same operands again: 4 bytes
/// 8x8 0.036, 0.017, 13x40 0.149, 0.056, 12x4000 12.6, 6.4; 8 bytes 4x764 0.66, 0.43; 16 bytes
/// 2x382 0.51, 0.20; 2 bytes 31x40 0.21, 0.09; bytes 63x80 0.44, 0.25. Of a remainder, before by a
/// whole cache line: 19x57 of 4 bytes 0.169, 0.136 (Zen 3).
///
/// Rows from j on that fill so many quarters of a cache line, 1 or 2. For widths of one vector at
/// least, and without an element function.
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
#pragma GCC unroll 16
    for (int c = 0; c < s::rows_in_block; ++c, to += out_pitch) {
      typename s::vector v[Quarters];
#pragma GCC unroll 2
      for (int q = 0; q < Quarters; ++q) v[q] = z[q][c];
      store_part<Bytes>(
          v, [&](index block) HWY_ATTR { return to + block * s::rows_in_block * out_pitch; });
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

/// Less than a cache line of rows, but a quarter at least.
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
/// widths of one vector to few_steps.
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
}  // namespace xpose::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
