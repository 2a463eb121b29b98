// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Conversion of an operand's elements to the k-groups of a packed panel, for one Highway target. A
// k-group is what one lane of a vector takes: one element, converted or conjugated, or several
// neighbours along k. convert() writes ceil(count / k_group_size) k-groups; zeros complete the
// last.
//
//   k = 0: a0 a1 a2 ...      pairs: [a0 b0] [a1 b1] ...              one lane of 32 bits each
//   k = 1: b0 b1 b2 ...      quads: [a0 b0 c0 d0] [a1 b1 c1 d1] ...  (pmaddwd, VNNI, vdpbf16ps)

#if defined(XPOSE_OMP_GEMM_K_GROUPS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_GEMM_K_GROUPS_INL
#undef XPOSE_OMP_GEMM_K_GROUPS_INL
#else
#define XPOSE_OMP_GEMM_K_GROUPS_INL
#endif

#include <xpose/backends/omp/gemm/kernel/arithmetic-inl.h>
#include <xpose/backends/omp/runtime/float16-inl.h>
#include <xpose/config.hpp>
#include <xpose/detail/complex_value.hpp>
#include <xpose/float8.hpp>

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

template <class Element, class KGroup, int Size>
struct k_groups_of {
  using element = Element;
  using k_group = KGroup;
  static constexpr int k_group_size = Size;
};

/// to[i] = f(from[i]), a vector of Out at a time, the last one masked: a scalar loop would become
/// `rep movs`, which took two thirds of the packing time.
template <class In, class Out, class F>
HWY_INLINE void convert_vectors(In const* from, index count, Out* to, F const& f) {
  hn::ScalableTag<Out> const d;
  hn::Rebind<In, decltype(d)> const d_in;
  constexpr index lanes = hn::MaxLanes(d);
  index i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(f(hn::LoadU(d_in, from + i)), d, to + i);
  if (i == count) return;
  masked_edge<decltype(d_in)> const rest(count - i);
  masked_edge<decltype(d)>(count - i).store(f(rest.load(from + i)), to + i);
}

/// One element, unchanged.
template <class T>
struct unchanged_groups : k_groups_of<T, T, 1> {
  static HWY_INLINE void convert(T const* in, index count, bool, T* out) {
    convert_vectors(in, count, out, [](auto v) HWY_ATTR { return v; });
  }
};

/// One float16 or bfloat16, widened to float.
template <class Half>
struct widened_half_groups : k_groups_of<Half, float, 1> {
  static HWY_INLINE void convert(Half const* in, index count, bool, float* out) {
    hn::ScalableTag<float> const d;
    auto const widen = [&](auto bits) HWY_ATTR {
      if constexpr (std::is_same_v<Half, bfloat16>) {
        hn::RebindToUnsigned<decltype(d)> const d32;
        return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(d32, bits)));
      } else {
        return widen_float16(d, bits);
      }
    };
    convert_vectors(reinterpret_cast<std::uint16_t const*>(in), count, out, widen);
  }
};

/// One float8, widened to float.
template <class Float8>
struct widened_float8_groups : k_groups_of<Float8, float, 1> {
  using format = std::conditional_t<std::is_same_v<Float8, float8_e4m3>, e4m3_format, e5m2_format>;

  static HWY_INLINE void convert(Float8 const* in, index count, bool, float* out) {
    hn::ScalableTag<float> const d;
    hn::RebindToUnsigned<decltype(d)> const d32;
    hn::RebindToSigned<decltype(d)> const di32;
    constexpr int shift = 23 - format::mantissa_bits;
    auto const widen = [&](auto bytes) HWY_ATTR {
      auto const bits = hn::PromoteTo(d32, bytes);
      auto const magnitude = hn::And(bits, hn::Set(d32, 0x7fu));
      auto const sign = hn::ShiftLeft<24>(hn::And(bits, hn::Set(d32, 0x80u)));
      auto const in_float_bits = hn::ShiftLeft<shift>(magnitude);
      auto const normal = hn::Add(in_float_bits, hn::Set(d32, format::bias_from_float << 23));
      auto const subnormal = hn::BitCast(
          d32, hn::Mul(hn::ConvertTo(d, hn::BitCast(di32, magnitude)), hn::Set(d, format::least)));
      // An infinity of e5m2, or a NaN.
      auto const special = hn::Or(in_float_bits, hn::Set(d32, 0x7f800000u));
      auto const signed_magnitude = hn::BitCast(di32, magnitude);
      auto const is_subnormal = hn::Lt(signed_magnitude, hn::Set(di32, 1 << format::mantissa_bits));
      auto const is_special =
          hn::Gt(signed_magnitude, hn::Set(di32, static_cast<std::int32_t>(format::largest)));
      auto const finite = hn::IfThenElse(hn::RebindMask(d32, is_subnormal), subnormal, normal);
      return hn::BitCast(
          d, hn::Or(sign, hn::IfThenElse(hn::RebindMask(d32, is_special), special, finite)));
    };
    convert_vectors(reinterpret_cast<std::uint8_t const*>(in), count, out, widen);
  }
};

