// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "commands/scalar.hpp"

#include "terminal/failure.hpp"

#include <cerrno>
#include <cinttypes>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

namespace xpose::tools {
namespace {

using detail::element_type;
using detail::semiring_id;

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
T zero_value(semiring_id semiring) {
  if constexpr (std::is_arithmetic_v<T>) {
    if (semiring == semiring_id::min_plus) return min_plus::zero<T>();
    if (semiring == semiring_id::max_plus) return max_plus::zero<T>();
  }
  return T(0);
}

template <class T>
T one_value(semiring_id semiring) {
  bool const is_tropical = semiring == semiring_id::min_plus || semiring == semiring_id::max_plus;
  return is_tropical ? T(0) : T(1);
}

template <class T>
scalar store(T const& value, semiring_id semiring) {
  scalar stored;
  std::memcpy(stored.bytes, &value, sizeof value);
  stored.is_one = value == one_value<T>(semiring);
  stored.is_zero = value == zero_value<T>(semiring);
  return stored;
}

template <class T>
struct is_complex : std::false_type {};
template <class T>
struct is_complex<std::complex<T>> : std::true_type {};

template <class Integer>
Integer read_integer(char const* option, std::string const& text, char const* elements) {
  using widest = std::conditional_t<std::is_signed_v<Integer>, std::intmax_t, std::uintmax_t>;
  char const* rest = text.c_str();
  widest value = 0;
  bool fits = true;
  auto const read = [](char const* from, char** end) -> widest {
    if constexpr (std::is_signed_v<Integer>) return std::strtoimax(from, end, 10);
    else return std::strtoumax(from, end, 10);
  };
  bool const is_integer = take_number(rest, value, fits, read) && *rest == '\0';
  if (!is_integer)
    throw failure(option, "'", text, "' is not an integer, as matrices of ", elements, " need");
  bool const is_negative = text[0] == '-';
  if (!fits || value > static_cast<widest>(std::numeric_limits<Integer>::max()) ||
      (std::is_signed_v<Integer> ? value < static_cast<widest>(std::numeric_limits<Integer>::min())
                                 : is_negative))
    throw failure(option, "'", text, "' does not fit the ", sizeof(Integer) * 8, "-bit ",
                  std::is_signed_v<Integer> ? "" : "unsigned ", "integers in which matrices of ",
                  elements, " are summed");
  return static_cast<Integer>(value);
}

template <class Real>
std::complex<Real> read_numbers(char const* option, std::string const& text, char const* elements) {
  std::complex<Real> value;
  bool fits = true;
  if (!read_complex(text.c_str(), value, fits))
    throw failure(option, "'", text, "' is not a number; write 2, -1.5, 1e3 or, for complex ",
                  "matrices, 1+2j");
  if (!fits)
    throw failure(option, "'", text, "' does not fit the ", sizeof(Real) * 8,
                  "-bit floats in which matrices of ", elements, " are summed");
  return value;
}

template <class T>
T read_value(char const* option, std::string const& text, char const* elements) {
  if constexpr (std::is_integral_v<T>) {
    return read_integer<T>(option, text, elements);
  } else if constexpr (is_complex<T>::value) {
    return read_numbers<typename T::value_type>(option, text, elements);
  } else {
    std::complex<T> const value = read_numbers<T>(option, text, elements);
    if (value.imag() != 0)
      throw failure(option, "'", text, "' is complex, and the matrices (", elements, ") are real");
    return value.real();
  }
}

/// make(T{}) for the C++ type of a scalar.
template <class Make>
scalar with_type(element_type computes_in, Make const& make) {
  switch (computes_in) {
    case element_type::i8:
      return make(std::int8_t());
    case element_type::u8:
      return make(std::uint8_t());
    case element_type::i16:
      return make(std::int16_t());
    case element_type::u16:
      return make(std::uint16_t());
    case element_type::i32:
      return make(std::int32_t());
    case element_type::u32:
      return make(std::uint32_t());
    case element_type::i64:
      return make(std::int64_t());
    case element_type::u64:
      return make(std::uint64_t());
    case element_type::f32:
      return make(float());
    case element_type::f64:
      return make(double());
    case element_type::complex_f32:
      return make(std::complex<float>());
    case element_type::complex_f64:
      return make(std::complex<double>());
    default:
      throw failure("xpose", "no scalars have this element type");
  }
}

}  // namespace

scalar read_scalar(char const* option, std::string const& text, scalar_type const& type) {
  return with_type(type.computes_in, [&](auto example) {
    using T = decltype(example);
    return store(read_value<T>(option, text, type.elements), type.semiring);
  });
}

scalar scalar_one(scalar_type const& type) {
  return with_type(type.computes_in, [&](auto example) {
    return store(one_value<decltype(example)>(type.semiring), type.semiring);
  });
}

scalar scalar_zero(scalar_type const& type) {
  return with_type(type.computes_in, [&](auto example) {
    return store(zero_value<decltype(example)>(type.semiring), type.semiring);
  });
}

}  // namespace xpose::tools
