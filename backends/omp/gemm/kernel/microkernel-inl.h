// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The microkernel and split-K's reduction, for one Highway target: C(MR x NR) [+]= A(MR x kc) *
// B(kc x NR) as kc rank-1 updates. All accumulators of the micro-tile stay in registers. Assumes
// contiguous rows of C; reads and writes nothing beyond the operands.
//
//              b[0..lanes) b[lanes..NR)   one row of B: two vectors, loaded once
//   a[0] *    | acc[0][0]   acc[0][1]      one column of A: each element broadcast
//   ...       |    ...         ...         NR = 2 vectors; MR = 12 rows (32 registers) or 6 (16)
//   a[MR-1] * | acc[MR-1][0] ...

#if defined(XPOSE_OMP_GEMM_MICROKERNEL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_MICROKERNEL_INL
#undef XPOSE_OMP_GEMM_MICROKERNEL_INL
#else
#define XPOSE_OMP_GEMM_MICROKERNEL_INL
#endif

#include <xpose/backends/omp/gemm/kernel/arithmetic-inl.h>
#include <xpose/backends/omp/gemm/kernel/kernel.hpp>

#include <hwy/highway.h>

#include <hwy/cache_control.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

// MR. Accumulators take 24 of 32 registers, or 12 of 16, beside two vectors of B and an element of
// A. With 28 of 32, GCC 12 spills some where A is read in place; with packed panels 28 were no
// faster.
constexpr bool has_32_registers = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64;
constexpr int micro_tile_rows = has_32_registers ? 12 : 6;

/// The rows of A: in a packed panel, or in place, `pitch` bytes apart. Three rows in place share a
/// base pointer, because an address is a base plus an index times 1 or 2.
template <int Rows, bool AInPlace>
struct a_rows {
  static constexpr int count = AInPlace ? (Rows + 2) / 3 : 1;
  char const* bases[count];
  index pitch;

  HWY_INLINE a_rows(char const* a, index row_step) : pitch(row_step) {
    for (int k = 0; k < count; ++k) bases[k] = a + 3 * k * row_step;
  }
  /// The element of `row`, `steps` along k from here.
  template <class T>
  HWY_INLINE T at(int row, int steps) const {
    char const* const from = AInPlace
                                 ? bases[row / 3] + row % 3 * pitch + steps * index{sizeof(T)}
                                 : bases[0] + (steps * micro_tile_rows + row) * index{sizeof(T)};
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
  }
  template <class T>
  HWY_INLINE void advance(int steps) {
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k) {
      bases[k] += steps * (AInPlace ? 1 : micro_tile_rows) * index{sizeof(T)};
      asm("" : "+r"(bases[k]));  // or GCC 12 adds to them as vectors and spills accumulators
    }
  }
};

/// The loop over k is unrolled so often.
constexpr int k_unroll = 4;

/// Prefetches the rows of A in place that the next micro-tile reads. Each round prefetches some of
/// the rows, so that each cache line is prefetched once while this tile's rows advance by one line.
template <int Rows, class T>
struct next_a_rows {
  static constexpr int rounds = 64 / (k_unroll * sizeof(T));
  static constexpr int rows_of_round = (Rows + rounds - 1) / rounds;
  char const* at;
  index pitch;
  int round = 0;

  HWY_INLINE explicit next_a_rows(microkernel_args const& args)
      : at(args.a_next), pitch(args.a_row_step) {}
  HWY_INLINE void prefetch() {
#pragma GCC unroll 6
    for (int r = 0; r < rows_of_round; ++r) hwy::Prefetch(at + r * pitch);
    at += rows_of_round * pitch;
    if (++round < rounds) return;
    round = 0;
    at += 64 - rounds * rows_of_round * pitch;
  }
};

/// Prefetches a row of C. All rows at once would fill the line-fill buffers that B needs (0.80
/// instead of 0.85 of peak), so the first steps along k take one row each.
HWY_INLINE void prefetch_c_row(microkernel_args const& args, int row) {
  char const* const to = args.accumulators + row * args.accumulators_pitch;
  hwy::Prefetch(to);
  hwy::Prefetch(to + 64);
}

