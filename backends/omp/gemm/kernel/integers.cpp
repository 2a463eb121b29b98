// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// gemm's kernels of integers and of min_plus, max_plus and or_and, for every Highway target of this
// build.

#include <xpose/backends/omp/gemm/kernel_table.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "xpose/backends/omp/gemm/kernel/integers.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for each instruction set

#include <xpose/backends/omp/gemm/kernel/gemv-inl.h>
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
bool has_byte_products() {
  return __builtin_cpu_supports("avx512vnni");
}

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
constexpr gemm_kernel byte_kernel(char const* name) {
  constexpr bool is_signed = std::is_signed_v<Byte>;
  constexpr int width = 2 * hn::MaxLanes(hn::ScalableTag<std::int32_t>());
  using a_groups = byte_quad_groups<Byte, true>;
  using b_groups = byte_quad_groups<Byte, false>;
  gemm_kernel kernel = vector_kernel<dot_byte_quads<is_signed>, a_groups, b_groups>(name);
  kernel.b_header = kernel.b_step;
  kernel.commutes = true;
  kernel.pack_a = pack_byte_quads<a_groups, micro_tile_rows>;
  kernel.pack_b = pack_byte_quads<b_groups, width>;
  kernel.finish_b_panel = compensate_byte_panel<is_signed>;
  return with_gemv<gemv_byte_quads<Byte>>(kernel);
}
#endif

#ifdef XPOSE_OMP_GEMM_USES_AMX
template <class Byte>
constexpr gemm_kernel amx_byte_kernel(char const* name) {
  using groups = byte_quad_groups<Byte, false>;
  return amx_kernel<groups>(byte_kernel<Byte>(name), name,
                            std::is_signed_v<Byte> ? amx_microkernel_i8 : amx_microkernel_u8);
}
#endif

template <class Byte>
constexpr gemm_kernel byte_pair_kernel(char const* name) {
  using groups = int16_pair_groups<Byte>;
  gemm_kernel kernel = vector_kernel<dot_int16_pairs, groups, groups>(name);
  kernel.pack_a = pack_int16_pairs<Byte, micro_tile_rows>;
  kernel.pack_b = pack_int16_pairs<Byte, 2 * hn::MaxLanes(hn::ScalableTag<std::int32_t>())>;
  return with_gemv<gemv_int16_pairs<Byte>>(kernel);
}
template <class T>
constexpr gemm_kernel product_kernel(char const* name) {
  return with_gemv<gemv_unchanged<T>>(
      vector_kernel<plus_times_lanes<T>, unchanged_groups<T>, unchanged_groups<T>>(name));
}
template <class T, int Sign>
constexpr gemm_kernel tropical_kernel(char const* name) {
  return vector_kernel<tropical_lanes<T, Sign>, unchanged_groups<T>, unchanged_groups<T>>(name);
}

#endif

gemm_kernel_table table() {
#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
  return {nullptr, 0};
#else
  using e = element_type;
  constexpr auto plain = semiring_id::plus_times;
  constexpr auto least = semiring_id::min_plus;
  constexpr auto most = semiring_id::max_plus;
  static constexpr gemm_kernel_entry rows[] = {
#ifdef XPOSE_OMP_GEMM_USES_AMX
    {{e::i8, e::i8, e::i32, plain}, has_amx_bytes, amx_byte_kernel<std::int8_t>("gemm_i8_amx")},
    {{e::u8, e::u8, e::i32, plain}, has_amx_bytes, amx_byte_kernel<std::uint8_t>("gemm_u8_amx")},
#endif
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    {{e::i8, e::i8, e::i32, plain}, has_byte_products, byte_kernel<std::int8_t>("gemm_i8_quads")},
    {{e::u8, e::u8, e::i32, plain}, has_byte_products, byte_kernel<std::uint8_t>("gemm_u8_quads")},
#endif
    {{e::i8, e::i8, e::i32, plain}, nullptr, byte_pair_kernel<std::int8_t>("gemm_i8_pairs")},
    {{e::u8, e::u8, e::i32, plain}, nullptr, byte_pair_kernel<std::uint8_t>("gemm_u8_pairs")},
    {{e::i32, e::i32, e::i32, plain}, nullptr, product_kernel<std::int32_t>("gemm_i32")},
    {{e::i64, e::i64, e::i64, plain}, nullptr, product_kernel<std::int64_t>("gemm_i64")},
    {{e::f32, e::f32, e::f32, least}, nullptr, tropical_kernel<float, +1>("min_plus_f32")},
    {{e::f64, e::f64, e::f64, least}, nullptr, tropical_kernel<double, +1>("min_plus_f64")},
    {{e::i32, e::i32, e::i32, least}, nullptr, tropical_kernel<std::int32_t, +1>("min_plus_i32")},
    {{e::i64, e::i64, e::i64, least}, nullptr, tropical_kernel<std::int64_t, +1>("min_plus_i64")},
    {{e::f32, e::f32, e::f32, most}, nullptr, tropical_kernel<float, -1>("max_plus_f32")},
    {{e::f64, e::f64, e::f64, most}, nullptr, tropical_kernel<double, -1>("max_plus_f64")},
    {{e::i32, e::i32, e::i32, most}, nullptr, tropical_kernel<std::int32_t, -1>("max_plus_i32")},
    {{e::i64, e::i64, e::i64, most}, nullptr, tropical_kernel<std::int64_t, -1>("max_plus_i64")},
    {{e::u8, e::u8, e::i32, semiring_id::or_and},
     nullptr,
     vector_kernel<or_and_lanes, truth_groups, truth_groups>("or_and_u8")},
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

gemm_kernel_table integer_and_tropical_kernels(std::int64_t target) {
  hwy::ChosenTarget chosen;
  chosen.Update(target);
  return HWY_DISPATCH_TABLE(table)[chosen.GetIndex()]();
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
#endif
