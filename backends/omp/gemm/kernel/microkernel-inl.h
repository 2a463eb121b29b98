// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The multiplication of one tile with vectors, for the instruction set that this is compiled for.
// All sums of a tile stay in registers: each step along k loads the vectors of a row of B, and
// multiplies them with the elements of a column of A one by one. Assumes that the tile's columns
// lie one behind the other in `sums`; reads and writes nothing beyond the operands.

#if defined(XPOSE_OMP_GEMM_MICRO_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_MICRO_INL
#undef XPOSE_OMP_GEMM_MICRO_INL
#else
#define XPOSE_OMP_GEMM_MICRO_INL
#endif

#include <xpose/backends/omp/gemm/kernel/arithmetic-inl.h>
#include <xpose/backends/omp/gemm/kernel/masked_edge-inl.h>
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

// Sums in registers, beside two vectors of B and an element of A: 24 of 32, 12 of 16. With 28 of
// 32, GCC 12 spills some where A is pitched; in panels 28 were no faster.
constexpr bool has_32_registers = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64;
constexpr int micro_tile_rows = has_32_registers ? 12 : 6;

/// Where the rows of A are: a pitch apart along k, or in a packed panel. Of pitched ones, three
/// rows share a pointer, because an address is a pointer and once or twice an index.
template <int Rows, bool AInPlace>
struct a_rows {
  static constexpr int count = AInPlace ? (Rows + 2) / 3 : 1;
  char const* bases[count];
  index pitch;

  HWY_INLINE explicit a_rows(microkernel_args const& job) : pitch(job.a_row_step) {
    for (int k = 0; k < count; ++k) bases[k] = job.a + 3 * k * job.a_row_step;
  }
  /// The element of a row that many steps on.
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
      asm("" : "+r"(bases[k]));  // or GCC 12 adds to them as vectors and spills sums for those
    }
  }
};

/// Steps along k that are taken together, so that counting costs less.
constexpr int k_unroll = 4;

/// Asks for the lines of the rows of A that will be read next: some of the rows at a time, so that
/// each line is asked for once while the rows of now move on by one.
template <int Rows, class T>
struct next_a_rows {
  static constexpr int turns = 64 / (k_unroll * sizeof(T));
  static constexpr int rows_of_turn = (Rows + turns - 1) / turns;
  char const* at;
  index pitch;
  int turn = 0;

  HWY_INLINE explicit next_a_rows(microkernel_args const& job)
      : at(job.a_next), pitch(job.a_row_step) {}
  HWY_INLINE void prefetch() {
#pragma GCC unroll 6
    for (int r = 0; r < rows_of_turn; ++r) hwy::Prefetch(at + r * pitch);
    at += rows_of_turn * pitch;
    if (++turn < turns) return;
    turn = 0;
    at += 64 - turns * rows_of_turn * pitch;
  }
};

/// Asks for the lines of a row of C that sums will go to. All rows at once would fill the buffers
/// that B's lines come through (0.80 in place of 0.85 of peak), so steps along k go between them.
HWY_INLINE void prefetch_c_row(microkernel_args const& job, int row) {
  char const* const to = job.accumulators + row * job.accumulators_pitch;
  hwy::Prefetch(to);
  hwy::Prefetch(to + 64);
}

/// B comes from the second-level cache: its lines are asked for so many steps ahead, where a vector
/// is a line (AVX-512 on Cascade Lake: 0.80 of peak without, 0.93 with). A tile of AVX2 takes as
/// long for half as many bytes, and has no turns to spare: 0.93 to 0.96 of the rate without on
/// Zen 3.
constexpr int b_prefetch_steps = 8;
/// Whether a vector is a line of memory.
template <class D>
constexpr bool is_cache_line = hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) == 64;
/// Where vectors are less and B is read in place, what lies so many bytes on in its row is asked
/// for: 12x4000x4000 of f32 1.32 times as fast, 16x4096x4096 1.13 (128 and 1024 bytes likewise).
constexpr index b_prefetch_bytes = 512;

