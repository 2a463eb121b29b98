// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Casts between float and the two-byte floats with vectors, for the instruction set that this is
// compiled for: a cast of any other pair, or of elements that do not lie one behind the other, is
// what compilers make of apply_to_tile (float to bfloat16 with SSE2: 0.40 of a copy of as many
// bytes). The same bits as float16.hpp's for every value, NaN included.

#if defined(XPOSE_OMP_CASTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_CASTS_INL
#undef XPOSE_OMP_CASTS_INL
#else
#define XPOSE_OMP_CASTS_INL
#endif

#include <xpose/backends/omp/lines-inl.h>
#include <xpose/float16.hpp>
#include <xpose/functional.hpp>

#include <hwy/highway.h>

#include <cstdint>
#include <iterator>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

using floats = hn::ScalableTag<float>;
using words = hn::RebindToUnsigned<floats>;        // the bits of a vector of float
using halves = hn::Rebind<std::uint16_t, floats>;  // and of as many two-byte floats
using half_floats = hn::Rebind<hwy::float16_t, floats>;

HWY_INLINE hn::Vec<words> all(std::uint32_t bits) {
  return hn::Set(words(), bits);
}

/// The bits of In's elements as those of Out's.
template <class In, class Out>
struct vector_cast;
template <>
struct vector_cast<float, bfloat16> {
  static HWY_INLINE hn::Vec<halves> apply(hn::Vec<words> bits) {
    auto const is_nan = hn::Gt(hn::And(bits, all(0x7fffffff)), all(0x7f800000));
    auto const upper = hn::ShiftRight<16>(bits);
    auto const half = hn::Add(all(0x7fff), hn::And(upper, all(1)));
    auto const rounded = hn::ShiftRight<16>(hn::Add(bits, half));
    auto const result = hn::IfThenElse(is_nan, hn::Or(upper, all(0x40)), rounded);
    // Below 2^16, and so nothing is saturated.
    return hn::DemoteTo(halves(), hn::BitCast(hn::RebindToSigned<words>(), result));
  }
};
template <>
struct vector_cast<bfloat16, float> {
  static HWY_INLINE hn::Vec<words> apply(hn::Vec<halves> bits) {
    return hn::ShiftLeft<16>(hn::PromoteTo(words(), bits));
  }
};
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86  // whose instructions round as float16.hpp does
template <>
struct vector_cast<float, float16> {
  static HWY_INLINE hn::Vec<halves> apply(hn::Vec<words> bits) {
    return hn::BitCast(halves(), hn::DemoteTo(half_floats(), hn::BitCast(floats(), bits)));
  }
};
template <>
struct vector_cast<float16, float> {
  static HWY_INLINE hn::Vec<words> apply(hn::Vec<halves> bits) {
    auto const wide = hn::PromoteTo(words(), bits);
    auto const magnitude = hn::And(wide, all(0x7fff));
    auto const sign = hn::ShiftLeft<16>(hn::And(wide, all(0x8000)));
    auto const payload = hn::ShiftLeft<13>(hn::And(magnitude, all(0x3ff)));
    auto const nan = hn::Or(hn::Or(sign, all(0x7f800000)), payload);  // no quieter than it was
    auto const value = hn::PromoteTo(floats(), hn::BitCast(half_floats(), bits));
    return hn::IfThenElse(hn::Gt(magnitude, all(0x7c00)), nan, hn::BitCast(words(), value));
  }
};
#endif

HWY_INLINE auto load_bits(float const* from) {
  return hn::LoadU(words(), reinterpret_cast<std::uint32_t const*>(from));
}
template <class Half>
HWY_INLINE auto load_bits(Half const* from) {
  return hn::LoadU(halves(), reinterpret_cast<std::uint16_t const*>(from));
}
HWY_INLINE void store_bits(hn::Vec<words> bits, float* to) {
  hn::StoreU(bits, words(), reinterpret_cast<std::uint32_t*>(to));
}
template <class Half>
HWY_INLINE void store_bits(hn::Vec<halves> bits, Half* to) {
  hn::StoreU(bits, halves(), reinterpret_cast<std::uint16_t*>(to));
}

/// As many elements as a vector of shape<sizeof(Out)> has.
template <class In, class Out>
HWY_INLINE auto load_cast(char const* from) {
  using once = vector_cast<In, Out>;
  In const* const in = reinterpret_cast<In const*>(from);
  if constexpr (sizeof(Out) == 2)
    return hn::Combine(typename shape<2>::tag(),
                       once::apply(load_bits(in + hn::MaxLanes(floats()))),
                       once::apply(load_bits(in)));
  else return once::apply(load_bits(in));
}

template <class In, class Out>
void cast_tile(void const*, function_tile const& t) {
  constexpr index lanes = hn::MaxLanes(floats());
  function_tile rest = t;
  if (t.in_step == index{sizeof(In)} && t.to_step == index{sizeof(Out)}) {
    index const in_vectors = t.width / lanes * lanes;
    for (index j = 0; j < t.height; ++j) {
      In const* const from = reinterpret_cast<In const*>(t.in + j * t.in_pitch);
      Out* const to = reinterpret_cast<Out*>(t.to + j * t.to_pitch);
      for (index i = 0; i < in_vectors; i += lanes)
        store_bits(vector_cast<In, Out>::apply(load_bits(from + i)), to + i);
    }
    rest.in += in_vectors * t.in_step;
    rest.to += in_vectors * t.to_step;
    rest.width -= in_vectors;
  }
  cast<Out> const one_by_one{};
  if (rest.width > 0) apply_to_tile<In, Out, cast<Out>>(&one_by_one, rest);
}

template <class InElement, class OutElement>
struct element_pair {
  using in = InElement;
  using out = OutElement;
  static constexpr cast_function row = {element_type_of<in>(), element_type_of<out>(),
                                        cast_tile<in, out>};
};

template <class... Pairs>
struct cast_list {
  static constexpr cast_function rows[] = {Pairs::row...};

  /// use(element_pair) if the function is one of these casts, to elements of so many bytes; whether
  /// it is.
  template <int Bytes, class Use>
  static HWY_INLINE bool with(tile_function const* function, Use const& use) {
    return function != nullptr && (with_pair<Pairs, Bytes>(*function, use) || ...);
  }

 private:
  template <class Pair, int Bytes, class Use>
  static HWY_INLINE bool with_pair(tile_function const& function, Use const& use) {
    if constexpr (sizeof(typename Pair::out) == Bytes) {
      if (function.apply != Pair::row.apply) return false;
      use(Pair());
      return true;
    }
    return false;
  }
};
using all_casts = cast_list<element_pair<float, bfloat16>, element_pair<bfloat16, float>
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
                            ,
                            element_pair<float, float16>, element_pair<float16, float>
#endif
                            >;
constexpr cast_function const* casts = all_casts::rows;
constexpr int cast_count = static_cast<int>(std::size(all_casts::rows));

#else

constexpr cast_function const* casts = nullptr;
constexpr int cast_count = 0;

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
