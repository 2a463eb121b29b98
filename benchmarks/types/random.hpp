// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Random elements from a hash of their position, the same on the host and on a device. Reals are
// uniform in [-1, 1); integers are small enough that sums of 65536 products fit the accumulator.
#pragma once

#include "types/element_kind.hpp"

#include <xpose/float8.hpp>

#include <cstdint>

namespace xpose::bench {

/// Sebastiano Vigna's splitmix64, of position + seed.
XPOSE_HOST_DEVICE inline std::uint64_t hash_of(std::uint64_t position, std::uint64_t seed) {
  std::uint64_t z = (position + 1) * 0x9e3779b97f4a7c15u + seed;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

XPOSE_HOST_DEVICE inline float random_real(std::uint64_t hash) {
  return static_cast<float>(hash >> 40) * 0x1p-23f - 1.0f;
}

template <class T>
struct random_scalar {
  XPOSE_HOST_DEVICE static T make(std::uint64_t hash) { return static_cast<T>(random_real(hash)); }
};
/// All 53 bits of the significand are random. With 24 of them, the rest zeros, cuBLAS's f64
/// products took 0.90 of their time: they draw less power, and an H100 at its limit then clocks
/// higher.
template <>
struct random_scalar<double> {
  XPOSE_HOST_DEVICE static double make(std::uint64_t hash) {
    return static_cast<double>(hash >> 11) * 0x1p-52 - 1.0;
  }
};
template <>
struct random_scalar<std::int8_t> {
  XPOSE_HOST_DEVICE static std::int8_t make(std::uint64_t hash) {
    return static_cast<std::int8_t>(hash >> 56);
  }
};
template <>
struct random_scalar<std::uint8_t> {
  XPOSE_HOST_DEVICE static std::uint8_t make(std::uint64_t hash) {
    return static_cast<std::uint8_t>(hash >> 57);
  }
};
template <>
struct random_scalar<std::int32_t> {
  XPOSE_HOST_DEVICE static std::int32_t make(std::uint64_t hash) {
    return static_cast<std::int32_t>(hash >> 57) - 64;
  }
};
template <>
struct random_scalar<std::int64_t> {
  XPOSE_HOST_DEVICE static std::int64_t make(std::uint64_t hash) {
    return static_cast<std::int64_t>(hash >> 57) - 64;
  }
};
template <>
struct random_scalar<std::uint64_t> {
  XPOSE_HOST_DEVICE static std::uint64_t make(std::uint64_t hash) { return hash; }
};

template <class T>
struct type_tag {
  using type = T;
};

/// Calls f with the type of the scalars that elements of that kind consist of; bytes are filled by
/// words of eight.
template <class F>
void with_scalar_type(element_kind kind, F const& f) {
  switch (kind) {
    case element_kind::bytes:
      return f(type_tag<std::uint64_t>{});
    case element_kind::i8:
      return f(type_tag<std::int8_t>{});
    case element_kind::u8:
      return f(type_tag<std::uint8_t>{});
    case element_kind::i32:
      return f(type_tag<std::int32_t>{});
    case element_kind::i64:
      return f(type_tag<std::int64_t>{});
    case element_kind::e4m3:
      return f(type_tag<float8_e4m3>{});
    case element_kind::e5m2:
      return f(type_tag<float8_e5m2>{});
    case element_kind::f16:
      return f(type_tag<float16>{});
    case element_kind::bf16:
      return f(type_tag<bfloat16>{});
    case element_kind::f32:
    case element_kind::c64:
      return f(type_tag<float>{});
    case element_kind::f64:
    case element_kind::c128:
      return f(type_tag<double>{});
  }
}

}  // namespace xpose::bench
