// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// GEMV, for one Highway target: each element of the matrix is read once, in place, so that memory
// alone bounds it. Assumes a contiguous vector and result, and a matrix with contiguous rows or
// columns. gemv_elements-inl.h holds what differs between element types.

#if defined(XPOSE_OMP_GEMM_GEMV_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_GEMV_INL
#undef XPOSE_OMP_GEMM_GEMV_INL
#else
#define XPOSE_OMP_GEMM_GEMV_INL
#endif

#include <xpose/backends/omp/gemm/kernel/gemv_elements-inl.h>
#include <xpose/backends/omp/gemm/kernel/kernel.hpp>

#include <hwy/highway.h>

#include <hwy/cache_control.h>
#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

/// Prefetch distance in the matrix. bfloat16 from memory is 8 % faster than with the hardware
/// prefetcher alone, float 2 %.
constexpr index row_prefetch_bytes = 1024;
constexpr index column_prefetch_bytes = 512;

/// Some rows with contiguous k. Each has two accumulators, the even and the odd vectors along k, or
/// the vectors of even and of odd k.
template <class Elements, int Rows, class Sum>
HWY_INLINE void gemv_of_rows(char const* matrix, index pitch, char const* vector, index k_extent,
                             Sum initial, Sum* to) {
  using arithmetic = typename Elements::arithmetic;
  using stored = typename Elements::stored;
  using V = typename arithmetic::vector;
  typename arithmetic::tag const d;
  typename Elements::row_run const run;
  constexpr index elements = hn::MaxLanes(run);
  constexpr int chains = 2;
  constexpr int runs = chains / Elements::row_vectors;
  stored const* const x = reinterpret_cast<stored const*>(vector);
  stored const* rows[Rows];
  V acc[Rows][chains];
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
    rows[r] = reinterpret_cast<stored const*>(matrix + r * pitch);
    acc[r][0] = acc[r][1] = hn::Zero(d);
  }
  auto const multiply_run = [&](index p, int first_chain, auto const& load) HWY_ATTR
      __attribute__((always_inline)) {
    V y[Elements::row_vectors];
    Elements::unpack(load(x + p), y);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      V z[Elements::row_vectors];
      Elements::unpack_matrix(load(rows[r] + p), z);
      hwy::Prefetch(reinterpret_cast<char const*>(rows[r] + p) + row_prefetch_bytes);
#pragma GCC unroll 2
      for (int c = 0; c < Elements::row_vectors; ++c)
        acc[r][first_chain + c] = arithmetic::accumulate(acc[r][first_chain + c], z[c], y[c]);
    }
  };
  index p = 0;
  for (; p + runs * elements <= k_extent; p += runs * elements)
#pragma GCC unroll 2
    for (int n = 0; n < runs; ++n)
      multiply_run(p + n * elements, n * Elements::row_vectors,
                   [&](stored const* from) HWY_ATTR { return hn::LoadU(run, from); });
  for (; p < k_extent; p += elements) {
    masked_edge<decltype(run)> const rest(std::min(elements, k_extent - p));
    multiply_run(p, 0, [&](stored const* from) HWY_ATTR { return rest.load(from); });
  }
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r)
    to[r] =
        hn::GetLane(hn::Add(hn::Set(d, initial), hn::SumOfLanes(d, hn::Add(acc[r][0], acc[r][1]))));
}

template <class Elements>
void gemv_by_rows(gemv_args const& args) {
  auto const initial = Elements::initial(
      reinterpret_cast<typename Elements::element const*>(args.vector), args.k_extent);
  auto* const results =
      reinterpret_cast<std::remove_const_t<decltype(initial)>*>(args.accumulators);
  index i = 0;
  for (; i + 4 <= args.rows; i += 4)
    gemv_of_rows<Elements, 4>(args.matrix + i * args.pitch, args.pitch, args.vector, args.k_extent,
                              initial, results + i);
  for (; i < args.rows; ++i)
    gemv_of_rows<Elements, 1>(args.matrix + i * args.pitch, args.pitch, args.vector, args.k_extent,
                              initial, results + i);
}

