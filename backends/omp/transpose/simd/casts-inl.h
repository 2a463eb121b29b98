// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// SIMD casts through float: among the floating-point types, and between those up to float and
// integers of up to 32 bits. Compiled once per instruction set. Other pairs, and elements with gaps
// between them, take what the compiler makes of apply_to_tile (float to bfloat16 with SSE2: 0.40 of
// a copy of as many bytes). Gives the bits of xpose::cast wherever that is defined, NaN included.

#if defined(XPOSE_OMP_CASTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_OMP_CASTS_INL
#undef XPOSE_OMP_CASTS_INL
#else
#define XPOSE_OMP_CASTS_INL
#endif

#include <xpose/backends/omp/runtime/float16-inl.h>
#include <xpose/backends/omp/transpose/simd/registers-inl.h>
#include <xpose/backends/core/problems/element_functions.hpp>
#include <xpose/float16.hpp>
#include <xpose/functional.hpp>

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace xpose {
inline namespace v0 {
namespace detail {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE

using floats = hn::ScalableTag<float>;

/// As many elements as d has lanes, as floats. Exact, but double is rounded as a cast to float is.
template <class D, class In>
HWY_INLINE hn::Vec<D> load_as_float(D d, In const* from) {
  hn::RebindToUnsigned<D> const words;
  hn::RebindToSigned<D> const integers;
  hn::Rebind<std::uint16_t, D> const halves;
  if constexpr (std::is_same_v<In, float>) {
    return hn::LoadU(d, from);
  } else if constexpr (std::is_same_v<In, double>) {
    hn::Half<D> const half;
    hn::Rebind<double, decltype(half)> const wide;
    return hn::Combine(d, hn::DemoteTo(half, hn::LoadU(wide, from + hn::MaxLanes(wide))),
                       hn::DemoteTo(half, hn::LoadU(wide, from)));
  } else if constexpr (std::is_same_v<In, std::int32_t>) {
    return hn::ConvertTo(d, hn::LoadU(integers, from));
  } else if constexpr (std::is_same_v<In, bfloat16>) {
    auto const bits = hn::LoadU(halves, reinterpret_cast<std::uint16_t const*>(from));
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(words, bits)));
  } else if constexpr (std::is_same_v<In, float16>) {
    auto const bits = hn::LoadU(halves, reinterpret_cast<std::uint16_t const*>(from));
    auto const wide = hn::PromoteTo(words, bits);
    auto const magnitude = hn::And(wide, hn::Set(words, 0x7fff));
    auto const sign = hn::ShiftLeft<16>(hn::And(wide, hn::Set(words, 0x8000)));
    auto const payload = hn::ShiftLeft<13>(hn::And(magnitude, hn::Set(words, 0x3ff)));
    auto const nan = hn::Or(hn::Or(sign, hn::Set(words, 0x7f800000)), payload);  // stays signalling
    return hn::IfThenElse(hn::RebindMask(d, hn::Gt(magnitude, hn::Set(words, 0x7c00))),
                          hn::BitCast(d, nan), widen_float16(d, bits));
  } else {
    return hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(hn::Rebind<In, D>(), from)));
  }
}

/// 32-bit words whose upper halves are v rounded to bfloat16.
template <class D>
HWY_INLINE auto rounded_to_upper_half(D, hn::Vec<D> v) {
  hn::RebindToUnsigned<D> const words;
  auto const bits = hn::BitCast(words, v);
  // Round to nearest, ties to even: adds half of the last place kept, less one where that is even.
  auto const is_odd = hn::TestBit(bits, hn::Set(words, 0x10000));
  auto const half = hn::IfThenElse(is_odd, hn::Set(words, 0x8000), hn::Set(words, 0x7fff));
  auto const quiet = hn::Or(bits, hn::Set(words, 0x400000));
  return hn::IfThenElse(hn::RebindMask(words, hn::IsNaN(v)), quiet, hn::Add(bits, half));
}

