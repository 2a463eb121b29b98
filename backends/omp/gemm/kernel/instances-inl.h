// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Constructors of kernels from an arithmetic and the k-groups of A and B, with their MR, NR and KC,
// for one Highway target.

#if defined(XPOSE_OMP_GEMM_KERNEL_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_KERNEL_ROWS_INL
#undef XPOSE_OMP_GEMM_KERNEL_ROWS_INL
#else
#define XPOSE_OMP_GEMM_KERNEL_ROWS_INL
#endif

#include <xpose/backends/omp/gemm/amx/pack-inl.h>
#include <xpose/backends/omp/gemm/kernel/microkernel-inl.h>
#include <xpose/backends/omp/gemm/kernel/pack-inl.h>
#include <xpose/backends/omp/gemm/kernel/split_k_reduce-inl.h>
#include <xpose/backends/omp/gemm/kernel_table.hpp>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

// KC: a panel of A takes three quarters of a first-level cache of 32 KB, and B's streams through
// the rest.
constexpr index a_panel_bytes = 24 << 10;

template <class KGroup>
constexpr index kc_of(index k_group_size) {
  return a_panel_bytes / (12 * index{sizeof(KGroup)}) / 8 * 8 * k_group_size;
}

/// ReadsInPlace doubles a kernel's code: only the most used kernels have it.
template <class Arithmetic, class AGroups, class BGroups, bool ReadsInPlace = false>
constexpr gemm_kernel vector_kernel(char const* name) {
  using k_group = typename BGroups::k_group;
  constexpr index lanes = hn::MaxLanes(typename Arithmetic::tag());
  static_assert(!ReadsInPlace || (std::is_same_v<AGroups, unchanged_groups<k_group>> &&
                                  std::is_same_v<BGroups, unchanged_groups<k_group>>));
  gemm_kernel k{};
  k.name = name;
  k.rows = micro_tile_rows;
  k.cols = 2 * lanes;
  k.vector_cols = lanes;
  k.k_extent = kc_of<k_group>(BGroups::k_group_size);
  k.unit = BGroups::k_group_size;
  k.k_groups_together = 1;
  k.a_step = micro_tile_rows * sizeof(k_group);
  k.b_step = 2 * lanes * sizeof(k_group);
  k.accumulator_bytes = sizeof(k_group);
  k.in_place_bytes = ReadsInPlace ? sizeof(k_group) : 0;
  k.commutes = std::is_same_v<AGroups, BGroups>;
  k.pack_a = pack<AGroups, micro_tile_rows>;
  k.pack_b = pack<BGroups, 2 * lanes>;
  k.multiply = run_microkernel<Arithmetic, ReadsInPlace, micro_tile_rows>;
  k.split_k_reduce = split_k_reduce_rows<Arithmetic, 1>;
  return k;
}

template <class Real>
constexpr gemm_kernel complex_kernel(char const* name) {
  using k_group = complex_value<Real>;
  constexpr index lanes = hn::MaxLanes(hn::ScalableTag<Real>());
  gemm_kernel k{};
  k.name = name;
  k.rows = micro_tile_rows;
  k.cols = lanes;
  k.vector_cols = lanes;
  k.k_extent = kc_of<k_group>(1);
  k.unit = 1;
  k.k_groups_together = 1;
  k.a_step = micro_tile_rows * sizeof(k_group);
  k.b_step = lanes * sizeof(k_group);
  k.accumulator_bytes = sizeof(k_group);
  k.commutes = true;
  k.pack_a = pack<complex_groups<Real>, micro_tile_rows>;
  k.pack_b = pack_complex_b<Real>;
  k.multiply = run_complex_microkernel<Real, micro_tile_rows>;
  k.split_k_reduce = split_k_reduce_rows<plus_times_lanes<Real>, 2>;
  return k;
}

#ifdef XPOSE_OMP_GEMM_USES_AMX
/// The kernel of the same types on AMX tiles. 1024 bytes of k of a panel of A stay in the
/// first-level cache.
template <class KGroups>
constexpr gemm_kernel amx_kernel(gemm_kernel k, char const* name,
                                 void (*multiply)(microkernel_args const&)) {
  k.name = name;
  k.rows = amx_side;
  k.cols = amx_side;
  k.vector_cols = amx_side / 2;
  k.k_extent = 1024 / index{sizeof(typename KGroups::element)};
  k.unit = KGroups::k_group_size;
  k.k_groups_together = amx_k_groups;
  k.a_step = amx_side * amx_k_group_bytes;
  k.b_step = amx_side * amx_k_group_bytes;
  k.b_header = 0;
  k.commutes = true;
  k.pack_a = pack_a_amx<KGroups>;
  k.pack_b = pack_b_amx<KGroups>;
  k.finish_b_panel = nullptr;
  k.multiply = multiply;
  k.begin = configure_amx_tiles;
  k.end = release_amx_tiles;
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
