// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// float8_e4m3 and float8_e5m2: one-byte storage types whose arithmetic happens in float. The
// formats of the Open Compute Project's OFP8 (2023): bit-compatible with CUDA's __nv_fp8_e4m3 and
// __nv_fp8_e5m2, and with PyTorch's float8_e4m3fn and float8_e5m2.
#pragma once

#include <xpose/float16.hpp>

#include <type_traits>

namespace xpose {
inline namespace v0 {
namespace detail {

/// What differs between the formats: exponents' biases, float's less the format's; the bits of the
/// largest finite value, and those that an infinity becomes; the smallest subnormal.
struct e4m3_format {
  static constexpr int mantissa_bits = 3;
  static constexpr std::uint32_t bias_from_float = 120;
  static constexpr std::uint32_t largest = 0x7e;
  static constexpr std::uint32_t of_infinity = 0x7f;
  static constexpr float least = 0x1p-9f;
};
struct e5m2_format {
  static constexpr int mantissa_bits = 2;
  static constexpr std::uint32_t bias_from_float = 112;
  static constexpr std::uint32_t largest = 0x7b;
  static constexpr std::uint32_t of_infinity = 0x7c;
  static constexpr float least = 0x1p-16f;
};

template <class Format>
XPOSE_HOST_DEVICE float float8_value(std::uint8_t bits) noexcept {
  std::uint32_t const sign = static_cast<std::uint32_t>(bits & 0x80u) << 24;
  std::uint32_t const magnitude = bits & 0x7fu;
  int const shift = 23 - Format::mantissa_bits;
  if (magnitude > Format::largest)  // an infinity of e5m2, which has no mantissa, or NaN
    return bits_as<float>(sign | 0x7f800000u | (magnitude << shift & 0x7fffffu));
  if (magnitude >> Format::mantissa_bits != 0)
    return bits_as<float>(sign | ((magnitude << shift) + (Format::bias_from_float << 23)));
  return bits_as<float>(sign |
                        bits_as<std::uint32_t>(static_cast<float>(magnitude) * Format::least));
}

template <class Format>
XPOSE_HOST_DEVICE std::uint8_t float8_bits(float value) noexcept {
  std::uint32_t const bits = bits_as<std::uint32_t>(value);
  std::uint32_t const sign = bits >> 24 & 0x80u;
  std::uint32_t const magnitude = bits & 0x7fffffffu;
  int const shift = 23 - Format::mantissa_bits;
  std::uint32_t rounded;
  if (magnitude > 0x7f800000u) {
    rounded = 0x7f;
  } else if (magnitude == 0x7f800000u) {
    rounded = Format::of_infinity;
  } else if (magnitude < (Format::bias_from_float + 1) << 23) {
    // A multiple of `least`; adding 2^23 of it lines that up with float's last bit.
    float const aligner = Format::least * 0x1p23f;
    rounded = bits_as<std::uint32_t>(bits_as<float>(magnitude) + aligner) -
              bits_as<std::uint32_t>(aligner);
  } else {
    std::uint32_t const half = (1u << (shift - 1)) - 1 + (magnitude >> shift & 1u);
    rounded = ((magnitude + half) >> shift) - (Format::bias_from_float << Format::mantissa_bits);
    if (rounded > Format::largest) rounded = Format::largest;
  }
  return static_cast<std::uint8_t>(sign | rounded);
}

}  // namespace detail

/// Four bits of exponent, three of mantissa: up to 448, no infinity. From float: rounded to nearest
/// even; what is too large becomes +-448, an infinity NaN.
struct float8_e4m3 {
  float8_e4m3() = default;
  XPOSE_HOST_DEVICE explicit float8_e4m3(float value) noexcept
      : bits(detail::float8_bits<detail::e4m3_format>(value)) {}
  XPOSE_HOST_DEVICE operator float() const noexcept {
    return detail::float8_value<detail::e4m3_format>(bits);
  }
  std::uint8_t bits;
};

/// Five bits of exponent, two of mantissa: up to 57344. From float: rounded to nearest even; what
/// is too large becomes +-57344, an infinity stays one.
struct float8_e5m2 {
  float8_e5m2() = default;
  XPOSE_HOST_DEVICE explicit float8_e5m2(float value) noexcept
      : bits(detail::float8_bits<detail::e5m2_format>(value)) {}
  XPOSE_HOST_DEVICE operator float() const noexcept {
    return detail::float8_value<detail::e5m2_format>(bits);
  }
  std::uint8_t bits;
};

namespace detail {

template <class T>
inline constexpr bool is_float8 = std::is_same_v<T, float8_e4m3> || std::is_same_v<T, float8_e5m2>;
/// Stored short, calculated in float.
template <class T>
inline constexpr bool is_short_real =
    std::is_same_v<T, float16> || std::is_same_v<T, bfloat16> || is_float8<T>;

}  // namespace detail

}  // namespace v0
}  // namespace xpose
