// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// float16 (IEEE binary16) and bfloat16: two-byte storage types whose arithmetic happens in float.
// Bit-compatible with CUDA's __half and __nv_bfloat16 and with NumPy's float16; no compiler support
// is needed.
#pragma once

#include <xpose/config.hpp>

#include <cstring>

namespace xpose {
inline namespace v0 {
namespace detail {

template <class To, class From>
XPOSE_HOST_DEVICE inline To bits_as(From const& from) noexcept {
  static_assert(sizeof(To) == sizeof(From), "xpose: bits_as keeps the size");
  // Storage and not a To: on a device the constructor of std::complex cannot be called.
  alignas(To) unsigned char bytes[sizeof(To)];
  std::memcpy(bytes, &from, sizeof(To));
  return *reinterpret_cast<To const*>(bytes);
}

/// Round to nearest even; NaN stays NaN (quiet, upper payload bits kept), overflow becomes
/// infinity.
XPOSE_HOST_DEVICE inline std::uint16_t float16_bits(float value) noexcept {
  std::uint32_t const bits = bits_as<std::uint32_t>(value);
  std::uint32_t const sign = (bits >> 16) & 0x8000u;
  std::uint32_t const magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)
    return static_cast<std::uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x3ffu));
#if defined(__CUDA_ARCH__)  // one instruction, the same bits but for NaN
  std::uint16_t rounded_by_device;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(rounded_by_device) : "f"(value));
  return rounded_by_device;
#else
  if (magnitude >= 0x477ff000u)
    return static_cast<std::uint16_t>(sign | 0x7c00u);  // 65520 and up round to infinity
  if (magnitude < 0x38800000u) {  // below 2^-14: a multiple of 2^-24; adding 0.5 lines that up with
                                  // float's last bit
    float const aligned = bits_as<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (bits_as<std::uint32_t>(aligned) - 0x3f000000u));
  }
  std::uint32_t const rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
#endif
}

XPOSE_HOST_DEVICE inline float float16_value(std::uint16_t half) noexcept {
  std::uint32_t const sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  std::uint32_t const magnitude = half & 0x7fffu;
  if (magnitude >= 0x7c00u) return bits_as<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
  return value;
#else
  if (magnitude >= 0x0400u) return bits_as<float>(sign | ((magnitude << 13) + 0x38000000u));
  float const subnormal = static_cast<float>(magnitude) * 5.9604644775390625e-8f;  // 2^-24
  return bits_as<float>(sign | bits_as<std::uint32_t>(subnormal));
#endif
}

XPOSE_HOST_DEVICE inline std::uint16_t bfloat16_bits(float value) noexcept {
  std::uint32_t const bits = bits_as<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace detail

/// IEEE binary16. Converts to float exactly and from float by rounding to nearest even.
struct float16 {
  float16() = default;
  XPOSE_HOST_DEVICE explicit float16(float value) noexcept : bits(detail::float16_bits(value)) {}
  XPOSE_HOST_DEVICE operator float() const noexcept { return detail::float16_value(bits); }
  std::uint16_t bits;
};

/// The upper half of a float. Converts to float exactly and from float by rounding to nearest even.
struct bfloat16 {
  bfloat16() = default;
  XPOSE_HOST_DEVICE explicit bfloat16(float value) noexcept : bits(detail::bfloat16_bits(value)) {}
  XPOSE_HOST_DEVICE operator float() const noexcept {
    return detail::bits_as<float>(static_cast<std::uint32_t>(bits) << 16);
  }
  std::uint16_t bits;
};

}  // namespace v0
}  // namespace xpose