/// B's panel streams from the second-level cache. It is prefetched so many steps ahead where a
/// vector is a cache line (AVX-512 on Cascade Lake: 0.80 of peak without, 0.93 with). An AVX2 tile
/// takes as long for half the bytes, and has no load slots to spare: with prefetches 0.93 to 0.96
/// of the rate without, on Zen 3.
/// In place its rows come from memory: up to four times as many steps ahead (24x4000x4000 of
/// f32 5.2 ms, 4.2 so; 64x4000x4000 10.4, 9.9; Zen 5).
constexpr int b_prefetch_steps = 8;
/// A vector is as long as a cache line.
template <class D>
constexpr bool is_cache_line = hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) == 64;
/// For shorter vectors and B in place: its row is prefetched so many bytes ahead. 12x4000x4000 of
/// f32 1.32 times as fast, 16x4096x4096 1.13 (128 and 1024 bytes likewise).
constexpr index b_prefetch_bytes = 512;

/// The last vector of a row of B in place may be partial: AVX-512 masks loads at no cost.
template <class T>
constexpr bool masks_b_in_place = HWY_TARGET <= HWY_AVX3;

/// acc += a column of A times a row of B. Always inlined, lest GCC 12 leaves accumulators in
/// memory.
template <class Arithmetic, int Rows, int Vectors, bool AInPlace, class V>
HWY_INLINE void rank_1_update(V (&acc)[Rows][Vectors], a_rows<Rows, AInPlace>& a, int a_steps,
                              char const* b, char const* b_ahead,
                              masked_edge<typename Arithmetic::tag> const& last) {
  if constexpr (AInPlace) asm("" : "+r"(a.pitch));  // or GCC 12 keeps pitch + 4, pitch + 8, ...
  typename Arithmetic::tag const d;
  using T = hn::TFromD<decltype(d)>;
  constexpr index lanes = hn::MaxLanes(d);
  V y[Vectors];
  T const* const from = reinterpret_cast<T const*>(b);
#pragma GCC unroll 2
  for (int v = 0; v < Vectors; ++v) {
    // Of packed panels not masked: a masked load takes the FMAs' ports on some processors.
    y[v] = AInPlace && masks_b_in_place<T> && v == Vectors - 1 ? last.load(from + v * lanes)
                                                               : hn::LoadU(d, from + v * lanes);
    if constexpr (is_cache_line<decltype(d)>) hwy::Prefetch(b_ahead + v * lanes * index{sizeof(T)});
  }
  if constexpr (AInPlace && !is_cache_line<decltype(d)>) hwy::Prefetch(b_ahead);
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    V const x = hn::Set(d, a.template at<T>(r, a_steps));
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) acc[r][v] = Arithmetic::accumulate(acc[r][v], x, y[v]);
  }
}

/// acc += the compensation that B's panel begins with.
template <int Rows, int Vectors, class V>
HWY_INLINE void add_compensation(V (&acc)[Rows][Vectors], char const* from) {
  using T = hn::TFromV<V>;
  hn::ScalableTag<T> const d;
  V compensation[Vectors];
#pragma GCC unroll 2
  for (int v = 0; v < Vectors; ++v)
    compensation[v] = hn::LoadU(d, reinterpret_cast<T const*>(from) + v * index{hn::MaxLanes(d)});
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) acc[r][v] = hn::Add(acc[r][v], compensation[v]);
}

