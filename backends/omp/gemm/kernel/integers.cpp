// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm's kernels of integers and of min_plus, max_plus and or_and, for every Highway target of this
// build.

#include <xpose/backends/omp/gemm/kernel/kernel.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xpose/backends/omp/gemm/kernel/integers.cpp"
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

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
bool has_byte_products() { return __builtin_cpu_supports("avx512vnni"); }

/// Computes the compensation row (oneDNN's s8s8 compensation). Flipping A's top bits offset it by
/// 128, up if signed and down if not. The row takes 128 times the sum of each column of B back.
template <bool BIsSigned>
void compensate_byte_panel(char* panel, index k_groups) {
  using arithmetic = dot_byte_quads<BIsSigned>;
  typename arithmetic::tag const d;
  constexpr index lanes = hn::MaxLanes(d);
  auto* const compensation = reinterpret_cast<std::int32_t*>(panel);
  auto const ones = hn::Set(d, 0x01010101);
  typename arithmetic::vector acc[4] = {arithmetic::zero(), arithmetic::zero(), arithmetic::zero(),
                                        arithmetic::zero()};  // of even and of odd k-groups
  auto const accumulate = [&](index k_group, int first) HWY_ATTR {
    for (int v = 0; v < 2; ++v)
      acc[first + v] = arithmetic::accumulate(
          acc[first + v], ones, hn::Load(d, compensation + (2 * k_group + v) * lanes));
  };
  index u = 1;
  for (; u < k_groups; u += 2) {
    accumulate(u, 0);
    accumulate(u + 1, 2);
  }
  if (u == k_groups) accumulate(u, 0);
  for (int v = 0; v < 2; ++v) {
    auto const moved = hn::ShiftLeft<7>(hn::Add(acc[v], acc[2 + v]));
    hn::Store(BIsSigned ? hn::Neg(moved) : moved, d, compensation + v * lanes);
  }
}

template <class Byte>
constexpr gemm_kernel byte_quad_kernel(char const* name) {
  constexpr bool is_signed = std::is_signed_v<Byte>;
  gemm_kernel kernel = vector_kernel<dot_byte_quads<is_signed>, byte_quad_groups<Byte, true>,
                                     byte_quad_groups<Byte, false>>(name);
  kernel.b_header = kernel.b_step;
  kernel.commutes = true;
  kernel.finish_b_panel = compensate_byte_panel<is_signed>;
  return with_gemv<gemv_byte_quads<Byte>>(kernel);
}
template <class Byte>
constexpr gemm_kernel_entry byte_quad_entry(char const* name) {
  return entry_of<Byte, Byte, std::int32_t>(byte_quad_kernel<Byte>(name), has_byte_products);
}
#endif

#ifdef XPOSE_OMP_GEMM_USES_AMX
template <class Byte>
constexpr gemm_kernel_entry amx_byte_entry(char const* name) {
  constexpr auto product = std::is_signed_v<Byte> ? amx_instruction::i8 : amx_instruction::u8;
  return entry_of<Byte, Byte, std::int32_t>(
      amx_kernel<byte_quad_groups<Byte, false>>(byte_quad_kernel<Byte>(name),
                                                amx_microkernel<product>),
      has_amx_bytes);
}
#endif

template <class Byte>
constexpr gemm_kernel_entry byte_pair_entry(char const* name) {
  return entry_of<Byte, Byte, std::int32_t>(with_gemv<gemv_int16_pairs<Byte>>(
      vector_kernel<dot_int16_pairs, int16_pair_groups<Byte>>(name)));
}
template <class Semiring, class T>
constexpr gemm_kernel_entry tropical_entry(char const* name) {
  constexpr int sign = std::is_same_v<Semiring, min_plus> ? +1 : -1;
  return entry_of<T, T, T, Semiring>(
      vector_kernel<tropical_lanes<T, sign>, unchanged_groups<T>>(name));
}

#endif

gemm_kernel_table table() {
#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
  return {nullptr, 0};
#else
  static constexpr gemm_kernel_entry entries[] = {
#ifdef XPOSE_OMP_GEMM_USES_AMX
    amx_byte_entry<std::int8_t>("gemm_i8_amx"),
    amx_byte_entry<std::uint8_t>("gemm_u8_amx"),
#endif
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    byte_quad_entry<std::int8_t>("gemm_i8_quads"),
    byte_quad_entry<std::uint8_t>("gemm_u8_quads"),
#endif
    byte_pair_entry<std::int8_t>("gemm_i8_pairs"),
    byte_pair_entry<std::uint8_t>("gemm_u8_pairs"),
    unchanged_entry<std::int32_t>("gemm_i32"),
    unchanged_entry<std::int64_t>("gemm_i64"),
    tropical_entry<min_plus, float>("min_plus_f32"),
    tropical_entry<min_plus, double>("min_plus_f64"),
    tropical_entry<min_plus, std::int32_t>("min_plus_i32"),
    tropical_entry<min_plus, std::int64_t>("min_plus_i64"),
    tropical_entry<max_plus, float>("max_plus_f32"),
    tropical_entry<max_plus, double>("max_plus_f64"),
    tropical_entry<max_plus, std::int32_t>("max_plus_i32"),
    tropical_entry<max_plus, std::int64_t>("max_plus_i64"),
    entry_of<std::uint8_t, std::uint8_t, std::int32_t, or_and>(
        vector_kernel<or_and_lanes, truth_groups>("or_and_u8")),
  };
#if !defined(__SANITIZE_ADDRESS__)  // with UBSan GCC 12 has no constant addresses of functions
  static_assert(are_at_home(compiled_gemms(), kernel_file::integers, entries));
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

gemm_kernel_table integer_and_tropical_kernels(isa target) {
  return table_of(HWY_DISPATCH_TABLE(table), target);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
#endif
