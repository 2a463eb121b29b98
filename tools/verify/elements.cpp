// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/elements.hpp"

#include <xpose/functional.hpp>

#include <complex>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace xpose::tools {
namespace {

using detail::complex_value;
using detail::element_type;

template <class T>
void store(void* to, std::complex<double> value) {
  T element{};
  if constexpr (std::is_same_v<T, complex_value<float>> || std::is_same_v<T, complex_value<double>>)
    element = T(complex_value<double>(value.real(), value.imag()));
  else element = cast<T>{}(value.real());
  std::memcpy(to, &element, sizeof element);
}

template <class T>
std::complex<double> load(void const* from) {
  T element;
  std::memcpy(&element, from, sizeof element);
  if constexpr (std::is_same_v<T, complex_value<float>> || std::is_same_v<T, complex_value<double>>)
    return {element.re, element.im};
  else return static_cast<double>(element);
}

template <class T>
constexpr element_row row(char const* name, double roundoff) {
  constexpr element_type type = detail::element_type_of<T>();
  return {type,
          name,
          sizeof(T),
          static_cast<int>(alignof(T)),
          std::is_signed_v<T> || roundoff != 0,
          std::is_integral_v<T>,
          type == element_type::complex_f32 || type == element_type::complex_f64,
          roundoff,
          store<T>,
          load<T>};
}

constexpr double of_float = std::numeric_limits<float>::epsilon() / 2;
constexpr double of_double = std::numeric_limits<double>::epsilon() / 2;

constexpr element_row rows[] = {
    row<std::int8_t>("i8", 0),
    row<std::uint8_t>("u8", 0),
    row<std::int16_t>("i16", 0),
    row<std::uint16_t>("u16", 0),
    row<std::int32_t>("i32", 0),
    row<std::uint32_t>("u32", 0),
    row<std::int64_t>("i64", 0),
    row<std::uint64_t>("u64", 0),
    row<float16>("f16", 1.0 / 2048),
    row<bfloat16>("bf16", 1.0 / 256),
    row<float8_e4m3>("e4m3", 1.0 / 16),
    row<float8_e5m2>("e5m2", 1.0 / 8),
    row<float>("f32", of_float),
    row<double>("f64", of_double),
    row<complex_value<float>>("complex f32", of_float),
    row<complex_value<double>>("complex f64", of_double),
};

}  // namespace

element_row const& row_of(element_type type) {
  for (auto const& row : rows)
    if (row.type == type) return row;
  throw std::logic_error("xpose verify: an element type without a row");
}

element_rows all_elements() { return {std::begin(rows), std::end(rows)}; }

}  // namespace xpose::tools
