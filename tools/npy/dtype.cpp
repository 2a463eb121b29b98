// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "npy/dtype.hpp"

#include "terminal/failure.hpp"
#include "terminal/json_text.hpp"

#include <limits>

namespace xpose::tools {
namespace {

using kind = python_literal::kind;

constexpr char const* too_large = "an element of the dtype has 2^31 bytes or more";

struct kind_row {
  char letter;
  char const* sizes;      // the item sizes NumPy knows, each between blanks; null: any
  index bytes_per_count;  // U counts characters of 4 bytes
};

constexpr kind_row kinds[] = {
    {'b', " 1 ", 1},
    {'i', " 1 2 4 8 ", 1},
    {'u', " 1 2 4 8 ", 1},
    {'f', " 2 4 8 10 12 16 ", 1},
    {'c', " 8 16 20 24 32 ", 1},
    {'m', " 8 ", 1},
    {'M', " 8 ", 1},
    {'S', nullptr, 1},
    {'a', nullptr, 1},
    {'U', nullptr, 4},
    {'V', nullptr, 1},
};

index checked_bytes(index count, index bytes) {
  index product = 0;
  if (__builtin_mul_overflow(count, bytes, &product) || product > std::numeric_limits<int>::max())
    throw literal_error(too_large);
  return product;
}

/// "<f8", "|S5", ">U7", "<M8[ns]", "f4".
dtype read_type_string(std::string const& text) {
  auto const refuse = [&text] { throw literal_error("unknown dtype '" + text + "'"); };
  dtype type;
  std::size_t at = 0;
  if (!text.empty() && std::string("<>|=").find(text[0]) != std::string::npos)
    type.is_big_endian = text[at++] == '>';
  if (at >= text.size()) refuse();
  type.kind = text[at++];
  if (type.kind == 'O') {
    type.has_objects = true;
    return type;
  }
  std::size_t const first_digit = at;
  index count = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    count = checked_bytes(count * 10 + (text[at] - '0'), 1);
  std::string const digits = text.substr(first_digit, at - first_digit);
  std::string const unit = text.substr(at);
  bool const is_time = type.kind == 'm' || type.kind == 'M';
  if (!unit.empty() && !(is_time && unit.front() == '[' && unit.back() == ']')) refuse();

  for (kind_row const& row : kinds) {
    if (row.letter != type.kind) continue;
    if (row.sizes != nullptr &&
        (digits.empty() || std::string(row.sizes).find(' ' + digits + ' ') == std::string::npos))
      refuse();
    type.bytes = checked_bytes(count, row.bytes_per_count);
    return type;
  }
  refuse();
  return type;
}

index elements_of_subarray(python_literal const& shape) {
  if (shape.is == kind::integer && shape.number >= 0) return shape.number;
  if (shape.is != kind::tuple) throw literal_error("a field's shape is not a tuple of extents");
  index elements = 1;
  for (auto const& extent : shape.items) {
    if (extent.is != kind::integer || extent.number < 0)
      throw literal_error("a field's shape is not a tuple of extents");
    elements = checked_bytes(elements, extent.number);
  }
  return elements;
}

void add_field(dtype& whole, python_literal const& field) {
  if (field.is != kind::tuple || field.items.size() < 2 || field.items.size() > 3)
    throw literal_error("a field of the dtype is not (name, type) or (name, type, shape)");
  python_literal const& name = field.items[0];
  // (title, name): a title may be anything.
  bool const has_title =
      name.is == kind::tuple && name.items.size() == 2 && name.items[1].is == kind::string;
  if (name.is != kind::string && !has_title)
    throw literal_error("a field of the dtype has no name");
  dtype const part = read_dtype(field.items[1]);
  index const count = field.items.size() == 3 ? elements_of_subarray(field.items[2]) : 1;
  whole.bytes = checked_bytes(whole.bytes + checked_bytes(count, part.bytes), 1);
  whole.has_objects = whole.has_objects || part.has_objects;
}

/// Names in headers of versions 1 and 2 are Latin-1.
std::string utf8_of(std::string const& name, bool is_utf8) {
  if (is_utf8) return name;
  std::string text;
  for (char const c : name) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte < 0x80) text += c;
    else
      text.append({static_cast<char>(0xc0 | byte >> 6), static_cast<char>(0x80 | (byte & 0x3f))});
  }
  return text;
}

std::string json_of(python_literal const& descr, bool is_utf8);

/// A field's format: its type, or "(2, 3)<f4" for an array of them.
std::string json_of_field(python_literal const& field, bool is_utf8) {
  if (field.items.size() == 2) return json_of(field.items[1], is_utf8);
  index const count = elements_of_subarray(field.items[2]);
  python_literal const& type = field.items[1];
  if (type.is != kind::string)
    return json_string("V" + std::to_string(count * read_dtype(type).bytes));
  std::string shape;
  if (field.items[2].is == kind::integer) shape = std::to_string(field.items[2].number) + ",";
  for (auto const& extent : field.items[2].items) shape += std::to_string(extent.number) + ",";
  return json_string("(" + shape + ")" + type.string);
}

std::string json_of(python_literal const& descr, bool is_utf8) {
  if (descr.is == kind::string) return json_string(descr.string);
  if (descr.is != kind::list) return json_string("V" + std::to_string(read_dtype(descr).bytes));
  std::vector<std::string> names;
  std::vector<index> offsets;
  std::string formats;
  index offset = 0;
  for (auto const& field : descr.items) {
    python_literal const& name = field.items[0];
    index const count = field.items.size() == 3 ? elements_of_subarray(field.items[2]) : 1;
    index const begin = offset;
    offset += count * read_dtype(field.items[1]).bytes;
    std::string const& text = name.is == kind::tuple ? name.items[1].string : name.string;
    if (text.empty()) continue;  // padding
    names.push_back(utf8_of(text, is_utf8));
    offsets.push_back(begin);
    formats += (formats.empty() ? "" : ", ") + json_of_field(field, is_utf8);
  }
  return json_object()
      .add_texts("names", names)
      .add_json("formats", "[" + formats + "]")
      .add_integers("offsets", offsets)
      .add_integer("itemsize", offset)
      .text();
}

}  // namespace

std::string json_dtype(std::string const& descr, bool is_utf8) {
  return json_of(parse_python_literal(descr), is_utf8);
}

dtype read_dtype(python_literal const& descr) {
  if (descr.is == kind::string) return read_type_string(descr.string);
  dtype whole;
  if (descr.is == kind::list) {
    for (auto const& field : descr.items) add_field(whole, field);
    return whole;
  }
  if (descr.is == kind::tuple && descr.items.size() == 2) {  // (type, shape)
    whole = read_dtype(descr.items[0]);
    whole.kind = '\0';
    whole.bytes = checked_bytes(whole.bytes, elements_of_subarray(descr.items[1]));
    return whole;
  }
  throw literal_error("descr is neither a string nor a list of fields");
}

}  // namespace xpose::tools
