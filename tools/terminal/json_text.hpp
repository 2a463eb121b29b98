// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// One JSON object, written member by member.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

namespace xpose::tools {

/// A JSON string, its unprintable characters escaped. Bytes that are not UTF-8 (a file name may
/// hold any) become lone surrogates, as Python's surrogateescape writes them.
std::string json_string(std::string const& text);

class json_object {
 public:
  json_object& add_text(char const* name, std::string const& value) {
    return add_raw(name, json_string(value));
  }
  json_object& add_bool(char const* name, bool value) {
    return add_raw(name, value ? "true" : "false");
  }
  json_object& add_number(char const* name, double value);
  template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
  json_object& add_integer(char const* name, Integer value) {
    return add_raw(name, std::to_string(value));
  }
  template <class Integer>
  json_object& add_integers(char const* name, std::vector<Integer> const& values) {
    std::string text;
    for (auto const value : values) text += (text.empty() ? "" : ", ") + std::to_string(value);
    return add_raw(name, "[" + text + "]");
  }
  json_object& add_object(char const* name, json_object const& value) {
    return add_raw(name, value.text());
  }
  json_object& add_objects(char const* name, std::vector<json_object> const& values);

  /// A value that is JSON already.
  json_object& add_json(char const* name, std::string const& value) { return add_raw(name, value); }
  json_object& add_texts(char const* name, std::vector<std::string> const& values);

  std::string text() const { return "{" + members_ + "}"; }

 private:
  json_object& add_raw(char const* name, std::string const& value);

  std::string members_;
};

}  // namespace xpose::tools