/// One step. Always inlined, lest GCC 12 leaves sums in memory.
template <class Arithmetic, int Rows, int Vectors, bool AInPlace, class V>
HWY_INLINE void rank_1_update(V (&accumulators)[Rows][Vectors], a_rows<Rows, AInPlace>& a,
                              int a_steps, char const* b, char const* b_ahead) {
  if constexpr (AInPlace) asm("" : "+r"(a.pitch));  // or GCC 12 keeps pitch + 4, pitch + 8, ...
  typename Arithmetic::tag const d;
  using T = hn::TFromD<decltype(d)>;
  constexpr index lanes = hn::MaxLanes(d);
  V y[Vectors];
  T const* const from = reinterpret_cast<T const*>(b);
#pragma GCC unroll 2
  for (int v = 0; v < Vectors; ++v) {
    y[v] = hn::LoadU(d, from + v * lanes);  // a masked load would take turns from the sums' ports
    if constexpr (is_cache_line<decltype(d)>) hwy::Prefetch(b_ahead + v * lanes * index{sizeof(T)});
  }
  if constexpr (AInPlace && !is_cache_line<decltype(d)>) hwy::Prefetch(b_ahead);
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    V const x = hn::Set(d, a.template at<T>(r, a_steps));
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v)
      accumulators[r][v] = Arithmetic::accumulate(accumulators[r][v], x, y[v]);
  }
}

template <class Arithmetic, int Rows, int Vectors, bool AInPlace>
void multiply_rows(microkernel_args const& job) {
  using D = typename Arithmetic::tag;
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
  masked_edge<D> const last(job.cols - (Vectors - 1) * lanes);
  auto const row_of_sums = [&](int row) HWY_ATTR {
    return reinterpret_cast<T*>(job.accumulators + row * job.accumulators_pitch);
  };

  V accumulators[Rows][Vectors];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) accumulators[r][v] = Arithmetic::zero();
  if constexpr (Arithmetic::has_compensation) {
    V header[Vectors];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v)
      header[v] = hn::LoadU(d, reinterpret_cast<T const*>(job.b - job.b_k_step) + v * lanes);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v) accumulators[r][v] = hn::Add(accumulators[r][v], header[v]);
  }

  a_rows<Rows, AInPlace> a(job);
  char const* b = job.b;
  // Known here where both are panels: integer additions would take turns from the sums' ports.
  index const b_step = AInPlace ? job.b_k_step : 2 * lanes * index{sizeof(T)};
  index const ahead = is_cache_line<D> ? b_prefetch_steps * b_step : b_prefetch_bytes;
  auto const unrolled_steps = [&]() HWY_ATTR __attribute__((always_inline)) {
#pragma GCC unroll 4
    for (int u = 0; u < k_unroll; ++u) {
      rank_1_update<Arithmetic>(accumulators, a, u, b, b + ahead);
      b += b_step;
      // Or GCC 12 keeps every multiple of the step, in vector registers where others run out: a
      // third of the time of 16x16x16.
      if constexpr (AInPlace) asm("" : "+r"(b));
    }
    a.template advance<T>(k_unroll);
  };
  index p = job.k_groups;
  for (int r = 0; r < Rows && p >= k_unroll; ++r, p -= k_unroll) {
    prefetch_c_row(job, r);
    unrolled_steps();
  }
  if (AInPlace && job.a_next != nullptr) {
    next_a_rows<Rows, T> next(job);
    for (; p >= k_unroll; p -= k_unroll) {
      next.prefetch();
      unrolled_steps();
    }
  }
  for (; p >= k_unroll; p -= k_unroll) unrolled_steps();
  for (; p > 0; --p, b += b_step) {
    rank_1_update<Arithmetic>(accumulators, a, 0, b, b);
    a.template advance<T>(1);
  }

  if (job.continues) {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      if constexpr (Vectors == 2)
        accumulators[r][0] = Arithmetic::add(hn::LoadU(d, row_of_sums(r)), accumulators[r][0]);
      accumulators[r][Vectors - 1] = Arithmetic::add(
          last.load(row_of_sums(r) + (Vectors - 1) * lanes), accumulators[r][Vectors - 1]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    if constexpr (Vectors == 2) hn::StoreU(accumulators[r][0], d, row_of_sums(r));
    last.store(accumulators[r][Vectors - 1], row_of_sums(r) + (Vectors - 1) * lanes);
  }
}

