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

#include <xpose/backends/omp/gemm_arithmetic-inl.h>
#include <xpose/backends/omp/gemm_kernel.hpp>

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

// Masked accesses of lanes of 4 and 8 bytes touch no other memory with AVX2 and AVX-512 alone.
constexpr bool has_masks = HWY_TARGET == HWY_AVX2 || HWY_TARGET <= HWY_AVX3;
// And cost no more than others with AVX-512, so that B's last vector is always loaded so.
constexpr bool masks_are_free = HWY_TARGET <= HWY_AVX3;

/// The first lanes of a vector of which the others lie beyond a matrix.
template <class D>
struct edge {
  using T = hn::TFromD<D>;
  hn::Mask<D> mask;
  std::size_t count;

  HWY_INLINE explicit edge(index lanes)
      : mask(hn::FirstN(D(), static_cast<std::size_t>(lanes))),
        count(static_cast<std::size_t>(lanes)) {}

  HWY_INLINE hn::Vec<D> load(T const* from) const {
    if constexpr (has_masks) {
      return hn::MaskedLoad(mask, D(), from);
    } else {
      HWY_ALIGN T lanes[hn::MaxLanes(D())] = {};
      std::memcpy(lanes, from, count * sizeof(T));
      return hn::Load(D(), lanes);
    }
  }
  HWY_INLINE void store(hn::Vec<D> v, T* to) const {
    if (count == hn::MaxLanes(D())) {
      hn::StoreU(v, D(), to);
    } else if constexpr (has_masks) {
      hn::BlendedStore(v, mask, D(), to);
    } else {
      HWY_ALIGN T lanes[hn::MaxLanes(D())];
      hn::Store(v, D(), lanes);
      std::memcpy(to, lanes, count * sizeof(T));
    }
  }
};

/// Where the rows of A are: one behind the other, or a pitch apart. Three rows share a pointer,
/// because an address is a pointer and once or twice an index.
template <int Rows, bool IsPitched>
struct row_pointers {
  static constexpr int count = IsPitched ? (Rows + 2) / 3 : 1;
  char const* bases[count];
  index pitch;

  HWY_INLINE explicit row_pointers(tile_job const& job) : pitch(job.a_row_step) {
    for (int k = 0; k < count; ++k) bases[k] = job.a + 3 * k * job.a_row_step;
  }
  template <class T>
  HWY_INLINE T at(int row, index offset) const {
    char const* const from =
        IsPitched ? bases[row / 3] + row % 3 * pitch : bases[0] + row * index{sizeof(T)};
    T value;
    std::memcpy(&value, from + offset, sizeof(T));
    return value;
  }
  HWY_INLINE void advance(index bytes) {
#pragma GCC unroll 8
    for (int k = 0; k < count; ++k) bases[k] += bytes;
  }
};

/// Steps along k that are taken together, so that counting costs less.
constexpr int unrolled = 4;
/// B comes from the second-level cache: so many steps ahead its lines are asked for.
constexpr int prefetched_steps = 8;

template <class Arithmetic, int Rows, int Vectors, bool IsPitched>
void multiply_rows(tile_job const& job) {
  using D = typename Arithmetic::tag;
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
  edge<D> const last(job.cols - (Vectors - 1) * lanes);
  auto const row_of_sums = [&](int row) HWY_ATTR {
    return reinterpret_cast<T*>(job.sums + row * job.sums_pitch);
  };

  V sums[Rows][Vectors];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) sums[r][v] = Arithmetic::zero();
  if (job.continues) {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      if constexpr (Vectors == 2) sums[r][0] = hn::LoadU(d, row_of_sums(r));
      sums[r][Vectors - 1] = last.load(row_of_sums(r) + (Vectors - 1) * lanes);
    }
  } else {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) hwy::Prefetch(row_of_sums(r));
  }
  if constexpr (Arithmetic::has_header) {
    V header[Vectors];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v)
      header[v] = hn::LoadU(d, reinterpret_cast<T const*>(job.b - job.b_depth_step) + v * lanes);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v) sums[r][v] = hn::Add(sums[r][v], header[v]);
  }

  row_pointers<Rows, IsPitched> a(job);
  char const* b = job.b;
  index const a_step = job.a_depth_step;
  index const b_step = job.b_depth_step;
  auto const step = [&](index a_offset) HWY_ATTR {
    V y[Vectors];
    T const* const from = reinterpret_cast<T const*>(b);
    if constexpr (Vectors == 2) y[0] = hn::LoadU(d, from);
    if constexpr (masks_are_free)
      y[Vectors - 1] = hn::MaskedLoad(last.mask, d, from + (Vectors - 1) * lanes);
    else y[Vectors - 1] = hn::LoadU(d, from + (Vectors - 1) * lanes);
    hwy::Prefetch(b + prefetched_steps * b_step);
    if constexpr (Vectors == 2) hwy::Prefetch(b + prefetched_steps * b_step + 64);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      V const x = hn::Set(d, a.template at<T>(r, a_offset));
#pragma GCC unroll 2
      for (int v = 0; v < Vectors; ++v)
        sums[r][v] = Arithmetic::accumulate(sums[r][v], x, y[v]);
    }
    b += b_step;
  };
  index p = job.depth;
  if constexpr (IsPitched) {  // a_step is an element: a constant known here
    for (; p >= unrolled; p -= unrolled) {
#pragma GCC unroll 4
      for (int u = 0; u < unrolled; ++u) step(u * index{sizeof(T)});
      a.advance(unrolled * sizeof(T));
    }
  }
  for (; p > 0; --p) {
    step(0);
    a.advance(a_step);
  }

