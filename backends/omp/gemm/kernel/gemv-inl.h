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
#include <xpose/backends/omp/gemm/kernel/masked_edge-inl.h>
#include <xpose/backends/omp/gemm/kernel/kernel.hpp>

#include <hwy/highway.h>

#include <hwy/cache_control.h>
#include <algorithm>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace xpose::detail {
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
  std::fill_n(results, full, initial);
  std::fill_n(tail, width, initial);
  masked_edge<decltype(run)> const rest(std::max<index>(1, rows - full));

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

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace xpose::detail
HWY_AFTER_NAMESPACE();

#endif
