// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Constructors of kernels from an arithmetic and the k-groups of A and B, with their MR, NR and KC,
// for one Highway target.

#if defined(XPOSE_OMP_GEMM_INSTANCES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_INSTANCES_INL
#undef XPOSE_OMP_GEMM_INSTANCES_INL
#else
#define XPOSE_OMP_GEMM_INSTANCES_INL
#endif

#include <xpose/backends/omp/gemm/kernel/gemv-inl.h>
#include <xpose/backends/omp/gemm/kernel/microkernel-inl.h>
#include <xpose/backends/omp/gemm/kernel/pack-inl.h>
#include <xpose/detail/compiled_gemm.hpp>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

/// Sizes of a kernel whose accumulators are as large as a k-group. KC: a panel of A takes three
/// quarters of a first-level cache of 32 KB, and B's streams through the rest.
template <class KGroup>
constexpr gemm_kernel kernel_of_sizes(char const* name, index nr, index vector_cols,
                                      index k_group_size) {
  constexpr index a_panel_bytes = 24 << 10;
  gemm_kernel kernel{};
  kernel.name = name;
  kernel.mr = micro_tile_rows;
  kernel.nr = nr;
  kernel.vector_cols = vector_cols;
  kernel.kc = a_panel_bytes / (12 * index{sizeof(KGroup)}) / 8 * 8 * k_group_size;
  kernel.k_group_size = k_group_size;
  kernel.k_groups_per_block = 1;
  kernel.a_step = micro_tile_rows * sizeof(KGroup);
  kernel.b_step = nr * index{sizeof(KGroup)};
  kernel.accumulator_bytes = sizeof(KGroup);
  return kernel;
}

/// Reading in place doubles a kernel's code: only f32 and f64, the most used ones, do.
template <class Arithmetic, class AGroups, class BGroups = AGroups>
constexpr gemm_kernel vector_kernel(char const* name) {
  using k_group = typename BGroups::k_group;
  constexpr index lanes = hn::MaxLanes(typename Arithmetic::tag());
  constexpr bool reads_in_place = std::is_floating_point_v<k_group> &&
                                  std::is_same_v<Arithmetic, plus_times_lanes<k_group>> &&
                                  std::is_same_v<AGroups, unchanged_groups<k_group>>;
  gemm_kernel kernel = kernel_of_sizes<k_group>(name, 2 * lanes, lanes, BGroups::k_group_size);
  kernel.in_place_bytes = reads_in_place ? sizeof(k_group) : 0;
  kernel.masks_b_in_place = reads_in_place && masks_b_in_place<k_group>;
  kernel.commutes = std::is_same_v<AGroups, BGroups>;
  kernel.pack_a = packing_of<AGroups, micro_tile_rows>();
  kernel.pack_b = packing_of<BGroups, 2 * lanes>();
  kernel.microkernel = run_microkernel<Arithmetic, reads_in_place, micro_tile_rows>;
  kernel.split_k_reduce = split_k_reduce_rows<Arithmetic, 1>;
  return kernel;
}

template <class Real>
constexpr gemm_kernel complex_kernel(char const* name) {
  constexpr index lanes = hn::MaxLanes(hn::ScalableTag<Real>());
  gemm_kernel kernel = kernel_of_sizes<complex_value<Real>>(name, lanes, lanes, 1);
  kernel.commutes = true;
  kernel.pack_a = packing_of<complex_groups<Real>, micro_tile_rows>();
  kernel.pack_b = pack_complex_b<Real>;
  kernel.microkernel = run_complex_microkernel<Real, micro_tile_rows>;
  kernel.split_k_reduce = split_k_reduce_rows<plus_times_lanes<Real>, 2>;
  return kernel;
}

#ifdef XPOSE_OMP_GEMM_USES_AMX
/// The same kernel on AMX tiles. 1024 bytes of k of a panel of A stay in the first-level cache.
template <class KGroups>
constexpr gemm_kernel amx_kernel(gemm_kernel kernel, void (*microkernel)(microkernel_args const&)) {
  kernel.mr = amx_side;
  kernel.nr = amx_side;
  kernel.vector_cols = amx_side / 2;
  kernel.kc = 1024 / index{sizeof(typename KGroups::element)};
  kernel.k_group_size = KGroups::k_group_size;
  kernel.k_groups_per_block = amx_k_groups;
  kernel.a_step = amx_side * amx_k_group_bytes;
  kernel.b_step = amx_side * amx_k_group_bytes;
  kernel.b_header = 0;
  kernel.commutes = true;
  kernel.pack_a = pack_a_amx<KGroups>;
  kernel.pack_b = pack_b_amx<KGroups>;
  kernel.finish_b_panel = nullptr;
  kernel.microkernel = microkernel;
  kernel.configure_tiles = configure_amx_tiles;
  kernel.release_tiles = release_amx_tiles;
  return kernel;
}
#endif

/// `kernel` multiplies A by B with accumulators of type K, wherever `is_supported` says so.
template <class A, class B, class K, class Semiring = plus_times>
constexpr gemm_kernel_entry entry_of(gemm_kernel const& kernel, bool (*is_supported)() = nullptr) {
  return {{element_type_of<A>(), element_type_of<B>(), element_type_of<K>(),
           semiring_id_of<Semiring>()},
          is_supported,
          kernel};
}

/// plus_times of numbers that need no conversion.
template <class T>
constexpr gemm_kernel_entry unchanged_entry(char const* name) {
  return entry_of<T, T, T>(
      with_gemv<gemv_unchanged<T>>(vector_kernel<plus_times_lanes<T>, unchanged_groups<T>>(name)));
}

enum class kernel_file { reals, integers };

/// The types have exactly one entry that needs nothing but the target, in their own file's table.
template <class A, class B, class C, class K, class Semiring, std::size_t Count>
constexpr bool is_at_home(gemm_types<A, B, C, K, Semiring>, kernel_file file,
                          gemm_kernel_entry const (&entries)[Count]) {
  constexpr bool is_real = !std::is_integral_v<K> && std::is_same_v<Semiring, plus_times>;
  int count = 0;
  for (gemm_kernel_entry const& e : entries)
    count += e.is_supported == nullptr && e.types == entry_of<A, B, K, Semiring>({}).types;
  return count == (is_real == (file == kernel_file::reals) ? 1 : 0);
}
template <class... Types, std::size_t Count>
constexpr bool are_at_home(gemm_type_list<Types...>, kernel_file file,
                           gemm_kernel_entry const (&entries)[Count]) {
  return (... && is_at_home(Types(), file, entries));
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
