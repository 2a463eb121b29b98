// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "array.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

namespace xpose::python {
namespace {

struct named_format {
  char const* format;
  xpose_dtype dtype;  // 64-bit here: l is what q is
};
constexpr named_format formats[] = {
    {"f", XPOSE_F32},   {"d", XPOSE_F64},  {"e", XPOSE_F16}, {"Zf", XPOSE_C64},
    {"Zd", XPOSE_C128}, {"?", XPOSE_BOOL}, {"b", XPOSE_I8},  {"B", XPOSE_U8},
    {"h", XPOSE_I16},   {"H", XPOSE_U16},  {"i", XPOSE_I32}, {"I", XPOSE_U32},
    {"l", XPOSE_I64},   {"L", XPOSE_U64},  {"q", XPOSE_I64}, {"Q", XPOSE_U64},
};
static_assert(sizeof(long) == 8);

/// XPOSE_RAW for elements that only moves take: foreign byte order, structures, strings.
xpose_dtype dtype_of(char const* format) {
  if (format == nullptr) return XPOSE_U8;
  if (*format == '@' || *format == '=' || *format == '<') ++format;  // little-endian, as here
  for (named_format const& known : formats)
    if (std::strcmp(format, known.format) == 0) return known.dtype;
  return XPOSE_RAW;
}

/// Elements that are references: moving their bits would move no ownership.
bool holds_references(char const* format) {
  if (format == nullptr) return false;
  bool is_name = false;  // of a field, between colons
  for (char const* c = format; *c != '\0'; ++c) {
    if (*c == ':') is_name = !is_name;
    else if (*c == 'O' && !is_name) return true;
  }
  return false;
}

/// A buffer of a date's scalar is one of its bytes.
bool is_numpy_scalar(nb::handle object) {
  static PyObject* const generic =
      nb::object(nb::module_::import_("numpy").attr("generic")).release().ptr();
  return PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(generic));
}

}  // namespace

std::int64_t array::count() const {
  std::int64_t count = 1;
  for (int d = 0; d < rank; ++d) count *= extents[d];
  return count;
}

held_array::held_array(nb::handle object, char const* operation, char const* name) {
  if (take_buffer(object)) return;
  release();
  nb::object const description =
      nb::module_::import_("xpose._arrays").attr("describe")(object, operation, name);
  take_description(nb::cast<nb::tuple>(description));
}

held_array::~held_array() { release(); }

void held_array::release() {
  if (has_buffer_) PyBuffer_Release(&buffer_);
  has_buffer_ = false;
}

bool held_array::take_buffer(nb::handle object) {
  if (!PyObject_CheckBuffer(object.ptr()) || is_numpy_scalar(object)) return false;
  if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_FULL_RO) != 0) {
    PyErr_Clear();
    return false;
  }
  has_buffer_ = true;
  if (buffer_.ndim > most_dimensions || buffer_.suboffsets != nullptr || buffer_.itemsize == 0 ||
      holds_references(buffer_.format))
    return false;
  rank = buffer_.ndim;
  data = static_cast<char*>(buffer_.buf);
  element_bytes = buffer_.itemsize;
  is_read_only = buffer_.readonly != 0;
  dtype = dtype_of(buffer_.format);
  // Exporters owe us shape and strides; NumPy's scalar of a date leaves the strides out.
  if (rank > 0 && buffer_.shape == nullptr) return false;
  std::int64_t packed = element_bytes;
  for (int d = rank - 1; d >= 0; --d) {
    std::int64_t const stride = buffer_.strides != nullptr ? buffer_.strides[d] : packed;
    if (stride % element_bytes != 0 && buffer_.shape[d] > 1) return false;
    extents[d] = buffer_.shape[d];
    strides[d] = stride / element_bytes;
    packed *= extents[d];
  }
  return true;
}

void held_array::take_description(nb::tuple description) {
  nb::tuple const shape = nb::cast<nb::tuple>(description[1]);
  nb::tuple const steps = nb::cast<nb::tuple>(description[2]);
  data = reinterpret_cast<char*>(nb::cast<std::uintptr_t>(description[0]));
  if (shape.size() > static_cast<std::size_t>(most_dimensions))
    throw nb::value_error("xpose: an array of more than 64 dimensions");
  rank = static_cast<int>(shape.size());
  for (int d = 0; d < rank; ++d) {
    extents[d] = nb::cast<std::int64_t>(shape[d]);
    strides[d] = nb::cast<std::int64_t>(steps[d]);
  }
  dtype = static_cast<xpose_dtype>(nb::cast<int>(description[3]));
  element_bytes = nb::cast<std::int64_t>(description[4]);
  is_read_only = nb::cast<bool>(description[5]);
  is_conjugated = nb::cast<bool>(description[6]);
  owner_ = nb::borrow(description[7]);
}

void require_writable(array const& out, char const* operation) {
  if (out.is_read_only)
    throw nb::value_error((std::string(operation) + ": out is read-only").c_str());
}

}  // namespace xpose::python
