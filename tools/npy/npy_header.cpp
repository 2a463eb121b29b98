// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "npy/npy_header.hpp"

#include "npy/dtype.hpp"
#include "npy/python_literal.hpp"
#include "terminal/failure.hpp"

#include <algorithm>

namespace xpose::tools {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t alignment = 64;
constexpr std::size_t longest_header = 65536;

std::size_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

/// The dict's text, with bytes_before_data and is_utf8 set.
std::string_view find_dict(std::string const& path, std::string_view file, npy_header& header) {
  if (file.empty()) throw failure(path, "the file is empty; expected a .npy file");
  if (file.substr(0, magic.size()) != magic.substr(0, file.size()))
    throw failure(path,
                  "not a .npy file: it does not start with \\x93NUMPY; write it with "
                  "numpy.save");
  std::size_t const bytes_of_prefix = magic.size() + 2;
  auto const require = [&](std::size_t bytes) {
    if (file.size() < bytes)
      throw failure(path, "the header is cut short: it needs ", bytes, " bytes, and the file has ",
                    file.size());
  };
  require(bytes_of_prefix);
  std::size_t const version = byte_at(file, 6);
  if (version < 1 || version > 3 || byte_at(file, 7) != 0)
    throw failure(path, ".npy version ", version, ".", byte_at(file, 7),
                  " is unknown; versions 1.0, 2.0 and 3.0 can be read");
  std::size_t const bytes_of_length = version == 1 ? 2 : 4;
  std::size_t const begin = bytes_of_prefix + bytes_of_length;
  require(begin);
  std::size_t length = 0;
  for (std::size_t b = bytes_of_length; b-- > 0;)
    length = length << 8 | byte_at(file, bytes_of_prefix + b);
  // A hostile header would cost many times its size.
  if (length > longest_header)
    throw failure(path, "the header has ", length, " bytes; up to ", longest_header,
                  " are read: shorten the names of its fields");
  require(begin + length);
  header.is_utf8 = version == 3;
  header.bytes_before_data = begin + length;
  return file.substr(begin, length);
}

void read_shape(npy_header& header, python_literal const& shape) {
  if (shape.is != python_literal::kind::tuple) throw literal_error("shape is not a tuple");
  for (auto const& extent : shape.items) {
    if (extent.is != python_literal::kind::integer)
      throw literal_error("shape holds something that is not an integer");
    header.shape.push_back(extent.number);
  }
  for (index const extent : header.shape)
    if (extent < 0)
      throw literal_error("shape " + shape_text(header.shape) + " has a negative extent");
}

void read_dict(npy_header& header, std::string_view text) {
  python_literal const dict = parse_python_literal(text);
  if (dict.is != python_literal::kind::dict) throw literal_error("it is not a dict");
  auto const find = [&dict](char const* name) -> python_literal const& {
    python_literal const* found = nullptr;
    for (std::size_t i = 0; i < dict.items.size(); i += 2)
      if (dict.items[i].is == python_literal::kind::string && dict.items[i].string == name) {
        if (found != nullptr) throw literal_error(text_of("'", name, "' stands twice"));
        found = &dict.items[i + 1];
      }
    if (found == nullptr) throw literal_error(text_of("'", name, "' is missing"));
    return *found;
  };
  python_literal const& descr = find("descr");
  python_literal const& fortran_order = find("fortran_order");
  python_literal const& shape = find("shape");
  if (dict.items.size() != 6)
    throw literal_error("it has keys beyond 'descr', 'fortran_order' and 'shape'");
  if (fortran_order.is != python_literal::kind::boolean)
    throw literal_error("fortran_order is neither True nor False");
  header.descr = std::string(text.substr(descr.begin, descr.end - descr.begin));
  header.is_fortran_order = fortran_order.truth;
  read_shape(header, shape);
  dtype const type = read_dtype(descr);
  if (type.has_objects) header.kind = 'O';
  else header.kind = type.kind;
  header.bytes_per_element = type.bytes;
  header.is_big_endian = type.is_big_endian;
}

}  // namespace

npy_header read_npy_header(std::string const& path, std::string_view file) {
  npy_header header;
  std::string_view const text = find_dict(path, file, header);
  try {
    read_dict(header, text);
  } catch (literal_error const& error) {
    throw failure(path, "malformed .npy header: ", error.what());
  }
  if (header.kind == 'O')
    throw failure(path, "dtype ", header.descr,
                  " holds Python objects, which only Python can read; convert the array with "
                  "astype to a type of fixed size");
  index bytes = header.bytes_per_element;
  header.elements = 1;
  bool const is_empty =
      std::find(header.shape.begin(), header.shape.end(), index{0}) != header.shape.end();
  if (is_empty) header.elements = bytes = 0;
  else
    for (index const extent : header.shape)
      if (__builtin_mul_overflow(header.elements, extent, &header.elements) ||
          __builtin_mul_overflow(bytes, extent, &bytes))
        throw failure(path, "malformed .npy header: shape ", shape_text(header.shape), " of ",
                      header.bytes_per_element, "-byte elements does not fit 64 bits");
  auto const found = static_cast<index>(file.size() - header.bytes_before_data);
  if (found < bytes)
    throw failure(path, "the data is cut short: shape ", shape_text(header.shape), " of ",
                  header.bytes_per_element, "-byte elements needs ", bytes,
                  " bytes after the header, and the file has ", found);
  return header;
}

std::string shape_text(std::vector<index> const& shape) {
  std::string text = "(";
  for (index const extent : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(extent);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string npy_header_bytes(npy_header const& header) {
  std::string dict = "{'descr': " + header.descr +
                     ", 'fortran_order': " + (header.is_fortran_order ? "True" : "False") +
                     ", 'shape': " + shape_text(header.shape) + ", }";
  bool const is_ascii = std::all_of(header.descr.begin(), header.descr.end(),
                                    [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  auto const padded_length = [&dict](std::size_t bytes_before) {
    std::size_t const bytes = bytes_before + dict.size() + 1;
    return (bytes + alignment - 1) / alignment * alignment - bytes_before;
  };
  // Field names that are not ASCII keep the encoding of the file they come from.
  int version = header.is_utf8 && !is_ascii ? 3 : 1;
  if (version == 1 && padded_length(10) > 65535) version = 2;
  std::size_t const bytes_of_length = version == 1 ? 2 : 4;
  std::size_t const length = padded_length(8 + bytes_of_length);
  dict.resize(length - 1, ' ');

  std::string bytes(magic);
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (std::size_t b = 0; b < bytes_of_length; ++b)
    bytes += static_cast<char>(length >> (8 * b) & 0xff);
  return bytes + dict + '\n';
}

}  // namespace xpose::tools
