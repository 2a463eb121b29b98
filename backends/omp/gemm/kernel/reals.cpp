// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm's kernels of real and complex numbers, for every Highway target of this build.

#include <xpose/backends/omp/gemm/kernel/kernel.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xpose/backends/omp/gemm/kernel/reals.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set

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
constexpr gemm_kernel_entry complex_entry(char const* name) {
  using element = complex_value<Real>;
  return entry_of<element, element, element>(with_complex_gemv<Real>(complex_kernel<Real>(name)));
}
template <class Half, class Elements>
constexpr gemm_kernel_entry half_entry(char const* name) {
  return entry_of<Half, Half, float>(
      with_gemv<Elements>(vector_kernel<plus_times_lanes<float>, widened_half_groups<Half>>(name)));
}
template <class A, class B>
constexpr gemm_kernel_entry float8_entry(char const* name) {
  return entry_of<A, B, float>(
      vector_kernel<plus_times_lanes<float>, widened_float8_groups<A>, widened_float8_groups<B>>(
          name));
}

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
/// Whether vdpbf16ps is there and pays. On Sapphire Rapids without AMX, 1024x1024x1024 takes 26 ms
/// by it and 18 ms widened. AMD's takes half as long as FMAs by the manufacturer's tables; not
/// measured.
bool has_bfloat16_products() {
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_is("amd");
}
constexpr gemm_kernel bfloat16_pair_kernel(char const* name) {
  return with_gemv<gemv_bfloat16>(vector_kernel<dot_bfloat16_pairs, bfloat16_pair_groups>(name));
}
#endif
#endif

gemm_kernel_table table() {
#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
  return {nullptr, 0};
#else
  using e4m3 = float8_e4m3;
  using e5m2 = float8_e5m2;
  static constexpr gemm_kernel_entry entries[] = {
    unchanged_entry<float>("gemm_f32"),
    unchanged_entry<double>("gemm_f64"),
    complex_entry<float>("gemm_c64"),
    complex_entry<double>("gemm_c128"),
    half_entry<float16, gemv_float16>("gemm_f16"),
#ifdef XPOSE_OMP_GEMM_USES_AMX
    entry_of<bfloat16, bfloat16, float>(
        amx_kernel<bfloat16_pair_groups>(bfloat16_pair_kernel("gemm_bf16_amx"),
                                         amx_microkernel<amx_instruction::bf16>),
        has_amx_bfloat16),
#endif
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    entry_of<bfloat16, bfloat16, float>(bfloat16_pair_kernel("gemm_bf16_pairs"),
                                        has_bfloat16_products),
#endif
    half_entry<bfloat16, gemv_bfloat16>("gemm_bf16"),
    float8_entry<e4m3, e4m3>("gemm_e4m3"),
    float8_entry<e5m2, e5m2>("gemm_e5m2"),
    float8_entry<e4m3, e5m2>("gemm_e4m3"),
    float8_entry<e5m2, e4m3>("gemm_e5m2"),
  };
#if !defined(__SANITIZE_ADDRESS__)  // with UBSan GCC 12 has no constant addresses of functions
  static_assert(are_at_home(compiled_gemms(), kernel_file::reals, entries));
#endif
  return {entries, static_cast<int>(std::size(entries))};
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

gemm_kernel_table real_and_complex_kernels(isa target) {
  return table_of(HWY_DISPATCH_TABLE(table), target);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
#endif
