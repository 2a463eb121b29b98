// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "npy/element_types.hpp"

#include "terminal/failure.hpp"

namespace xpose::tools {

using detail::element_type;

std::vector<named_type> const& named_types() {
  // A header spells bf16 and the 8-bit floats as ml_dtypes does.
  static std::vector<named_type> const types = {
      {"bool", "bool", element_type::other, 'b', 1, "'|b1'"},
      {"i1", "int8", element_type::i8, 'i', 1, "'|i1'"},
      {"u1", "uint8", element_type::u8, 'u', 1, "'|u1'"},
      {"i2", "int16", element_type::i16, 'i', 2, "'<i2'"},
      {"u2", "uint16", element_type::u16, 'u', 2, "'<u2'"},
      {"i4", "int32", element_type::i32, 'i', 4, "'<i4'"},
      {"u4", "uint32", element_type::u32, 'u', 4, "'<u4'"},
      {"i8", "int64", element_type::i64, 'i', 8, "'<i8'"},
      {"u8", "uint64", element_type::u64, 'u', 8, "'<u8'"},
      {"f2", "float16", element_type::f16, 'f', 2, "'<f2'"},
      {"bf16", "bfloat16", element_type::bf16, 'V', 2, "'<V2'"},
      {"f4", "float32", element_type::f32, 'f', 4, "'<f4'"},
      {"f8", "float64", element_type::f64, 'f', 8, "'<f8'"},
      {"c8", "complex64", element_type::complex_f32, 'c', 8, "'<c8'"},
      {"c16", "complex128", element_type::complex_f64, 'c', 16, "'<c16'"},
      {"e4m3", "float8_e4m3fn", element_type::e4m3, 'V', 1, "'|V1'"},
      {"e5m2", "float8_e5m2", element_type::e5m2, 'V', 1, "'|V1'"},
  };
  return types;
}

named_type const* find_type(std::string const& name) {
  for (named_type const& type : named_types())
    if (name == type.name || name == type.long_name) return &type;
  return nullptr;
}

named_type const& type_of(element_type element) {
  for (named_type const& type : named_types())
    if (type.element == element) return type;
  throw failure("xpose", "an element type without a name");
}

named_type const* type_of_elements(std::string const& path, npy_header const& header,
                                   std::string const& declared) {
  if (!declared.empty()) {
    named_type const* const type = find_type(declared);
    if (type == nullptr) throw failure("--type", "'", declared, "' is no element type");
    bool const is_raw = header.kind == 'V' || header.kind == 'u';
    if (header.kind == type->kind && header.bytes_per_element == type->bytes) return type;
    if (!is_raw)
      throw failure(path, "dtype ", header.descr, " says what its elements are; --type ", declared,
                    " is for raw ones (V1, V2, ..., and unsigned integers)");
    if (header.bytes_per_element != type->bytes)
      throw failure(path, "dtype ", header.descr, " has elements of ", header.bytes_per_element,
                    " bytes, and --type ", declared, " of ", type->bytes);
    return type;
  }
  for (named_type const& type : named_types())
    if (type.kind != 'V' && type.kind == header.kind && type.bytes == header.bytes_per_element)
      return &type;
  if (header.kind == 'V' && (header.bytes_per_element == 1 || header.bytes_per_element == 2))
    throw failure(path, "dtype ", header.descr, " does not say what its elements are; ",
                  header.bytes_per_element == 2 ? "for bfloat16 give --type bf16"
                                                : "for float8 give --type e4m3 or --type e5m2");
  return nullptr;
}

}  // namespace xpose::tools
