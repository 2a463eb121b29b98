// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/gemm_types.hpp"

#include "terminal/failure.hpp"

#include <cerrno>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

namespace xpose::tools {
namespace {

using detail::element_type;

constexpr gemm_type types[] = {
    {"f2", 'f', 2, element_type::f16, 'f', 2, element_type::f16, "'<f2'", element_type::f32},
    {"f4", 'f', 4, element_type::f32, 'f', 4, element_type::f32, "'<f4'", element_type::f32},
    {"f8", 'f', 8, element_type::f64, 'f', 8, element_type::f64, "'<f8'", element_type::f64},
    {"c8", 'c', 8, element_type::complex_f32, 'c', 8, element_type::complex_f32, "'<c8'",
     element_type::complex_f32},
    {"c16", 'c', 16, element_type::complex_f64, 'c', 16, element_type::complex_f64, "'<c16'",
     element_type::complex_f64},
    {"i1", 'i', 1, element_type::i8, 'i', 4, element_type::i32, "'<i4'", element_type::i32},
    {"u1", 'u', 1, element_type::u8, 'i', 4, element_type::i32, "'<i4'", element_type::i32},
    {"i4", 'i', 4, element_type::i32, 'i', 4, element_type::i32, "'<i4'", element_type::i32},
    {"i8", 'i', 8, element_type::i64, 'i', 8, element_type::i64, "'<i8'", element_type::i64},
};

/// The number at the front of text, which moves on behind it. Clears fits if it is beyond what the
/// type holds.
template <class Number, class Read>
bool take_number(char const*& text, Number& number, bool& fits, Read const& read) {
  char* end = nullptr;
  errno = 0;
  number = read(text, &end);
  // ERANGE is said of reals below the normal ones too, which only lose digits.
  if (errno == ERANGE && (std::is_integral_v<Number> || number == 0 || std::isinf(number)))
    fits = false;
  bool const is_read = end != text && *text != ' ';
  text = end;
  return is_read;
}

float read_real(char const* text, char** end, float) { return std::strtof(text, end); }
double read_real(char const* text, char** end, double) { return std::strtod(text, end); }

/// Real part, imaginary part, or both: "2", "2j", "1+2j".
template <class Real>
bool read_complex(char const* text, std::complex<Real>& value, bool& fits) {
  auto const read = [](char const* from, char** end) { return read_real(from, end, Real()); };
  Real first = 0;
  if (!take_number(text, first, fits, read)) return false;
  if (*text == '\0') {
    value = first;
    return true;
  }
  if (std::strcmp(text, "j") == 0) {
    value = {0, first};
    return true;
  }
  Real second = 0;
  if ((*text != '+' && *text != '-') || !take_number(text, second, fits, read)) return false;
  value = {first, second};
  return std::strcmp(text, "j") == 0;
}

template <class T>
gemm_scalar store(T const& value) {
  gemm_scalar scalar{};
  std::memcpy(scalar.bytes, &value, sizeof value);
  scalar.is_one = value == T(1);
  scalar.is_zero = value == T(0);
  return scalar;
}

template <class Integer>
gemm_scalar read_integer(char const* option, std::string const& text, char const* type) {
  char const* at = text.c_str();
  long long value = 0;
  bool fits = true;
  bool const is_read = take_number(
      at, value, fits, [](char const* from, char** end) { return std::strtoll(from, end, 10); });
  if (!is_read || *at != '\0')
    throw failure(option, "'", text, "' is not an integer, as matrices of ", type, " need");
  if (!fits || value > std::numeric_limits<Integer>::max() ||
      value < std::numeric_limits<Integer>::min())
    throw failure(option, "'", text, "' does not fit the ", sizeof(Integer) * 8,
                  "-bit integers in which matrices of ", type, " are summed");
  return store(static_cast<Integer>(value));
}

/// Of type Real or, if the matrices are complex, std::complex<Real>.
template <class Real>
gemm_scalar read_real_or_complex(char const* option, std::string const& text, gemm_type const& type,
                                 bool is_complex) {
  std::complex<Real> value;
  bool fits = true;
  if (!read_complex(text.c_str(), value, fits))
    throw failure(option, "'", text, "' is not a number; write 2, -1.5, 1e3 or, for complex ",
                  "matrices, 1+2j");
  if (!fits)
    throw failure(option, "'", text, "' does not fit the ", sizeof(Real) * 8,
                  "-bit floats in which matrices of ", type.name, " are summed");
  if (is_complex) return store(value);
  if (value.imag() != 0)
    throw failure(option, "'", text, "' is complex, and the matrices (", type.name, ") are real");
  return store(value.real());
}

}  // namespace

gemm_type const& find_gemm_type(std::string const& path, npy_header const& header) {
  for (auto const& type : types)
    if (type.kind == header.kind && type.bytes == header.bytes_per_element) return type;
  std::string names;
  for (auto const& type : types) names += (names.empty() ? "" : ", ") + std::string(type.name);
  throw failure(path, "gemm does not take dtype ", header.descr, "; it takes ", names,
                ": convert with astype");
}

gemm_scalar read_scalar(char const* option, std::string const& text, gemm_type const& type) {
  if (type.accumulate == element_type::i32)
    return read_integer<std::int32_t>(option, text, type.name);
  if (type.accumulate == element_type::i64)
    return read_integer<std::int64_t>(option, text, type.name);
  bool const is_complex = type.kind == 'c';
  if (type.accumulate == element_type::f32 || type.accumulate == element_type::complex_f32)
    return read_real_or_complex<float>(option, text, type, is_complex);
  return read_real_or_complex<double>(option, text, type, is_complex);
}

}  // namespace xpose::tools
