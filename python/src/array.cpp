// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "array.hpp"

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

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

// DLPack's C interface (dlpack.h 1.2), by which a type tells in nanoseconds what its tensors are.
struct dl_tensor {
  void* data;
  std::int32_t device_type, device_id;
  std::int32_t rank;
  std::uint8_t code, bits;
  std::uint16_t lanes;
  std::int64_t* extents;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct dl_exchange {
  std::uint32_t major, minor;
  dl_exchange* previous;
  void* managed[3];
  int (*describe)(void* object, dl_tensor* out);  // borrows from the object
  void* current_stream;
};

struct dl_type {
  int code, bits;
  xpose_dtype dtype;
};
constexpr dl_type dl_types[] = {{2, 32, XPOSE_F32},  {2, 64, XPOSE_F64}, {2, 16, XPOSE_F16},
                                {4, 16, XPOSE_BF16}, {0, 8, XPOSE_I8},   {0, 16, XPOSE_I16},
                                {0, 32, XPOSE_I32},  {0, 64, XPOSE_I64}, {1, 8, XPOSE_U8},
                                {1, 16, XPOSE_U16},  {1, 32, XPOSE_U32}, {1, 64, XPOSE_U64},
                                {6, 8, XPOSE_BOOL},  {5, 64, XPOSE_C64}, {5, 128, XPOSE_C128},
                                {10, 8, XPOSE_E4M3}, {12, 8, XPOSE_E5M2}};

// Types that are known, kept for good: an address must stay its own. Not their subclasses, of which
// some have no memory.
PyObject* tensor_type = nullptr;
dl_exchange const* exchange_of_tensors = nullptr;
PyObject* cupy_type = nullptr;

bool is_of_type(nb::handle object, PyObject* type) {
  return reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())) == type;
}

bool is_true(nb::handle object, char const* method) {
  return nb::cast<bool>(object.attr(method)());
}

/// dtypes that describe() named: of CuPy, and those of numpy.ndarray that the buffer protocol has
/// no name for, bfloat16 among them, whose elements are read as integers.
struct described_dtype {
  PyObject* dtype;  // kept for good
  xpose_dtype number;
  std::int64_t bytes;
  PyObject* integers;
};
std::vector<described_dtype> described_dtypes;

described_dtype const* described(nb::handle array) {
  nb::object const own = array.attr("dtype");
  for (described_dtype const& known : described_dtypes)
    if (known.dtype == own.ptr()) return &known;
  return nullptr;
}

PyTypeObject* numpy_array_type() {
  static PyObject* const type =
      nb::object(nb::module_::import_("numpy").attr("ndarray")).release().ptr();
  return reinterpret_cast<PyTypeObject*>(type);
}

void remember_dtype(nb::handle object, xpose_dtype number, std::int64_t bytes) {
  bool const is_unnamed = bytes <= 2 && Py_TYPE(object.ptr()) == numpy_array_type();
  if (number == XPOSE_RAW || !(is_unnamed || is_of_type(object, cupy_type)) ||
      described(object) != nullptr)
    return;
  nb::object integers =
      is_unnamed ? nb::module_::import_("numpy").attr("dtype")(bytes == 1 ? "uint8" : "uint16")
                 : nb::none();
  nb::object dtype = object.attr("dtype");
  described_dtypes.push_back({dtype.release().ptr(), number, bytes, integers.release().ptr()});
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
  if (take_tensor(object) || take_cupy(object) || take_unnamed(object) || take_buffer(object))
    return;
  release();
  nb::object const description =
      nb::module_::import_("xpose._arrays").attr("describe")(object, operation, name);
  take_description(nb::cast<nb::tuple>(description));
  remember_dtype(object, dtype, element_bytes);
}

held_array::~held_array() { release(); }

void held_array::release() {
  if (has_buffer_) PyBuffer_Release(&buffer_);
  has_buffer_ = false;
}

bool held_array::take_tensor(nb::handle object) {
  if (exchange_of_tensors == nullptr || !is_of_type(object, tensor_type)) return false;
  dl_tensor t;
  if (exchange_of_tensors->describe(object.ptr(), &t) != 0) {
    PyErr_Clear();
    return false;
  }
  constexpr int host = 1, cuda = 2, cuda_host = 3, cuda_managed = 13;
  bool const is_reached = t.device_type == host || t.device_type == cuda ||
                          t.device_type == cuda_host || t.device_type == cuda_managed;
  if (!is_reached || t.rank > most_dimensions || t.lanes != 1 || t.strides == nullptr ||
      is_true(object, "is_neg"))
    return false;
  dtype = XPOSE_RAW;
  for (dl_type const& known : dl_types)
    if (known.code == t.code && known.bits == t.bits) dtype = known.dtype;
  if (dtype == XPOSE_RAW) return false;
  is_conjugated = is_complex() && is_true(object, "is_conj");
  data = static_cast<char*>(t.data) + t.byte_offset;
  element_bytes = t.bits / 8;
  rank = t.rank;
  for (int d = 0; d < rank; ++d) {
    extents[d] = t.extents[d];
    strides[d] = t.strides[d];
  }
  owner_ = nb::borrow(object);
  return true;
}

bool held_array::take_cupy(nb::handle object) {
  if (!is_of_type(object, cupy_type)) return false;
  described_dtype const* const known = described(object);
  if (known == nullptr) return false;
  nb::tuple const shape = nb::cast<nb::tuple>(object.attr("shape"));
  nb::tuple const steps = nb::cast<nb::tuple>(object.attr("strides"));
  if (shape.size() > static_cast<std::size_t>(most_dimensions)) return false;
  rank = static_cast<int>(shape.size());
  for (int d = 0; d < rank; ++d) {
    std::int64_t const step = nb::cast<std::int64_t>(steps[d]);
    if (step % known->bytes != 0) return false;
    extents[d] = nb::cast<std::int64_t>(shape[d]);
    strides[d] = step / known->bytes;
  }
  data = reinterpret_cast<char*>(nb::cast<std::uintptr_t>(object.attr("data").attr("ptr")));
  dtype = known->number;
  element_bytes = known->bytes;
  owner_ = nb::borrow(object);
  return true;
}

bool held_array::take_unnamed(nb::handle object) {
  if (described_dtypes.empty() || Py_TYPE(object.ptr()) != numpy_array_type()) return false;
  described_dtype const* const known = described(object);
  if (known == nullptr || nb::handle(known->integers).is_none() ||
      !take_buffer(object.attr("view")(nb::handle(known->integers))))
    return false;
  dtype = known->number;
  return true;
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

void know_tensors(nb::handle type) {
  nb::object const capsule = nb::getattr(type, "__dlpack_c_exchange_api__", nb::none());
  if (capsule.is_none()) return;  // before PyTorch 2.10
  auto const* const found =
      static_cast<dl_exchange const*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  if (found == nullptr) PyErr_Clear();
  if (found == nullptr || found->major != 1) return;
  tensor_type = nb::borrow(type).release().ptr();
  exchange_of_tensors = found;
}

void know_cupy(nb::handle type) { cupy_type = nb::borrow(type).release().ptr(); }

void require_writable(array const& out, char const* operation) {
  if (out.is_read_only)
    throw nb::value_error((std::string(operation) + ": out is read-only").c_str());
}

}  // namespace xpose::python
