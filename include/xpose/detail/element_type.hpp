// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The element types the compiled library knows by name, and how a C++ type maps to one.
#pragma once

#include <xpose/detail/complex_value.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// `other` is any type the library only knows by its size.
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
  complex_f64
};

template <class T>
constexpr element_type element_type_of() {
  using K = kernel_type_t<T>;
  if constexpr (std::is_same_v<K, float>) return element_type::f32;
  else if constexpr (std::is_same_v<K, double>) return element_type::f64;
  else if constexpr (std::is_same_v<K, complex_value<float>>) return element_type::complex_f32;
  else if constexpr (std::is_same_v<K, complex_value<double>>) return element_type::complex_f64;
  else if constexpr (std::is_same_v<K, float16>) return element_type::f16;
  else if constexpr (std::is_same_v<K, bfloat16>) return element_type::bf16;
  else if constexpr (std::is_integral_v<K> && !std::is_same_v<K, bool>) {
    constexpr element_type by_size[2][4] = {
        {element_type::u8, element_type::u16, element_type::u32, element_type::u64},
        {element_type::i8, element_type::i16, element_type::i32, element_type::i64}};
    constexpr int log2_bytes = sizeof(K) == 1 ? 0 : sizeof(K) == 2 ? 1 : sizeof(K) == 4 ? 2 : 3;
    return by_size[std::is_signed_v<K>][log2_bytes];
  } else {
    return element_type::other;
  }
}

/// The one C++ type that kernels are instantiated with for an element type; `long` and `long long`
/// share one.
template <class T, element_type Type = element_type_of<T>()>
struct canonical_type {
  using type = kernel_type_t<T>;
};
template <class T>
struct canonical_type<T, element_type::i8> {
  using type = std::int8_t;
};
template <class T>
struct canonical_type<T, element_type::u8> {
  using type = std::uint8_t;
};
template <class T>
struct canonical_type<T, element_type::i16> {
  using type = std::int16_t;
};
template <class T>
struct canonical_type<T, element_type::u16> {
  using type = std::uint16_t;
};
template <class T>
struct canonical_type<T, element_type::i32> {
  using type = std::int32_t;
};
template <class T>
struct canonical_type<T, element_type::u32> {
  using type = std::uint32_t;
};
template <class T>
struct canonical_type<T, element_type::i64> {
  using type = std::int64_t;
};
template <class T>
struct canonical_type<T, element_type::u64> {
  using type = std::uint64_t;
};

template <class T>
using canonical_type_t = typename canonical_type<std::remove_cv_t<T>>::type;

}  // namespace detail
}  // namespace v0
}  // namespace xpose
