// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// float16 widened to float, for one Highway target: exact for every bit pattern, infinities and NaN
// included.

#if defined(XPOSE_OMP_FLOAT16_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_FLOAT16_INL
#undef XPOSE_OMP_FLOAT16_INL
#else
#define XPOSE_OMP_FLOAT16_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// PromoteTo is one instruction. Where it is not, Highway 1.0.3 takes infinities and NaNs for
/// numbers from 65536 on.
constexpr bool has_float16_conversion = (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || HWY_ARCH_ARM;

/// As many float16 bit patterns as d has lanes.
template <class D>
HWY_INLINE hn::Vec<D> widen_float16(D d, hn::Vec<hn::Rebind<std::uint16_t, D>> bits) {
  auto const value = hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), bits));
  if constexpr (has_float16_conversion) {
    return value;
  } else {
    hn::RebindToUnsigned<D> const words;
    auto const wide = hn::PromoteTo(words, bits);
    auto const sign = hn::ShiftLeft<16>(hn::And(wide, hn::Set(words, 0x8000)));
    auto const special = hn::Or(hn::Or(sign, hn::Set(words, 0x7f800000)),
                                hn::ShiftLeft<13>(hn::And(wide, hn::Set(words, 0x3ff))));
    auto const is_special = hn::Eq(hn::And(wide, hn::Set(words, 0x7c00)), hn::Set(words, 0x7c00));
    return hn::IfThenElse(hn::RebindMask(d, is_special), hn::BitCast(d, special), value);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