/// v as elements of Out in as many lanes; the two-byte floats as their bits.
template <class Out, class D>
HWY_INLINE auto cast_floats(D d, hn::Vec<D> v) {
  hn::RebindToUnsigned<D> const words;
  hn::RebindToSigned<D> const integers;
  if constexpr (std::is_same_v<Out, float>) {
    return v;
  } else if constexpr (std::is_same_v<Out, double>) {
    return hn::PromoteTo(hn::Rebind<double, D>(), v);
  } else if constexpr (std::is_same_v<Out, std::int32_t>) {
    return hn::ConvertTo(integers, v);
  } else if constexpr (std::is_same_v<Out, bfloat16>) {
    // Below 2^16: DemoteTo does not saturate.
    auto const result = hn::ShiftRight<16>(rounded_to_upper_half(d, v));
    return hn::DemoteTo(hn::Rebind<std::uint16_t, D>(), hn::BitCast(integers, result));
  } else if constexpr (std::is_same_v<Out, float16>) {
    return hn::BitCast(hn::Rebind<std::uint16_t, D>(),
                       hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), v));
  } else {
    // Truncates without saturation, as x86 converts scalars.
    return hn::TruncateTo(hn::Rebind<std::make_unsigned_t<Out>, D>(),
                          hn::BitCast(words, hn::ConvertTo(integers, v)));
  }
}

/// The vector of floats that one cast takes.
template <class Out>
using cast_tag = std::conditional_t<sizeof(Out) == 8, hn::Half<floats>, floats>;
template <class Out>
inline constexpr index cast_lanes = hn::MaxLanes(cast_tag<Out>());

template <class In, class Out>
HWY_INLINE auto load_cast_part(char const* from) {
  cast_tag<Out> const d;
  return cast_floats<Out>(d, load_as_float(d, reinterpret_cast<In const*>(from)));
}

/// Loads and casts as many elements as a vector of vector_shape<sizeof(Out)> has.
template <class In, class Out>
HWY_INLINE auto load_cast(char const* from) {
  typename vector_shape<sizeof(Out)>::tag const full;
  auto const part = [from](index k) HWY_ATTR {
    return load_cast_part<In, Out>(from + k * cast_lanes<Out> * index{sizeof(In)});
  };
  if constexpr (sizeof(Out) >= 4) {
    return hn::BitCast(full, part(0));
  } else if constexpr (std::is_same_v<Out, bfloat16>) {
    // The fewer instructions per load, the more loads are in flight: 0.85 of memcpy where halves
    // were shifted, narrowed and combined; float16 with its one instruction 0.94.
    auto const bits = [from, full](index k) HWY_ATTR {
      In const* const in = reinterpret_cast<In const*>(from) + k * cast_lanes<Out>;
      return hn::BitCast(full, rounded_to_upper_half(floats(), load_as_float(floats(), in)));
    };
    return hn::ConcatOdd(full, bits(1), bits(0));
  } else if constexpr (sizeof(Out) == 2) {
    return hn::Combine(full, part(1), part(0));
  } else {
    hn::Half<decltype(full)> const half;
    return hn::Combine(full, hn::Combine(half, part(3), part(2)),
                       hn::Combine(half, part(1), part(0)));
  }
}

/// Casts `count` elements, cast_lanes at least, with ordinary stores; the last vector may overlap
/// the one before.
template <class In, class Out>
HWY_INLINE void cast_run(char const* from, char* to, index count) {
  constexpr index lanes = cast_lanes<Out>;
  auto const move = [=](index i) HWY_ATTR {
    auto const v = load_cast_part<In, Out>(from + i * index{sizeof(In)});
    hn::DFromV<decltype(v)> const d;
    hn::StoreU(v, d, reinterpret_cast<hn::TFromD<decltype(d)>*>(to + i * index{sizeof(Out)}));
  };
  for (index i = 0; i + lanes <= count; i += lanes) move(i);
  if (count % lanes != 0) move(count - lanes);
}

template <class In, class Out>
void cast_tile(void const*, function_tile const& given) {
  function_tile t = given;
  bool const is_run = t.in_pitch == t.width * t.in_step && t.to_pitch == t.width * t.to_step;
  if (is_run) {
    t.width *= t.height;
    t.height = 1;
  }
  if (t.in_step == index{sizeof(In)} && t.to_step == index{sizeof(Out)} &&
      t.width >= cast_lanes<Out>) {
    for (index j = 0; j < t.height; ++j)
      cast_run<In, Out>(t.in + j * t.in_pitch, t.to + j * t.to_pitch, t.width);
    return;
  }
  cast<Out> const one_by_one{};
  apply_to_tile<In, Out, cast<Out>>(&one_by_one, t);
}

