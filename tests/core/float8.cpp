// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// float8_e4m3 and float8_e5m2 against their definition, over every bit pattern and around every
// rounding boundary.

#include <xpose/float8.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

TEST_SUITE_BEGIN("element_types");

namespace {

using xpose::float8_e4m3;
using xpose::float8_e5m2;

template <class T>
struct definition;
template <>
struct definition<float8_e4m3> {
  static constexpr int mantissa_bits = 3;
  static constexpr int bias = 7;
  static constexpr unsigned largest = 0x7e;
  static constexpr double greatest_value = 448;
};
template <>
struct definition<float8_e5m2> {
  static constexpr int mantissa_bits = 2;
  static constexpr int bias = 15;
  static constexpr unsigned largest = 0x7b;
  static constexpr double greatest_value = 57344;
};

template <class T>
T with_bits(unsigned bits) {
  T x;
  x.bits = static_cast<std::uint8_t>(bits);
  return x;
}

template <class T>
double defined_value(unsigned bits) {
  using of = definition<T>;
  int const exponent = static_cast<int>((bits & 0x7f) >> of::mantissa_bits);
  int const fraction = static_cast<int>(bits & ((1u << of::mantissa_bits) - 1));
  int const unit = 1 << of::mantissa_bits;
  double const magnitude =
      exponent == 0 ? std::ldexp(fraction, 1 - of::bias - of::mantissa_bits)
                    : std::ldexp(unit + fraction, exponent - of::bias - of::mantissa_bits);
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

TEST_CASE_TEMPLATE("every finite float8 has its defined value and survives the way through float",
                   T, float8_e4m3, float8_e5m2) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    if ((bits & 0x7f) > definition<T>::largest) continue;
    float const value = with_bits<T>(bits);
    CAPTURE(bits);
    CHECK(static_cast<double>(value) == defined_value<T>(bits));
    CHECK(T(value).bits == bits);
  }
  CHECK(defined_value<T>(definition<T>::largest) == definition<T>::greatest_value);
}

TEST_CASE_TEMPLATE("float rounds to the nearest float8, ties to the even one", T, float8_e4m3,
                   float8_e5m2) {
  for (unsigned bits = 0; bits < definition<T>::largest; ++bits)
    for (unsigned const sign : {0u, 0x80u}) {
      CAPTURE(bits);
      float const low = with_bits<T>(sign | bits);
      float const high = with_bits<T>(sign | (bits + 1));
      float const middle = (low + high) / 2;
      unsigned const even = sign | (bits % 2 == 0 ? bits : bits + 1);
      CHECK(T(middle).bits == even);
      CHECK(T(std::nextafter(middle, low)).bits == (sign | bits));
      CHECK(T(std::nextafter(middle, high)).bits == (sign | (bits + 1)));
    }
}

TEST_CASE_TEMPLATE("what is too large for a float8 becomes its largest value", T, float8_e4m3,
                   float8_e5m2) {
  float const most = static_cast<float>(definition<T>::greatest_value);
  for (float const x : {most, std::nextafter(most, 1e9f), 1.06f * most, 2 * most, 3e38f}) {
    CHECK(static_cast<float>(T(x)) == most);
    CHECK(static_cast<float>(T(-x)) == -most);
  }
  CHECK(std::isnan(static_cast<float>(T(std::numeric_limits<float>::quiet_NaN()))));
  CHECK(std::isnan(static_cast<float>(with_bits<T>(0x7f))));
}

TEST_CASE("an infinity stays one in float8_e5m2 and becomes NaN in float8_e4m3, which has none") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  CHECK(static_cast<float>(float8_e5m2(infinity)) == infinity);
  CHECK(static_cast<float>(float8_e5m2(-infinity)) == -infinity);
  CHECK(std::isnan(static_cast<float>(float8_e4m3(infinity))));
}

}  // namespace

TEST_SUITE_END();