/// Restores memory order of the `count` first sums of a run of columns, whose 16-byte blocks the
/// accumulators interleave.
template <int Vectors, int Lanes, class Sum>
HWY_INLINE void deinterleave_blocks(Sum const* from, index count, Sum* to) {
  constexpr int lanes_in_block = 16 / sizeof(Sum);
  Sum ordered[Vectors * Lanes];
  for (int b = 0; b < Lanes / lanes_in_block; ++b)
    for (int v = 0; v < Vectors; ++v)
      std::memcpy(ordered + (b * Vectors + v) * lanes_in_block,
                  from + v * Lanes + b * lanes_in_block, 16);
  std::memcpy(to, ordered, static_cast<std::size_t>(count) * sizeof(Sum));
}

/// Contiguous columns: each sum is one chain over ascending k, four columns a pass.
template <class Elements>
void gemv_by_columns(gemv_args const& args) {
  using arithmetic = typename Elements::arithmetic;
  using stored = typename Elements::stored;
  using columns = typename Elements::columns;
  using V = typename arithmetic::vector;
  using T = hn::TFromV<V>;
  typename arithmetic::tag const d;
  typename Elements::column_run const run;
  constexpr int lanes = hn::MaxLanes(d);
  constexpr index width = columns::vectors * lanes;
  static_assert(width == hn::MaxLanes(run));

  index const rows = args.rows;
  index const k_extent = args.k_extent;
  auto const* const x = reinterpret_cast<typename Elements::element const*>(args.vector);
  T const initial = Elements::initial(x, k_extent);
  T* const results = reinterpret_cast<T*>(args.accumulators);
  index const full = rows / width * width;
  T tail[width];
  masked_edge<decltype(run)> const rest(std::max<index>(1, rows - full));
  if (full == 0 && rows > 0) {
    // So few rows that their sums stay in registers: 2x1x56 TN of f32 takes 149 ns with sums in
    // memory, so 126, 8x1x200 437 and 332 (Emerald Rapids, 2026-11-30). What is left is one chain.
    V acc[columns::vectors];
#pragma GCC unroll 4
    for (V& sums : acc) sums = hn::Set(d, initial);
    for (index p = 0; p < k_extent; p += columns_per_pass) {
      int const steps = static_cast<int>(std::min<index>(columns_per_pass, k_extent - p));
      auto const load = [&](int s) HWY_ATTR {
        return rest.load(reinterpret_cast<stored const*>(
            args.matrix + std::min(p + s, k_extent - 1) * args.pitch));
      };
      columns const terms(x + p, steps);
      if (steps == columns_per_pass) terms.add(acc, columns_per_pass, load);
      else terms.add(acc, steps, load);
    }
#pragma GCC unroll 4
    for (int v = 0; v < columns::vectors; ++v) hn::StoreU(acc[v], d, tail + v * lanes);
    deinterleave_blocks<columns::vectors, lanes>(tail, rows, results);
    return;
  }
  std::fill_n(results, full, initial);
  std::fill_n(tail, width, initial);

  for (index p = 0; p < k_extent; p += columns_per_pass) {
    int const steps = static_cast<int>(std::min<index>(columns_per_pass, k_extent - p));
    columns const terms(x + p, steps);
    // Behind the last k the last column stands in: it is unused, or multiplied by zero.
    stored const* column[columns_per_pass];
    for (int s = 0; s < columns_per_pass; ++s)
      column[s] =
          reinterpret_cast<stored const*>(args.matrix + std::min(p + s, k_extent - 1) * args.pitch);
    auto const add = [&](T * at, int count, auto const& load) HWY_ATTR
        __attribute__((always_inline)) {
      V acc[columns::vectors];
#pragma GCC unroll 4
      for (int v = 0; v < columns::vectors; ++v) acc[v] = hn::LoadU(d, at + v * lanes);
      terms.add(acc, count, load);
#pragma GCC unroll 4
      for (int v = 0; v < columns::vectors; ++v) hn::StoreU(acc[v], d, at + v * lanes);
    };
    auto const add_full = [&](int count) HWY_ATTR __attribute__((always_inline)) {
      for (index i = 0; i < full; i += width)
        add(results + i, count, [&](int s) HWY_ATTR {
          hwy::Prefetch(reinterpret_cast<char const*>(column[s] + i) + column_prefetch_bytes);
          return hn::LoadU(run, column[s] + i);
        });
    };
    if (steps == columns_per_pass) add_full(columns_per_pass);
    else add_full(steps);
    if (full < rows) add(tail, steps, [&](int s) HWY_ATTR { return rest.load(column[s] + full); });
  }

  if constexpr (columns::vectors > 1)
    for (index i = 0; i < full; i += width)
      deinterleave_blocks<columns::vectors, lanes>(results + i, width, results + i);
  deinterleave_blocks<columns::vectors, lanes>(tail, rows - full, results + full);
}

