// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "calls.hpp"

#include <complex>
#include <cstring>
#include <limits>
#include <string>

namespace xpose::python {
namespace {

template <class T>
scalar bytes_of(T value) {
  scalar s{};
  static_assert(sizeof value <= sizeof s.bytes);
  std::memcpy(s.bytes, &value, sizeof value);
  return s;
}

[[noreturn]] void refuse(PyObject* type, std::string const& text) {
  PyErr_SetString(type, text.c_str());
  throw nb::python_error();
}

/// The value of an integer or of what has __index__ (NumPy's integers do).
template <class Integer>
scalar integer_of(nb::handle number, std::string const& what) {
  nb::object const whole = nb::steal(PyNumber_Index(number.ptr()));
  if (!whole.is_valid()) {
    PyErr_Clear();
    refuse(PyExc_TypeError, what + " must be an integer for arrays of integers");
  }
  bool fits;
  Integer value;
  if constexpr (std::numeric_limits<Integer>::is_signed) {
    long long const wide = PyLong_AsLongLong(whole.ptr());
    value = static_cast<Integer>(wide);
    fits = !PyErr_Occurred() && static_cast<long long>(value) == wide;
  } else {
    unsigned long long const wide = PyLong_AsUnsignedLongLong(whole.ptr());
    value = static_cast<Integer>(wide);
    fits = !PyErr_Occurred() && static_cast<unsigned long long>(value) == wide;
  }
  PyErr_Clear();
  if (!fits)
    refuse(PyExc_OverflowError,
           what + " does not fit " + std::to_string(8 * sizeof(Integer)) + " bits");
  return bytes_of(value);
}

template <class Real>
scalar real_of(nb::handle number, std::string const& what) {
  // NumPy's complex scalars convert with a warning, and lose their imaginary part.
  nb::object const imaginary = nb::getattr(number, "imag", nb::none());
  if (!imaginary.is_none() && PyObject_IsTrue(imaginary.ptr()) == 1)
    refuse(PyExc_TypeError, what + " must be a real number for arrays of reals");
  double const value = PyFloat_AsDouble(number.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    refuse(PyExc_TypeError, what + " must be a real number for arrays of reals");
  }
  return bytes_of(static_cast<Real>(value));
}

template <class Real>
scalar complex_of(nb::handle number, std::string const& what) {
  double const real = PyComplex_RealAsDouble(number.ptr());
  double const imaginary = PyErr_Occurred() ? 0 : PyComplex_ImagAsDouble(number.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    refuse(PyExc_TypeError, what + " must be a number");
  }
  return bytes_of(std::complex<Real>(static_cast<Real>(real), static_cast<Real>(imaginary)));
}

}  // namespace

scalar scalar_of(nb::handle number, xpose_dtype type, char const* operation, char const* name) {
  std::string const what = std::string(operation) + ": " + name;
  switch (type) {
    case XPOSE_F32:
      return real_of<float>(number, what);
    case XPOSE_F64:
      return real_of<double>(number, what);
    case XPOSE_C64:
      return complex_of<float>(number, what);
    case XPOSE_C128:
      return complex_of<double>(number, what);
    case XPOSE_I8:
      return integer_of<std::int8_t>(number, what);
    case XPOSE_U8:
      return integer_of<std::uint8_t>(number, what);
    case XPOSE_I16:
      return integer_of<std::int16_t>(number, what);
    case XPOSE_U16:
      return integer_of<std::uint16_t>(number, what);
    case XPOSE_I32:
      return integer_of<std::int32_t>(number, what);
    case XPOSE_U32:
      return integer_of<std::uint32_t>(number, what);
    case XPOSE_I64:
      return integer_of<std::int64_t>(number, what);
    case XPOSE_U64:
      return integer_of<std::uint64_t>(number, what);
    default:
      return {};  // the library refuses the type
  }
}

}  // namespace xpose::python
