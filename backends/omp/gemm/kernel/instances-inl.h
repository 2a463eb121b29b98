// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// How a kernel is put together from an arithmetic and the units of A and B, and the shapes of its
// tiles, for the instruction set that this is compiled for.

#if defined(XPOSE_OMP_GEMM_KERNEL_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_KERNEL_ROWS_INL
#undef XPOSE_OMP_GEMM_KERNEL_ROWS_INL
#else
#define XPOSE_OMP_GEMM_KERNEL_ROWS_INL
#endif

#include <xpose/backends/omp/gemm/kernel/split_k_reduce-inl.h>
#include <xpose/backends/omp/gemm/kernel/microkernel-inl.h>
#include <xpose/backends/omp/gemm/kernel/pack-inl.h>
#include <xpose/backends/omp/gemm/amx/pack-inl.h>
#include <xpose/backends/omp/gemm/kernel_table.hpp>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

// A panel of A takes three quarters of a first-level cache of 32 KB, and B's comes through the
// rest.
constexpr index panel_bytes = 24 << 10;

template <class Unit>
constexpr index depth_of(index elements) {
  return panel_bytes / (12 * index{sizeof(Unit)}) / 8 * 8 * elements;
}

/// Reading in place doubles the code of a kernel: only the most used ones do.
template <class Arithmetic, class AUnits, class BUnits, bool ReadsInPlace = false>
constexpr gemm_kernel vector_kernel(char const* name) {
  using unit = typename BUnits::unit;
  constexpr index lanes = hn::MaxLanes(typename Arithmetic::tag());
  static_assert(!ReadsInPlace || (std::is_same_v<AUnits, same_units<unit>> &&
                                  std::is_same_v<BUnits, same_units<unit>>));
  gemm_kernel k{};
  k.name = name;
  k.rows = tile_rows;
  k.cols = 2 * lanes;
  k.vector_cols = lanes;
  k.depth = depth_of<unit>(BUnits::elements);
  k.unit = BUnits::elements;
  k.units_together = 1;
  k.a_step = tile_rows * sizeof(unit);
  k.b_step = 2 * lanes * sizeof(unit);
  k.sum_bytes = sizeof(unit);
  k.in_place_bytes = ReadsInPlace ? sizeof(unit) : 0;
  k.commutes = std::is_same_v<AUnits, BUnits>;
  k.pack_a = pack<AUnits, tile_rows>;
  k.pack_b = pack<BUnits, 2 * lanes>;
  k.multiply = multiply<Arithmetic, ReadsInPlace, tile_rows>;
  k.add_later = add_later_sums<Arithmetic, 1>;
  return k;
}

template <class Real>
constexpr gemm_kernel complex_kernel(char const* name) {
  using unit = complex_value<Real>;
  constexpr index lanes = hn::MaxLanes(hn::ScalableTag<Real>());
  gemm_kernel k{};
  k.name = name;
  k.rows = tile_rows;
  k.cols = lanes;
  k.vector_cols = lanes;
  k.depth = depth_of<unit>(1);
  k.unit = 1;
  k.units_together = 1;
  k.a_step = tile_rows * sizeof(unit);
  k.b_step = lanes * sizeof(unit);
  k.sum_bytes = sizeof(unit);
  k.commutes = true;
  k.pack_a = pack<complex_units<Real>, tile_rows>;
  k.pack_b = pack_split<Real>;
  k.multiply = multiply_complex<Real, tile_rows>;
  k.add_later = add_later_sums<sum_of_products<Real>, 2>;
  return k;
}

#ifdef XPOSE_OMP_GEMM_USES_AMX
/// The same types by AMX. A panel of A's 1024 bytes of k stays in the first-level cache.
template <class Units>
constexpr gemm_kernel amx_kernel(gemm_kernel k, char const* name,
                                 void (*multiply)(tile_job const&)) {
  k.name = name;
  k.rows = amx_side;
  k.cols = amx_side;
  k.vector_cols = amx_side / 2;
  k.depth = 1024 / index{sizeof(typename Units::element)};
  k.unit = Units::elements;
  k.units_together = amx_units;
  k.a_step = amx_side * amx_unit_bytes;
  k.b_step = amx_side * amx_unit_bytes;
  k.b_header = 0;
  k.commutes = true;
  k.pack_a = pack_amx_rows<Units>;
  k.pack_b = pack_amx_cols<Units>;
  k.finish_b = nullptr;
  k.multiply = multiply;
  k.begin = begin_amx;
  k.end = end_amx;
  return k;
}
#endif

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