template <class Arithmetic, int Rows, int Vectors, bool AInPlace>
void microkernel(microkernel_args const& args) {
  using D = typename Arithmetic::tag;
  using T = hn::TFromD<D>;
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
  masked_edge<D> const last(args.cols - (Vectors - 1) * lanes);
  auto const c_row = [&](int row) HWY_ATTR {
    return reinterpret_cast<T*>(args.accumulators + row * args.accumulators_pitch);
  };

  hn::Vec<D> acc[Rows][Vectors];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) acc[r][v] = Arithmetic::zero();
  if constexpr (Arithmetic::has_compensation) add_compensation(acc, args.b - args.b_k_step);

  a_rows<Rows, AInPlace> a(args.a, args.a_row_step);
  char const* b = args.b;
  // A constant for panels: integer additions would take the FMAs' ports.
  index const b_step = AInPlace ? args.b_k_step : 2 * lanes * index{sizeof(T)};
  // The second line of unaligned vectors: 64x7464x4000 of f32 28.2 ms without, 19.4. Not where rows
  // share sets of a cache: 8x4096x4096 3.8, 4.7.
  index const b_prefetch_end = AInPlace && b_step % 4096 != 0 ? 63 : 0;
  index const steps_ahead =
      AInPlace ? std::clamp<index>(args.k_groups / 4, b_prefetch_steps, 4 * b_prefetch_steps)
               : b_prefetch_steps;
  index const ahead = is_cache_line<D> ? steps_ahead * b_step + b_prefetch_end : b_prefetch_bytes;
  auto const unrolled_steps = [&]() HWY_ATTR __attribute__((always_inline)) {
#pragma GCC unroll 4
    for (int u = 0; u < k_unroll; ++u) {
      rank_1_update<Arithmetic>(acc, a, u, b, b + ahead, last);
      b += b_step;
      // Or GCC 12 keeps every multiple of the step, in vector registers when it runs out of others:
      // a third of the time of 16x16x16.
      if constexpr (AInPlace) asm("" : "+r"(b));
    }
    a.template advance<T>(k_unroll);
  };
  index p = args.k_groups;
  for (int r = 0; r < Rows && p >= k_unroll; ++r, p -= k_unroll) {
    prefetch_c_row(args, r);
    unrolled_steps();
  }
  if (AInPlace && args.a_next != nullptr) {
    next_a_rows<Rows, T> next(args);
    for (; p >= k_unroll; p -= k_unroll) {
      next.prefetch();
      unrolled_steps();
    }
  }
  for (; p >= k_unroll; p -= k_unroll) unrolled_steps();
  for (; p > 0; --p, b += b_step) {
    rank_1_update<Arithmetic>(acc, a, 0, b, b, last);
    a.template advance<T>(1);
  }

  if (args.continues) {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      if constexpr (Vectors == 2) acc[r][0] = Arithmetic::add(hn::LoadU(d, c_row(r)), acc[r][0]);
      acc[r][Vectors - 1] =
          Arithmetic::add(last.load(c_row(r) + (Vectors - 1) * lanes), acc[r][Vectors - 1]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    if constexpr (Vectors == 2) hn::StoreU(acc[r][0], d, c_row(r));
    last.store(acc[r][Vectors - 1], c_row(r) + (Vectors - 1) * lanes);
  }
}

/// re += x.re * y.re - x.im * y.im and im += x.re * y.im + x.im * y.re.
template <int Rows, class V>
HWY_INLINE void complex_rank_1_update(V (&re)[Rows], V (&im)[Rows], hn::TFromV<V> const* x, V y_re,
                                      V y_im) {
  hn::ScalableTag<hn::TFromV<V>> const d;
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    V const x_re = hn::Set(d, x[2 * r]);
    re[r] = mul_add(re[r], x_re, y_re);
    im[r] = mul_add(im[r], x_re, y_im);
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    V const x_im = hn::Set(d, x[2 * r + 1]);
    re[r] = neg_mul_add(re[r], x_im, y_im);
    im[r] = mul_add(im[r], x_im, y_re);
  }
}