template <class Elements>
constexpr gemm_kernel with_gemv(gemm_kernel k) {
  k.element_bytes = sizeof(typename Elements::element);
  k.gemv_rows = gemv_by_rows<Elements>;
  k.gemv_columns = gemv_by_columns<Elements>;
  return k;
}

/// (even, odd, even, odd, ...)
template <class D, class T>
HWY_INLINE hn::Vec<D> alternating(D d, T even, T odd) {
  return hn::OddEven(hn::Set(d, odd), hn::Set(d, even));
}

/// Some rows with contiguous k, of complex numbers: pairs of real lanes (re, im). Conjugation costs
/// nothing: it is in the signs of the vector's factors, or of the lanes added at the end. `same`
/// accumulates (re, im) times the vector's (re, im), `crossed` times its (im, re), lane by lane.
/// The real part is same's even lanes minus its odd ones, the imaginary part all lanes of crossed.
template <class Real, int Rows>
HWY_INLINE void complex_gemv_of_rows(gemv_args const& args, index first) {
  using D = hn::ScalableTag<Real>;
  using V = hn::Vec<D>;
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
  Real const* const x = reinterpret_cast<Real const*>(args.vector);
  Real const* rows[Rows];
  V same[Rows];
  V crossed[Rows];
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
    rows[r] = reinterpret_cast<Real const*>(args.matrix + (first + r) * args.pitch);
    same[r] = crossed[r] = hn::Zero(d);
  }
  auto const multiply_run = [&](index n, auto const& load) HWY_ATTR __attribute__((always_inline)) {
    V const y = load(x + n);
    V const exchanged = hn::Reverse2(d, y);
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
      V const z = load(rows[r] + n);
      hwy::Prefetch(reinterpret_cast<char const*>(rows[r] + n) + row_prefetch_bytes);
      same[r] = mul_add(same[r], z, y);
      crossed[r] = mul_add(crossed[r], z, exchanged);
    }
  };
  index const count = 2 * args.k_extent;
  index n = 0;
  for (; n + lanes <= count; n += lanes)
    multiply_run(n, [&](Real const* from) HWY_ATTR { return hn::LoadU(d, from); });
  if (n < count) {
    masked_edge<D> const rest(count - n);
    multiply_run(n, [&](Real const* from) HWY_ATTR { return rest.load(from); });
  }

  Real const minus = Real(-0.0);
  bool const one_is_conjugated = args.matrix_is_conjugated != args.vector_is_conjugated;
  V const re_signs = alternating(d, Real(0), one_is_conjugated ? Real(0) : minus);
  V const im_signs = alternating(d, args.vector_is_conjugated ? minus : Real(0),
                                 args.matrix_is_conjugated ? minus : Real(0));
  Real* const results = reinterpret_cast<Real*>(args.accumulators) + 2 * first;
