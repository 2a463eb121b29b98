// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Small products of at most 8 columns of C, where lanes of a row of C would idle: vectors lie along
// k. Each accumulator belongs to one element (i, j) of C:
//
//   a row of A          a[i][k .. k + lanes)
//   a column of B       b[k .. k + lanes)[j]      their product is added to accumulator n
//   lane n of a result  all lanes of accumulator n, added in a tree of interleaves
//
// Assumes contiguous rows of A and columns of B. Each sum has as many chains as a vector has lanes,
// over ascending k; they are added in the order of sums_of_accumulators.

#if defined(XPOSE_OMP_GEMM_SMALL_DOTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_SMALL_DOTS_INL
#undef XPOSE_OMP_GEMM_SMALL_DOTS_INL
#else
#define XPOSE_OMP_GEMM_SMALL_DOTS_INL
#endif

#include <xpose/backends/omp/gemm/kernel/arithmetic-inl.h>
#include <xpose/backends/omp/gemm/small/small.hpp>

#include <hwy/highway.h>

#include <algorithm>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET <= HWY_AVX3

/// Lane n is the sum of all lanes of v[n]: 30 shuffles and 15 additions for 16 floats.
template <class D, class V>
HWY_INLINE V sums_of_accumulators(D d, V const (&v)[hn::MaxLanes(D())]) {
  using T = hn::TFromD<D>;
  constexpr int in_block = 16 / sizeof(T);
  auto const add_pair = [=](V a, V b) HWY_ATTR {
    return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  };
  V block[4];  // every 16 bytes of block[b]: partial sums of v[b * in_block ..]
#pragma GCC unroll 4
  for (int b = 0; b < 4; ++b) {
    V const* const of = v + b * in_block;
    block[b] = add_pair(of[0], of[1]);
    if constexpr (in_block == 4) {
      hn::ScalableTag<double> const pairs;
      auto const first = hn::BitCast(pairs, block[b]);
      auto const second = hn::BitCast(pairs, add_pair(of[2], of[3]));
      block[b] = hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, first, second)),
                         hn::BitCast(d, hn::InterleaveUpper(pairs, first, second)));
    }
  }
  auto const add_halves = [=](V a, V b) HWY_ATTR {
    return hn::Add(hn::ConcatLowerLower(d, b, a), hn::ConcatUpperUpper(d, b, a));
  };
  V const even = add_halves(block[0], block[2]);
  V const odd = add_halves(block[1], block[3]);
  return hn::Add(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(odd), even),
                 hn::OddEvenBlocks(odd, hn::SwapAdjacentBlocks(even)));
}

/// Where the lanes of a vector of sums lie in C: runs of lanes, `step` bytes apart there.
struct runs_of_lanes {
  index runs;
  index used;    // lanes of a run
  index stride;  // lanes from run to run
  index step;
};
/// at(mask, address): of each run, the lanes and the address that lane 0 would have.
template <class D, class At>
HWY_INLINE void for_each_run(D d, runs_of_lanes const& r, char* c, At const& at) {
  using T = hn::TFromD<D>;
  for (index n = 0; n < r.runs; ++n) {
    index const first = n * r.stride;
    auto const before = hn::FirstN(d, static_cast<std::size_t>(first));
    auto const upto = hn::FirstN(d, static_cast<std::size_t>(first + r.used));
    at(hn::AndNot(before, upto), reinterpret_cast<T*>(c + n * r.step) - first);
  }
}

/// b: columns, b_step bytes apart. C has contiguous rows, or columns, c_step bytes apart.
template <class T, int Cols, bool CByColumns>
void multiply_dots_of(small_product const& p, char const* b, index b_step) {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
  constexpr int rows_at_once = static_cast<int>(lanes) / Cols;
  index const a_step = p.a_step;
  index const c_step = p.c_step;
  index const k_extent = p.k_extent;
  index const rows = p.rows;
  index const full = k_extent / lanes * lanes;
  masked_edge<D> const rest(k_extent - full);
  char* c = p.c;
  for (index first = 0; first < rows; first += rows_at_once) {
    index const here = std::min<index>(rows_at_once, rows - first);
    T const* a_rows[rows_at_once];
#pragma GCC unroll 16
    for (int r = 0; r < rows_at_once; ++r)  // the last row stands in for those behind it
      a_rows[r] = reinterpret_cast<T const*>(p.a + (first + std::min<index>(r, here - 1)) * a_step);
    V acc[lanes];
#pragma GCC unroll 16
    for (V& v : acc) v = hn::Zero(d);
    auto const multiply_step = [&](index k, auto const& load) HWY_ATTR
        __attribute__((always_inline)) {
      V y[Cols];
#pragma GCC unroll 8
      for (int j = 0; j < Cols; ++j) y[j] = load(reinterpret_cast<T const*>(b + j * b_step) + k);
#pragma GCC unroll 16
      for (int r = 0; r < rows_at_once; ++r) {
        V const x = load(a_rows[r] + k);
#pragma GCC unroll 8
        for (int j = 0; j < Cols; ++j) {
          V& sum = acc[CByColumns ? j * rows_at_once + r : r * Cols + j];
          sum = hn::MulAdd(x, y[j], sum);
        }
      }
    };
    for (index k = 0; k < full; k += lanes)
      multiply_step(k, [&](T const* from) HWY_ATTR { return hn::LoadU(d, from); });
    if (full < k_extent)
      multiply_step(full, [&](T const* from) HWY_ATTR { return rest.load(from); });

    V sums = sums_of_accumulators(d, acc);
    runs_of_lanes const runs = CByColumns ? runs_of_lanes{Cols, here, rows_at_once, c_step}
                               : c_step == Cols * index{sizeof(T)}
                                   ? runs_of_lanes{1, here * Cols, 0, 0}
                                   : runs_of_lanes{here, Cols, Cols, c_step};
    if (p.alpha != nullptr) sums = hn::Mul(hn::Set(d, *static_cast<T const*>(p.alpha)), sums);
    if (p.beta != nullptr) {
      V old = hn::Zero(d);
      for_each_run(d, runs, c, [&](auto mask, T const* from) HWY_ATTR {
        old = hn::Or(old, hn::MaskedLoad(mask, d, from));
      });
      sums = hn::Add(sums, hn::Mul(hn::Set(d, *static_cast<T const*>(p.beta)), old));
    }
    for_each_run(d, runs, c,
                 [&](auto mask, T* to) HWY_ATTR { hn::BlendedStore(sums, mask, d, to); });
    c += rows_at_once * (CByColumns ? index{sizeof(T)} : c_step);
  }
}

using dots_function = void (*)(small_product const& p, char const* b, index b_step);
template <class T, bool CByColumns, int... J>
dots_function dots_of(index cols, std::integer_sequence<int, J...>) {
  static constexpr dots_function functions[] = {multiply_dots_of<T, J + 1, CByColumns>...};
  return functions[cols - 1];
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
