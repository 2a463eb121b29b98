// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Transposes of operands and tiles of small products, in registers: with vectors of 64 bytes a
// vector is a cache line, and masks read and write nothing beyond the operands.

#if defined(XPOSE_OMP_GEMM_SMALL_TRANSPOSES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_SMALL_TRANSPOSES_INL
#undef XPOSE_OMP_GEMM_SMALL_TRANSPOSES_INL
#else
#define XPOSE_OMP_GEMM_SMALL_TRANSPOSES_INL
#endif

#include <xpose/backends/omp/gemm/kernel/arithmetic-inl.h>
#include <xpose/config.hpp>

#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET <= HWY_AVX3

/// `rows` rows of `cols` elements, of which a column fills a vector at most.
struct small_transpose {
  char const* in;
  index in_pitch;
  char* out;
  index out_pitch;
  index rows;
  index cols;
};

/// One gather a column, of fewer columns than 16 bytes hold. Taken up to four columns, 41x41x2 TT
/// of f64 took 364 ns, not 276 (Emerald Rapids, 2026-11-29). Assumes pitches of 64 MB at most, so
/// that offsets have 32 bits.
template <class T, bool Pads>
HWY_INLINE void gather_columns(small_transpose const& r) {
  hn::ScalableTag<T> const d;
  hn::RebindToSigned<decltype(d)> const of_offset;
  using offset = hn::TFromD<decltype(of_offset)>;
  constexpr index lanes = hn::MaxLanes(d);
  auto const last = hn::Set(of_offset, static_cast<offset>(r.rows - 1));
  auto const from = hn::Mul(hn::Min(hn::Iota(of_offset, 0), last),
                            hn::Set(of_offset, static_cast<offset>(r.in_pitch)));
  masked_edge<decltype(d)> const edge(Pads ? lanes : r.rows);
  for (index j = 0; j < r.cols; ++j)
    edge.store(hn::GatherOffset(d, reinterpret_cast<T const*>(r.in) + j, from),
               reinterpret_cast<T*>(r.out + j * r.out_pitch));
}

/// Rows of so many quarters of a cache line, the last one perhaps partial. Where 16 bytes are four
/// columns of a row, block q of v[j] is those of row 4 q + j; interleaved, of v[c] column c of rows
/// 4 q .. 4 q + 3:
///
///     v[j]  | row j | row 4 + j | row 8 + j | row 12 + j |  ->  v[c]  column c of rows 0 .. 15
///
/// The last columns are those of the last 16 bytes of a row, and some are transposed twice. Blocks
/// that loads and masks merge take no shuffle: by shuffles of blocks of whole rows, 50x9x35 NT of
/// f32 took 528 ns, not 481, and 32x32x32 TT 542, not 524 (Emerald Rapids, 2026-11-29).
template <class T, int Quarters, bool Pads>
HWY_INLINE void transpose_quarters(small_transpose const& r) {
  using lane = hwy::UnsignedFromSize<sizeof(T)>;
  constexpr int in_block = 16 / sizeof(T);
  constexpr int blocks = Pads || Quarters == 3 ? 4 : Quarters;
  hn::FixedTag<lane, blocks * in_block> const d;
  using V = hn::Vec<decltype(d)>;
  auto const first_blocks = [=](int count) HWY_ATTR {
    return hn::FirstN(d, static_cast<std::size_t>(count * in_block));
  };
  masked_edge<decltype(d)> const edge(r.rows);
  // Copies, since a store may be one to r as far as the compiler knows.
  index const pitch = r.in_pitch;
  index const out_pitch = r.out_pitch;
  index const cols = r.cols;
  char const* const in = r.in;
  char* const out = r.out;
  char const* const last_quarter = in + (Quarters - 1) * in_block * pitch;
  index last_rows[in_block];  // the last row stands in for those behind it
#pragma GCC unroll 4
  for (int j = 0; j < in_block; ++j)
    last_rows[j] = std::min<index>(j, r.rows - (Quarters - 1) * in_block - 1) * pitch;
  for (index c = 0; c < cols; c += in_block) {
    index const first = std::min(c, cols - in_block);
    index const at = first * index{sizeof(T)};
    auto const block_of = [&](int q, int j) HWY_ATTR __attribute__((always_inline)) {
      char const* const row =
          q == Quarters - 1 ? last_quarter + last_rows[j] : in + (q * in_block + j) * pitch;
      return hn::LoadDup128(d, reinterpret_cast<lane const*>(row + at));
    };
    V v[in_block];
#pragma GCC unroll 4
    for (int j = 0; j < in_block; ++j) {
      v[j] = block_of(Quarters - 1, j);
#pragma GCC unroll 4
      for (int q = Quarters - 2; q >= 0; --q)
        v[j] = hn::IfThenElse(first_blocks(q + 1), block_of(q, j), v[j]);
    }
#pragma GCC unroll 4
    for (int step = 1; step < in_block; step *= 2) {
      V w[in_block];
#pragma GCC unroll 4
      for (int j = 0; j < in_block / 2; ++j) {
        w[2 * j] = hn::InterleaveLower(d, v[j], v[j + in_block / 2]);
        w[2 * j + 1] = hn::InterleaveUpper(d, v[j], v[j + in_block / 2]);
      }
#pragma GCC unroll 4
      for (int j = 0; j < in_block; ++j) v[j] = w[j];
    }
    char* to = out + first * out_pitch;
#pragma GCC unroll 4
    for (int j = 0; j < in_block; ++j, to += out_pitch) {
      if constexpr (Pads) hn::StoreU(v[j], d, reinterpret_cast<lane*>(to));
      else hn::BlendedStore(v[j], edge.mask, d, reinterpret_cast<lane*>(to));
    }
  }
}

template <class T, bool Pads>
HWY_NOINLINE void transpose_columns(small_transpose const& r) {
  constexpr index in_quarter = 16 / sizeof(T);  // rows, and columns at once
  if (r.cols < in_quarter) gather_columns<T, Pads>(r);
  else if (r.rows <= in_quarter) transpose_quarters<T, 1, Pads>(r);
  else if (r.rows <= 2 * in_quarter) transpose_quarters<T, 2, Pads>(r);
  else if (r.rows <= 3 * in_quarter) transpose_quarters<T, 3, Pads>(r);
  else transpose_quarters<T, 4, Pads>(r);
}

/// Any number of rows. With Pads whole vectors are written, as they will be loaded: a load waits
/// for a narrower store before it.
template <class T, bool Pads>
HWY_INLINE void transpose_small(char const* in, index in_pitch, index rows, index cols, char* out,
                                index out_pitch) {
  constexpr index lanes = hn::MaxLanes(hn::ScalableTag<T>());
  for (index first = 0; first < rows; first += lanes)
    transpose_columns<T, Pads>({in + first * in_pitch, in_pitch, out + first * index{sizeof(T)},
                                out_pitch, std::min(lanes, rows - first), cols});
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
