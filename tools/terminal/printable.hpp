// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Text of files and names of files, made fit for a terminal and for one line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace xpose::tools {

struct character {
  std::size_t bytes;   // at least 1
  std::uint32_t code;  // Unicode's; of a byte that is no UTF-8, the byte
  bool is_utf8;
  bool is_printable;  // moves no cursor, ends no line, turns no direction of writing
};

/// The character that begins at text[at].
character character_at(std::string_view text, std::size_t at);

/// text with each unprintable byte as \xNN, and cut at 8192 bytes, of which a header may have more.
std::string printable(std::string_view text);

}  // namespace xpose::tools