/// Complex numbers: a step of B's panel is the real parts of its columns and then the imaginary
/// ones; the elements of A are (re, im). Sums are kept apart likewise and put together at the end.
template <class Real, int Rows>
void complex_microkernel(microkernel_args const& job) {
  using D = hn::ScalableTag<Real>;
  using V = hn::Vec<D>;
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
  bool const is_whole = job.cols == lanes;
  auto const row_of_sums = [&](int row) HWY_ATTR {
    return reinterpret_cast<Real*>(job.accumulators + row * job.accumulators_pitch);
  };
  auto const partial_bytes = static_cast<std::size_t>(job.cols) * 2 * sizeof(Real);
  HWY_ALIGN Real partial[2 * lanes] = {};

  V re[Rows];
  V im[Rows];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    re[r] = im[r] = hn::Zero(d);
  }

  constexpr index b_step = 2 * lanes * sizeof(Real);
  char const* a = job.a;
  char const* b = job.b;
  auto const step = [&]() HWY_ATTR __attribute__((always_inline)) {
    Real const* const from = reinterpret_cast<Real const*>(b);
    V const y_re = hn::LoadU(d, from);
    V const y_im = hn::LoadU(d, from + lanes);
    if constexpr (is_cache_line<D>) {
      hwy::Prefetch(b + b_prefetch_steps * b_step);
      hwy::Prefetch(b + b_prefetch_steps * b_step + 64);
    }
    Real const* const x = reinterpret_cast<Real const*>(a);
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
    a += micro_tile_rows * 2 * sizeof(Real);
    b += b_step;
  };
  index p = job.k_groups;
  for (int r = 0; r < Rows && p > 0; ++r, --p) {
    prefetch_c_row(job, r);
    step();
  }
  for (; p > 0; --p) step();

  if (job.continues) {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      V before_re;
      V before_im;
      if (!is_whole) std::memcpy(partial, row_of_sums(r), partial_bytes);
      hn::LoadInterleaved2(d, is_whole ? row_of_sums(r) : partial, before_re, before_im);
      re[r] = hn::Add(before_re, re[r]);
      im[r] = hn::Add(before_im, im[r]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    if (is_whole) {
      hn::StoreInterleaved2(re[r], im[r], d, row_of_sums(r));
    } else {
      hn::StoreInterleaved2(re[r], im[r], d, partial);
      std::memcpy(row_of_sums(r), partial, partial_bytes);
    }
  }
}

/// One function for each number of rows, vectors in use and arrangement of A.
template <class Arithmetic, bool ReadsInPlace, int... R>
void dispatch_microkernel(microkernel_args const& job, std::integer_sequence<int, R...>) {
  using function = void (*)(microkernel_args const&);
  constexpr index lanes = hn::MaxLanes(typename Arithmetic::tag());
  static constexpr function one[] = {multiply_rows<Arithmetic, R + 1, 1, false>...};
  static constexpr function two[] = {multiply_rows<Arithmetic, R + 1, 2, false>...};
  if constexpr (ReadsInPlace) {
    static constexpr function one_in_place[] = {multiply_rows<Arithmetic, R + 1, 1, true>...};
    static constexpr function two_in_place[] = {multiply_rows<Arithmetic, R + 1, 2, true>...};
    if (job.a_row_step != 0)
      return (job.cols > lanes ? two_in_place : one_in_place)[job.rows - 1](job);
  }
  (job.cols > lanes ? two : one)[job.rows - 1](job);
}
template <class Arithmetic, bool ReadsInPlace, int Rows>
void multiply(microkernel_args const& job) {
  dispatch_microkernel<Arithmetic, ReadsInPlace>(job, std::make_integer_sequence<int, Rows>());
}

template <class Real, int... R>
void dispatch_complex_microkernel(microkernel_args const& job, std::integer_sequence<int, R...>) {
  static constexpr void (*functions[])(microkernel_args const&) = {
      complex_microkernel<Real, R + 1>...};
  functions[job.rows - 1](job);
}
template <class Real, int Rows>
void multiply_complex(microkernel_args const& job) {
  dispatch_complex_microkernel<Real>(job, std::make_integer_sequence<int, Rows>());
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
