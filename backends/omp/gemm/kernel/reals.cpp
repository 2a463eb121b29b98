// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm's kernels of real and complex numbers, for every Highway target of this build.

#include <xpose/backends/omp/gemm/kernel_table.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xpose/backends/omp/gemm/kernel/reals.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set

#include <xpose/backends/omp/gemm/kernel/gemv-inl.h>
#include <xpose/backends/omp/gemm/kernel/gemv_complex-inl.h>
#include <xpose/backends/omp/gemm/kernel/instances-inl.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
template <class Real>
constexpr gemm_kernel real_kernel(char const* name) {
  using groups = unchanged_groups<Real>;
  return with_gemv<gemv_unchanged<Real>>(
      vector_kernel<plus_times_lanes<Real>, groups, groups, true>(name));
}
template <class KGroups, class Elements>
constexpr gemm_kernel half_kernel(char const* name) {
  return with_gemv<Elements>(vector_kernel<plus_times_lanes<float>, KGroups, KGroups>(name));
}

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
/// Whether vdpbf16ps is there and pays. On Sapphire Rapids without AMX, 1024x1024x1024 takes 26 ms
/// by it and 18 ms widened. AMD's takes half as long as FMAs by the manufacturer's tables; not
/// measured.
bool has_bfloat16_products() {
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_is("amd");
}

constexpr gemm_kernel bfloat16_pair_kernel() {
  using groups = bfloat16_pair_groups;
  gemm_kernel kernel = vector_kernel<dot_bfloat16_pairs, groups, groups>("gemm_bf16_pairs");
  kernel.pack_a = pack_bfloat16_pairs<micro_tile_rows>;
  kernel.pack_b = pack_bfloat16_pairs<2 * hn::MaxLanes(hn::ScalableTag<float>())>;
  return with_gemv<gemv_bfloat16>(kernel);
}
#endif
#endif

gemm_kernel_table table() {
#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
  return {nullptr, 0};
#else
  using half = widened_half_groups<float16>;
  using brain = widened_half_groups<bfloat16>;
  using e4m3 = widened_float8_groups<float8_e4m3>;
  using e5m2 = widened_float8_groups<float8_e5m2>;
  using multiply_add = plus_times_lanes<float>;
  constexpr auto plain = semiring_id::plus_times;
  using e = element_type;
  static constexpr gemm_kernel_entry rows[] = {
    {{e::f32, e::f32, e::f32, plain}, nullptr, real_kernel<float>("gemm_f32")},
    {{e::f64, e::f64, e::f64, plain}, nullptr, real_kernel<double>("gemm_f64")},
    {{e::complex_f32, e::complex_f32, e::complex_f32, plain},
     nullptr,
     with_complex_gemv<float>(complex_kernel<float>("gemm_c64"))},
    {{e::complex_f64, e::complex_f64, e::complex_f64, plain},
     nullptr,
     with_complex_gemv<double>(complex_kernel<double>("gemm_c128"))},
    {{e::f16, e::f16, e::f32, plain}, nullptr, half_kernel<half, gemv_float16>("gemm_f16")},
#ifdef XPOSE_OMP_GEMM_USES_AMX
    {{e::bf16, e::bf16, e::f32, plain},
     has_amx_bfloat16,
     amx_kernel<bfloat16_pair_groups>(bfloat16_pair_kernel(), "gemm_bf16_amx",
                                      amx_microkernel_bfloat16)},
#endif
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    {{e::bf16, e::bf16, e::f32, plain}, has_bfloat16_products, bfloat16_pair_kernel()},
#endif
    {{e::bf16, e::bf16, e::f32, plain}, nullptr, half_kernel<brain, gemv_bfloat16>("gemm_bf16")},
    {{e::e4m3, e::e4m3, e::f32, plain},
     nullptr,
     vector_kernel<multiply_add, e4m3, e4m3>("gemm_e4m3")},
    {{e::e5m2, e::e5m2, e::f32, plain},
     nullptr,
     vector_kernel<multiply_add, e5m2, e5m2>("gemm_e5m2")},
    {{e::e4m3, e::e5m2, e::f32, plain},
     nullptr,
     vector_kernel<multiply_add, e4m3, e5m2>("gemm_e4m3")},
    {{e::e5m2, e::e4m3, e::f32, plain},
     nullptr,
     vector_kernel<multiply_add, e5m2, e4m3>("gemm_e5m2")},
  };
  return {rows, static_cast<int>(std::size(rows))};
#endif
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace xpose {
inline namespace v0 {
namespace detail {
namespace {
HWY_EXPORT(table);
}  // namespace

gemm_kernel_table real_and_complex_kernels(std::int64_t target) {
  hwy::ChosenTarget chosen;
  chosen.Update(target);
  return HWY_DISPATCH_TABLE(table)[chosen.GetIndex()]();
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
#endif
