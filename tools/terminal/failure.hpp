// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What ends the command: one line that names the file or argument, what is wrong and what to do.
// Printable at once: std::runtime_error would cut it at a zero byte.
#pragma once

#include "terminal/printable.hpp"

#include <sstream>
#include <stdexcept>
#include <string>

namespace xpose::tools {

template <class... Parts>
std::string text_of(Parts const&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

class failure : public std::runtime_error {
 public:
  template <class... Parts>
  explicit failure(std::string const& subject, Parts const&... what)
      : std::runtime_error(printable(text_of(subject, ": ", what...))) {}
};

}  // namespace xpose::tools