#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    if constexpr (Vectors == 2) hn::StoreU(sums[r][0], d, row_of_sums(r));
    last.store(sums[r][Vectors - 1], row_of_sums(r) + (Vectors - 1) * lanes);
  }
}

/// Complex numbers: a step of B's panel is the real parts of its columns and then the imaginary
/// ones; the elements of A are (re, im). Sums are kept apart likewise and put together at the end.
template <class Real, int Rows>
void multiply_complex_rows(tile_job const& job) {
  using D = hn::ScalableTag<Real>;
  using V = hn::Vec<D>;
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
  bool const is_whole = job.cols == lanes;
  auto const row_of_sums = [&](int row) HWY_ATTR {
    return reinterpret_cast<Real*>(job.sums + row * job.sums_pitch);
  };
  auto const partial_bytes = static_cast<std::size_t>(job.cols) * 2 * sizeof(Real);
  HWY_ALIGN Real partial[2 * lanes] = {};

  V re[Rows];
  V im[Rows];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) re[r] = im[r] = hn::Zero(d);
  if (job.continues) {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      if (is_whole) {
        hn::LoadInterleaved2(d, row_of_sums(r), re[r], im[r]);
      } else {
        std::memcpy(partial, row_of_sums(r), partial_bytes);
        hn::LoadInterleaved2(d, partial, re[r], im[r]);
      }
    }
  }

  char const* a = job.a;
  char const* b = job.b;
  for (index p = job.depth; p > 0; --p) {
    Real const* const from = reinterpret_cast<Real const*>(b);
    V const y_re = hn::LoadU(d, from);
    V const y_im = hn::LoadU(d, from + lanes);
    hwy::Prefetch(b + prefetched_steps * job.b_depth_step);
    hwy::Prefetch(b + prefetched_steps * job.b_depth_step + 64);
    Real const* const x = reinterpret_cast<Real const*>(a);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      V const x_re = hn::Set(d, x[2 * r]);
      re[r] = hn::MulAdd(x_re, y_re, re[r]);
      im[r] = hn::MulAdd(x_re, y_im, im[r]);
    }
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      V const x_im = hn::Set(d, x[2 * r + 1]);
      re[r] = hn::NegMulAdd(x_im, y_im, re[r]);
      im[r] = hn::MulAdd(x_im, y_re, im[r]);
    }
    a += job.a_depth_step;
    b += job.b_depth_step;
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
template <class Arithmetic, bool TakesPitched, int... R>
void multiply_real(tile_job const& job, std::integer_sequence<int, R...>) {
  using function = void (*)(tile_job const&);
  constexpr index lanes = hn::MaxLanes(typename Arithmetic::tag());
  static constexpr function one[] = {multiply_rows<Arithmetic, R + 1, 1, false>...};
  static constexpr function two[] = {multiply_rows<Arithmetic, R + 1, 2, false>...};
  bool const is_pitched = TakesPitched && job.a_row_step != sizeof(hn::TFromD<typename Arithmetic::tag>);
  if constexpr (TakesPitched) {
    static constexpr function one_pitched[] = {multiply_rows<Arithmetic, R + 1, 1, true>...};
    static constexpr function two_pitched[] = {multiply_rows<Arithmetic, R + 1, 2, true>...};
    if (is_pitched) return (job.cols > lanes ? two_pitched : one_pitched)[job.rows - 1](job);
  }
  (job.cols > lanes ? two : one)[job.rows - 1](job);
}
template <class Arithmetic, bool TakesPitched, int Rows>
void multiply(tile_job const& job) {
  multiply_real<Arithmetic, TakesPitched>(job, std::make_integer_sequence<int, Rows>());
}

template <class Real, int... R>
void multiply_complex_of(tile_job const& job, std::integer_sequence<int, R...>) {
  static constexpr void (*functions[])(tile_job const&) = {multiply_complex_rows<Real, R + 1>...};
  functions[job.rows - 1](job);
}
template <class Real, int Rows>
void multiply_complex(tile_job const& job) {
  multiply_complex_of<Real>(job, std::make_integer_sequence<int, Rows>());
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
