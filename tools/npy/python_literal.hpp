// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The Python literals that a .npy header is made of: dict, list, tuple, str, bytes, int, True,
// False, None.
#pragma once

#include "terminal/printable.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace xpose::tools {

struct python_literal {
  enum class kind { none, boolean, integer, string, bytes, list, tuple, dict };

  kind is = kind::none;
  bool truth = false;
  std::int64_t number = 0;
  std::string string;
  std::vector<python_literal> items;  // of a dict: key, value, key, value
  std::size_t begin = 0;              // where its own text stands in what was parsed
  std::size_t end = 0;
};

/// What is wrong with a literal, without a full stop.
struct literal_error : std::runtime_error {
  explicit literal_error(std::string_view what) : std::runtime_error(printable(what)) {}
};

/// The one literal that text holds, white space around it allowed. Throws literal_error.
python_literal parse_python_literal(std::string_view text);

}  // namespace xpose::tools
