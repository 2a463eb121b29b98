// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The element types that the compiled library knows by name, and their C++ types.
#pragma once

#include <xpose/detail/complex_value.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// `other` is any type that the library knows by its size only.
enum class element_type : int {
  other,
  i8,
  u8,
  i16,
  u16,
  i32,
  u32,
  i64,
  u64,
  f16,
  bf16,
  f32,
  f64,
  complex_f32,
  complex_f64,
  e4m3,
  e5m2
};

/// The integers that the library knows: not bool, nor __int128, which is integral in GNU dialects.
template <class T>
inline constexpr bool is_plain_integer =
    std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8;

template <class T>
constexpr element_type element_type_of() {
  using K = kernel_type_t<T>;
  if constexpr (std::is_same_v<K, float>) return element_type::f32;
  else if constexpr (std::is_same_v<K, double>) return element_type::f64;
  else if constexpr (std::is_same_v<K, complex_value<float>>) return element_type::complex_f32;
  else if constexpr (std::is_same_v<K, complex_value<double>>) return element_type::complex_f64;
  else if constexpr (std::is_same_v<K, float16>) return element_type::f16;
  else if constexpr (std::is_same_v<K, bfloat16>) return element_type::bf16;
  else if constexpr (std::is_same_v<K, float8_e4m3>) return element_type::e4m3;
  else if constexpr (std::is_same_v<K, float8_e5m2>) return element_type::e5m2;
  else if constexpr (is_plain_integer<K>) {
    constexpr element_type by_size[2][4] = {
        {element_type::u8, element_type::u16, element_type::u32, element_type::u64},
        {element_type::i8, element_type::i16, element_type::i32, element_type::i64}};
    constexpr int log2_bytes = sizeof(K) == 1 ? 0 : sizeof(K) == 2 ? 1 : sizeof(K) == 4 ? 2 : 3;
    return by_size[std::is_signed_v<K>][log2_bytes];
  } else {
    return element_type::other;
  }
}

template <class T>
struct type_tag {
  using type = T;
};

/// Integers by size and sign, so that `long` and `long long` share a type; otherwise the kernel
/// type.
template <class T>
constexpr auto canonical_type() {
  using K = kernel_type_t<T>;
  if constexpr (!is_plain_integer<K>) return type_tag<K>{};
  else if constexpr (sizeof(K) == 1)
    return type_tag<std::conditional_t<std::is_signed_v<K>, std::int8_t, std::uint8_t>>{};
  else if constexpr (sizeof(K) == 2)
    return type_tag<std::conditional_t<std::is_signed_v<K>, std::int16_t, std::uint16_t>>{};
  else if constexpr (sizeof(K) == 4)
    return type_tag<std::conditional_t<std::is_signed_v<K>, std::int32_t, std::uint32_t>>{};
  else return type_tag<std::conditional_t<std::is_signed_v<K>, std::int64_t, std::uint64_t>>{};
}

/// The one C++ type that the kernels of an element type are instantiated with.
template <class T>
using canonical_type_t = typename decltype(canonical_type<T>())::type;

}  // namespace detail
}  // namespace v0
}  // namespace xpose
