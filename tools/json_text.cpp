// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "json_text.hpp"

#include <cstdio>

namespace xpose::tools {
namespace {

/// Bytes of the UTF-8 character at `at`; 0 if there is none.
std::size_t utf8_length(std::string const& text, std::size_t at) {
  auto const byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned const first = byte(at);
  std::size_t const length = first < 0x80                    ? 1
                             : first >= 0xc2 && first < 0xe0 ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (byte(at + i) >> 6 != 2) return 0;
  if (length < 3) return length;
  unsigned const second = byte(at + 1);
  bool const is_malformed = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                            (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
  return is_malformed ? 0 : length;
}

}  // namespace

std::string json_string(std::string const& text) {
  std::string quoted = "\"";
  char escape[8];
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const length = utf8_length(text, at);
    auto const byte = static_cast<unsigned>(static_cast<unsigned char>(text[at]));
    if (length == 0 || byte < 0x20) {
      std::snprintf(escape, sizeof escape, "\\u%04x", length == 0 ? 0xdc00u + byte : byte);
      quoted += escape;
      ++at;
      continue;
    }
    if (text[at] == '"' || text[at] == '\\') quoted += '\\';
    quoted.append(text, at, length);
    at += length;
  }
  return quoted + '"';
}

json_object& json_object::add_number(char const* name, double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return add_raw(name, text);
}

json_object& json_object::add_objects(char const* name, std::vector<json_object> const& values) {
  std::string text;
  for (auto const& value : values) text += (text.empty() ? "" : ", ") + value.text();
  return add_raw(name, "[" + text + "]");
}

json_object& json_object::add_raw(char const* name, std::string const& value) {
  members_ += (members_.empty() ? "" : ", ") + json_string(name) + ": " + value;
  return *this;
}

}  // namespace xpose::tools