#pragma GCC unroll 4
  for (int r = 0; r < Rows; ++r) {
    // Adding 0 makes -0 positive: a sum of negated zeros would be negative.
    results[2 * r] = Real(0) + hn::GetLane(hn::SumOfLanes(d, hn::Xor(same[r], re_signs)));
    results[2 * r + 1] = Real(0) + hn::GetLane(hn::SumOfLanes(d, hn::Xor(crossed[r], im_signs)));
  }
}

template <class Real>
void complex_gemv_by_rows(gemv_args const& args) {
  index i = 0;
  for (; i + 4 <= args.rows; i += 4) complex_gemv_of_rows<Real, 4>(args, i);
  for (; i < args.rows; ++i) complex_gemv_of_rows<Real, 1>(args, i);
}

/// Contiguous columns: each sum is one chain over ascending k, four columns a pass.
template <class Real>
void complex_gemv_by_columns(gemv_args const& args) {
  using D = hn::ScalableTag<Real>;
  using V = hn::Vec<D>;
  D const d;
  constexpr index lanes = hn::MaxLanes(d);
  Real const* const x = reinterpret_cast<Real const*>(args.vector);
  Real* const results = reinterpret_cast<Real*>(args.accumulators);
  index const count = 2 * args.rows;
  index const full = count / lanes * lanes;
  masked_edge<D> const rest(std::max<index>(1, count - full));
  Real const matrix_sign = args.matrix_is_conjugated ? -1 : 1;
  Real const vector_sign = args.vector_is_conjugated ? -1 : 1;
  std::fill_n(results, count, Real(0));

  for (index p = 0; p < args.k_extent; p += columns_per_pass) {
    int const steps = static_cast<int>(std::min<index>(columns_per_pass, args.k_extent - p));
    Real const* column[columns_per_pass];
    V straight[columns_per_pass];  // factors of (re, im) and of the swapped (im, re)
    V crossed[columns_per_pass];
    for (int s = 0; s < steps; ++s) {
      column[s] = reinterpret_cast<Real const*>(args.matrix + (p + s) * args.pitch);
      Real const re = x[2 * (p + s)];
      Real const im = vector_sign * x[2 * (p + s) + 1];
      straight[s] = alternating(d, re, matrix_sign * re);
      crossed[s] = alternating(d, -matrix_sign * im, im);
    }
    auto const add = [&](V acc, int known_steps, auto const& load) HWY_ATTR
        __attribute__((always_inline)) {
#pragma GCC unroll 4
      for (int s = 0; s < known_steps; ++s) {
        V const z = load(s);
        acc = mul_add(acc, z, straight[s]);
        acc = mul_add(acc, hn::Reverse2(d, z), crossed[s]);
      }
      return acc;
    };
    auto const add_full = [&](int known_steps) HWY_ATTR __attribute__((always_inline)) {
      for (index n = 0; n < full; n += lanes)
        hn::StoreU(add(hn::LoadU(d, results + n), known_steps,
                       [&](int s) HWY_ATTR {
                         hwy::Prefetch(reinterpret_cast<char const*>(column[s] + n) +
                                       column_prefetch_bytes);
                         return hn::LoadU(d, column[s] + n);
                       }),
                   d, results + n);
    };
    if (steps == columns_per_pass) add_full(columns_per_pass);
    else add_full(steps);
    if (full < count)
      rest.store(add(rest.load(results + full), steps,
                     [&](int s) HWY_ATTR { return rest.load(column[s] + full); }),
                 results + full);
  }
}

template <class Real>
constexpr gemm_kernel with_complex_gemv(gemm_kernel k) {
  k.element_bytes = 2 * sizeof(Real);
  k.gemv_rows = complex_gemv_by_rows<Real>;
  k.gemv_columns = complex_gemv_by_columns<Real>;
  return k;
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
