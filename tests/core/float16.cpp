// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// float16 and bfloat16 against their definition, over every bit pattern and around every rounding
// boundary.

#include <xpose/float16.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

TEST_SUITE_BEGIN("element_types");

namespace {

using xpose::bfloat16;
using xpose::float16;

float16 half_with(unsigned bits) {
  float16 h;
  h.bits = static_cast<std::uint16_t>(bits);
  return h;
}

/// The value of a pattern by the definition of binary16.
double defined_value(unsigned bits) {
  unsigned const exponent = (bits >> 10) & 31;
  double const fraction = bits & 1023;
  double const magnitude = exponent == 0
                               ? std::ldexp(fraction, -24)
                               : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
  return bits & 0x8000u ? -magnitude : magnitude;
}

TEST_CASE("every finite float16 has its defined value and survives the way through float") {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    if (((bits >> 10) & 31) == 31) continue;
    float const value = half_with(bits);
    REQUIRE(static_cast<double>(value) == defined_value(bits));
    REQUIRE(float16(value).bits == bits);
  }
}

TEST_CASE("float16 rounds to nearest, ties to even, at every boundary") {
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    double const low = defined_value(bits);
    double const high = defined_value(bits + 1);
    auto const middle = static_cast<float>((low + high) / 2);
    REQUIRE(float16(middle).bits == (bits % 2 == 0 ? bits : bits + 1));
    REQUIRE(float16(std::nextafter(middle, 0.f)).bits == bits);
    REQUIRE(float16(std::nextafter(middle, 1e9f)).bits == bits + 1);
    REQUIRE(float16(-middle).bits == (0x8000u | (bits % 2 == 0 ? bits : bits + 1)));
  }
}

TEST_CASE("float16 keeps infinities and NaN, and overflows to infinity from 65520 on") {
  float const infinity = std::numeric_limits<float>::infinity();
  CHECK(float16(infinity).bits == 0x7c00);
  CHECK(float16(-infinity).bits == 0xfc00);
  CHECK(float16(65519.99f).bits == 0x7bff);
  CHECK(float16(65520.f).bits == 0x7c00);
  CHECK(float16(1e30f).bits == 0x7c00);
  CHECK(std::isnan(static_cast<float>(float16(std::numeric_limits<float>::quiet_NaN()))));
  CHECK(std::isinf(static_cast<float>(half_with(0x7c00))));
  CHECK(std::isnan(static_cast<float>(half_with(0x7c01))));
  CHECK(float16(-0.f).bits == 0x8000);
  CHECK(float16(1e-30f).bits == 0);
}

TEST_CASE("bfloat16 is the upper half of a float, rounded to nearest even") {
  for (unsigned bits = 0; bits < 0x7f80; ++bits) {
    bfloat16 b;
    b.bits = static_cast<std::uint16_t>(bits);
    REQUIRE(bfloat16(static_cast<float>(b)).bits == bits);
    auto const tie = xpose::detail::bits_as<float>((bits << 16) | 0x8000u);
    REQUIRE(bfloat16(tie).bits == (bits % 2 == 0 ? bits : bits + 1));
    REQUIRE(bfloat16(xpose::detail::bits_as<float>((bits << 16) | 0x7fffu)).bits == bits);
    REQUIRE(bfloat16(xpose::detail::bits_as<float>((bits << 16) | 0x8001u)).bits == bits + 1);
  }
  CHECK(std::isnan(static_cast<float>(bfloat16(std::numeric_limits<float>::quiet_NaN()))));
  CHECK(std::isnan(static_cast<float>(bfloat16(xpose::detail::bits_as<float>(0x7f800001u)))));
}

}  // namespace

TEST_SUITE_END();
