// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "terminal/json_text.hpp"

#include "terminal/printable.hpp"

#include <cstdio>

namespace xpose::tools {
std::string json_string(std::string const& text) {
  std::string quoted = "\"";
  char escape[8];
  for (std::size_t at = 0; at < text.size();) {
    character const c = character_at(text, at);
    if (c.is_printable) {
      if (text[at] == '"' || text[at] == '\\') quoted += '\\';
      quoted.append(text, at, c.bytes);
    } else {
      // Nothing unprintable lies beyond U+FFFF, which would take two of these.
      std::snprintf(escape, sizeof escape, "\\u%04x",
                    static_cast<unsigned>(c.is_utf8 ? c.code : 0xdc00 + c.code));
      quoted += escape;
    }
    at += c.bytes;
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

json_object& json_object::add_texts(char const* name, std::vector<std::string> const& values) {
  std::string text;
  for (auto const& value : values) text += (text.empty() ? "" : ", ") + json_string(value);
  return add_raw(name, "[" + text + "]");
}

json_object& json_object::add_raw(char const* name, std::string const& value) {
  members_ += (members_.empty() ? "" : ", ") + json_string(name) + ": " + value;
  return *this;
}

}  // namespace xpose::tools