/// The complex microkernel. A row of B's panel is the real parts of its columns and then the
/// imaginary parts (pack_complex_b); elements of A are (re, im). Real and imaginary accumulators
/// are interleaved at the end.
template <class Real, int Rows>
void complex_microkernel(microkernel_args const& args) {
  using D = hn::ScalableTag<Real>;
  using V = hn::Vec<D>;
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
  bool const is_full = args.cols == lanes;
  auto const c_row = [&](int row) HWY_ATTR {
    return reinterpret_cast<Real*>(args.accumulators + row * args.accumulators_pitch);
  };
  auto const edge_bytes = static_cast<std::size_t>(args.cols) * 2 * sizeof(Real);
  HWY_ALIGN Real edge_row[2 * lanes] = {};

  V re[Rows];
  V im[Rows];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    re[r] = im[r] = hn::Zero(d);
  }

  constexpr index b_step = 2 * lanes * sizeof(Real);
  char const* a = args.a;
  char const* b = args.b;
  auto const step = [&]() HWY_ATTR __attribute__((always_inline)) {
    Real const* const from = reinterpret_cast<Real const*>(b);
    V const y_re = hn::LoadU(d, from);
    V const y_im = hn::LoadU(d, from + lanes);
    if constexpr (is_cache_line<D>) {
      hwy::Prefetch(b + b_prefetch_steps * b_step);
      hwy::Prefetch(b + b_prefetch_steps * b_step + 64);
    }
    complex_rank_1_update(re, im, reinterpret_cast<Real const*>(a), y_re, y_im);
    a += micro_tile_rows * 2 * sizeof(Real);
    b += b_step;
  };
  index p = args.k_groups;
  for (int r = 0; r < Rows && p > 0; ++r, --p) {
    prefetch_c_row(args, r);
    step();
  }
  for (; p > 0; --p) step();

  if (args.continues) {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      V c_re;
      V c_im;
      if (!is_full) std::memcpy(edge_row, c_row(r), edge_bytes);
      hn::LoadInterleaved2(d, is_full ? c_row(r) : edge_row, c_re, c_im);
      re[r] = hn::Add(c_re, re[r]);
      im[r] = hn::Add(c_im, im[r]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    if (is_full) {
      hn::StoreInterleaved2(re[r], im[r], d, c_row(r));
    } else {
      hn::StoreInterleaved2(re[r], im[r], d, edge_row);
      std::memcpy(c_row(r), edge_row, edge_bytes);
    }
  }
}

/// One microkernel for each number of rows, of vectors, and for A packed or in place.
template <class Arithmetic, bool ReadsInPlace, int... R>
void dispatch_microkernel(microkernel_args const& args, std::integer_sequence<int, R...>) {
  using function = void (*)(microkernel_args const&);
  constexpr index lanes = hn::MaxLanes(typename Arithmetic::tag());
  static constexpr function one[] = {microkernel<Arithmetic, R + 1, 1, false>...};
  static constexpr function two[] = {microkernel<Arithmetic, R + 1, 2, false>...};
  if constexpr (ReadsInPlace) {
    static constexpr function one_in_place[] = {microkernel<Arithmetic, R + 1, 1, true>...};
    static constexpr function two_in_place[] = {microkernel<Arithmetic, R + 1, 2, true>...};
    if (args.a_row_step != 0)
      return (args.cols > lanes ? two_in_place : one_in_place)[args.rows - 1](args);
  }
  (args.cols > lanes ? two : one)[args.rows - 1](args);
}
template <class Arithmetic, bool ReadsInPlace, int Rows>
void run_microkernel(microkernel_args const& args) {
  dispatch_microkernel<Arithmetic, ReadsInPlace>(args, std::make_integer_sequence<int, Rows>());
}

template <class Real, int... R>
void dispatch_complex_microkernel(microkernel_args const& args, std::integer_sequence<int, R...>) {
  static constexpr void (*functions[])(microkernel_args const&) = {
      complex_microkernel<Real, R + 1>...};
  functions[args.rows - 1](args);
}
template <class Real, int Rows>
void run_complex_microkernel(microkernel_args const& args) {
  dispatch_complex_microkernel<Real>(args, std::make_integer_sequence<int, Rows>());
}

/// The split-K reduction of one tile: adds the partial accumulators of a later range of k.
/// LanesOfSum: lanes of one accumulator, two for a complex number.
template <class Arithmetic, int LanesOfSum>
void split_k_reduce_rows(split_k_partials const& args) {
  using D = typename Arithmetic::tag;
  using T = hn::TFromD<D>;
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
  index const count = args.cols * LanesOfSum;
  index const full = count / lanes * lanes;
  masked_edge<D> const rest(std::max<index>(1, count - full));
  for (index i = 0; i < args.rows; ++i) {
    T* const acc = reinterpret_cast<T*>(args.accumulators + i * args.pitch);
    T const* const partials = reinterpret_cast<T const*>(args.partials + i * args.pitch);
    for (index n = 0; n < full; n += lanes)
      hn::StoreU(Arithmetic::add(hn::LoadU(d, acc + n), hn::LoadU(d, partials + n)), d, acc + n);
    if (full < count)
      rest.store(Arithmetic::add(rest.load(acc + full), rest.load(partials + full)), acc + full);
  }
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