/// 1 for a nonzero element.
struct truth_groups : k_groups_of<std::uint8_t, std::int32_t, 1> {
  static HWY_INLINE void convert(std::uint8_t const* in, index count, bool, std::int32_t* out) {
    for (index i = 0; i < count; ++i) out[i] = in[i] != 0;
  }
};

/// One complex number, conjugated on request.
template <class Real>
struct complex_groups : k_groups_of<complex_value<Real>, complex_value<Real>, 1> {
  using element = complex_value<Real>;
  static HWY_INLINE void convert(element const* in, index count, bool conjugated, element* out) {
    hn::ScalableTag<Real> const d;
    constexpr index lanes = hn::MaxLanes(d);
    auto const sign = hn::SignBit(d);
    auto const flips = conjugated ? hn::OddEven(sign, hn::Zero(d)) : hn::Zero(d);
    Real const* const from = reinterpret_cast<Real const*>(in);
    Real* const to = reinterpret_cast<Real*>(out);
    index const in_vectors = count - count % (lanes / 2);
    for (index i = 0; i < 2 * in_vectors; i += lanes)
      hn::StoreU(hn::Xor(hn::LoadU(d, from + i), flips), d, to + i);
    for (index i = in_vectors; i < count; ++i)
      out[i] = {in[i].re, conjugated ? -in[i].im : in[i].im};
  }
};

/// Four bytes for vpdpbusd, which multiplies unsigned by signed bytes. The operand of the other
/// kind has its top bit flipped, which offsets it by 128.
template <class Byte, bool IsFlipped>
struct byte_quad_groups : k_groups_of<Byte, std::int32_t, 4> {
  static constexpr std::uint8_t flips = IsFlipped ? 0x80 : 0;
  static HWY_INLINE void convert(Byte const* in, index count, bool, std::int32_t* out) {
    hn::ScalableTag<std::uint8_t> const d;
    constexpr index lanes = hn::MaxLanes(d);
    auto const* const from = reinterpret_cast<std::uint8_t const*>(in);
    auto* const to = reinterpret_cast<std::uint8_t*>(out);
    index i = 0;
    for (; i + lanes <= count; i += lanes)
      hn::StoreU(hn::Xor(hn::LoadU(d, from + i), hn::Set(d, flips)), d, to + i);
    if (i == count) return;
    masked_edge<decltype(d)> const rest(count - i);
    masked_edge<decltype(d)> const k_groups_of_rest((count - i + 3) / 4 * 4);
    k_groups_of_rest.store(hn::Xor(rest.load(from + i), hn::Set(d, flips)), to + i);
  }
};

/// Two bfloat16, unchanged.
struct bfloat16_pair_groups : k_groups_of<bfloat16, std::int32_t, 2> {
  static HWY_INLINE void convert(bfloat16 const* in, index count, bool, std::int32_t* out) {
    auto* const to = reinterpret_cast<std::uint16_t*>(out);
    unchanged_groups<std::uint16_t>::convert(reinterpret_cast<std::uint16_t const*>(in), count,
                                             false, to);
    if (count % 2 != 0) to[count] = 0;
  }
};

/// Two bytes, widened to 16-bit integers.
template <class Byte>
struct int16_pair_groups : k_groups_of<Byte, std::int32_t, 2> {
  static HWY_INLINE void convert(Byte const* in, index count, bool, std::int32_t* out) {
    char* const to = reinterpret_cast<char*>(out);
    index i = 0;
    for (; i < count; ++i) {
      std::int16_t const wide = in[i];
      std::memcpy(to + 2 * i, &wide, 2);
    }
    if (i % 2 != 0) std::memset(to + 2 * i, 0, 2);
  }
};

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