/// Streaming stores of full aligned cache lines directly from registers. Through scratch, reading
/// and writing memory would alternate.
template <class In, class Out>
void cast_rows_streamed(function_tile const& t) {
  using s = vector_shape<sizeof(Out)>;
  constexpr index in_bytes = sizeof(In);
  constexpr index out_bytes = sizeof(Out);
  for (index j = 0; j < t.height; ++j) {
    char const* const from = t.in + j * t.in_pitch;
    char* const to = t.to + j * t.to_pitch;
    index const offset = line_offset(to);
    if (t.in_step != in_bytes || t.width < s::rows || offset % out_bytes != 0) {
      cast_tile<In, Out>(nullptr, {from, t.in_step, 0, to, out_bytes, 0, t.width, 1});
      continue;
    }
    alignas(64) char ends[cache_line];
    index i = offset == 0 ? 0 : (cache_line - offset) / out_bytes;
    if (i > 0) {
      cast_run<In, Out>(from, ends, s::rows);
      copy_short(ends, to, i * out_bytes);
    }
    for (; i + s::rows <= t.width; i += s::rows)
#pragma GCC unroll 4
      for (index v = i; v < i + s::rows; v += s::columns)
        store<out_bytes, store_mode::streamed>(load_cast<In, Out>(from + v * in_bytes),
                                               to + v * out_bytes);
    if (i < t.width) {
      cast_run<In, Out>(from + (t.width - s::rows) * in_bytes, ends, s::rows);
      copy_short(ends + cache_line - (t.width - i) * out_bytes, to + i * out_bytes,
                 (t.width - i) * out_bytes);
    }
  }
}

/// Whether a cast through float gives what xpose::cast gives. Integers of double that float lacks,
/// and casts between integers, would not survive.
template <class T>
inline constexpr bool is_short_integer = std::is_integral_v<T> && sizeof(T) <= 4 &&
                                         !std::is_same_v<T, std::uint32_t>;
template <class T>
inline constexpr bool is_within_float =
    std::is_same_v<T, float> || std::is_same_v<T, bfloat16> ||
    // From AVX2 on, float16 conversions round as float16.hpp does.
    (std::is_same_v<T, float16>&& HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86);
template <class In, class Out>
inline constexpr bool is_through_float =
    !std::is_same_v<In, Out> &&
    ((is_within_float<In> && (is_within_float<Out> || is_short_integer<Out>)) ||
     (is_short_integer<In> && is_within_float<Out>) ||
     (std::is_same_v<In, double> && is_within_float<Out>) ||
     (is_within_float<In> && std::is_same_v<Out, double>));

template <class... Types>
tile_function find_cast(element_type in, element_type out, type_list<Types...>) {
  tile_function found{};
  auto const try_pair = [&](auto in_tag, auto out_tag) {
    using In = typename decltype(in_tag)::type;
    using Out = typename decltype(out_tag)::type;
    if constexpr (is_through_float<In, Out>)
      if (element_type_of<In>() == in && element_type_of<Out>() == out)
        found = {nullptr, sizeof(In), sizeof(Out), cast_tile<In, Out>, cast_rows_streamed<In, Out>};
  };
  auto const try_all = [&](auto in_tag) { (try_pair(in_tag, type_tag<Types>()), ...); };
  (try_all(type_tag<Types>()), ...);
  return found;
}
inline tile_function cast_of(element_type in, element_type out) {
  return find_cast(in, out, castable_reals());
}

/// The casts that are fused into the loads of a transpose.
template <class InElement, class OutElement>
struct element_pair {
  using in = InElement;
  using out = OutElement;
};
template <class... Pairs>
struct cast_list {
  /// Calls use(element_pair) if the function is one of these casts to elements of so many bytes.
  /// Returns whether it is.
  template <int Bytes, class Use>
  static HWY_INLINE bool with(tile_function const* function, Use const& use) {
    return function != nullptr && (with_pair<Pairs, Bytes>(*function, use) || ...);
  }
  template <int Bytes>
  static bool has(tile_function const* function) {
    return with<Bytes>(function, [](auto) {});
  }

 private:
  template <class Pair, int Bytes, class Use>
  static HWY_INLINE bool with_pair(tile_function const& function, Use const& use) {
    if constexpr (sizeof(typename Pair::out) == Bytes) {
      if (function.apply != cast_tile<typename Pair::in, typename Pair::out>) return false;
      use(Pair());
      return true;
    }
    return false;
  }
};
using loaded_casts = cast_list<element_pair<float, bfloat16>, element_pair<bfloat16, float>,
                               element_pair<double, float>, element_pair<float, double>
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
                               ,
                               element_pair<float, float16>, element_pair<float16, float>
#endif
                               >;

#else

inline tile_function cast_of(element_type, element_type) { return {}; }

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace detail
}  // namespace v0
}  // namespace xpose
HWY_AFTER_NAMESPACE();

#endif
