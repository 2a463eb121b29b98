// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "terminal/printable.hpp"

#include <cstdio>

namespace xpose::tools {
namespace {

constexpr std::size_t longest = 8192;

struct code_range {
  std::uint32_t first, last;
};

constexpr code_range unprintable[] = {
    {0x00, 0x1f},      // control characters, ESC among them
    {0x7f, 0x9f},      // DEL; control characters again: terminals take U+009B for ESC [
    {0x61c, 0x61c},    // direction of writing
    {0x200e, 0x200f},  // the same
    {0x2028, 0x202e},  // ends of lines and paragraphs; direction of writing
    {0x2066, 0x2069},  // direction of writing
};

bool is_printable(std::uint32_t code) {
  for (code_range const& range : unprintable)
    if (code >= range.first && code <= range.last) return false;
  return true;
}

/// Bytes of the UTF-8 character at `at`; 0 if there is none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
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

character character_at(std::string_view text, std::size_t at) {
  std::size_t const length = utf8_length(text, at);
  std::uint32_t const first = static_cast<unsigned char>(text[at]);
  if (length == 0) return {1, first, false, false};
  std::uint32_t code = length == 1 ? first : first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3fu);
  return {length, code, true, is_printable(code)};
}

std::string printable(std::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    if (line.size() > longest) return line + " ...";
    character const c = character_at(text, at);
    if (c.is_printable) line.append(text, at, c.bytes);
    else
      for (std::size_t i = 0; i < c.bytes; ++i) {
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\x%02x",
                      static_cast<unsigned>(static_cast<unsigned char>(text[at + i])));
        line += escape;
      }
    at += c.bytes;
  }
  return line;
}

}  // namespace xpose::tools
