// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "npy/python_literal.hpp"

#include "terminal/failure.hpp"

#include <cstring>

namespace xpose::tools {
namespace {

// A header nests as deep as its structured type; a hostile one must not exhaust the stack.
constexpr int deepest = 64;

void append_utf8(std::string& text, std::uint32_t code) {
  auto const byte = [&text](std::uint32_t value) { text += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6);
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  }
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

class parser {
 public:
  explicit parser(std::string_view text) : text_(text) {}

  python_literal whole() {
    python_literal value = any(0);
    skip_space();
    if (at_ != text_.size()) refuse("something follows the closing bracket");
    return value;
  }

 private:
  [[noreturn]] void refuse(char const* what) const {
    throw literal_error(text_of(what, " at character ", at_, " of the header"));
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() {
    while (at_ < text_.size() && std::strchr(" \t\r\n\f", text_[at_]) != nullptr &&
           text_[at_] != '\0')
      ++at_;
  }

  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  python_literal any(int depth) {
    skip_space();
    if (depth > deepest) refuse("brackets are nested too deep");
    if (at_ >= text_.size()) refuse("the text ends where a value should stand");
    python_literal value;
    value.begin = at_;
    char const c = peek();
    if (c == '{') dict(value, depth);
    else if (c == '[') sequence(value, depth, ']');
    else if (c == '(') sequence(value, depth, ')');
    else if (c == '-' || (c >= '0' && c <= '9')) integer(value);
    else if (take_word("True")) set_truth(value, true);
    else if (take_word("False")) set_truth(value, false);
    else if (take_word("None")) value.is = python_literal::kind::none;
    else string(value);
    value.end = at_;
    return value;
  }

  static void set_truth(python_literal& value, bool truth) {
    value.is = python_literal::kind::boolean;
    value.truth = truth;
  }

  void dict(python_literal& value, int depth) {
    value.is = python_literal::kind::dict;
    ++at_;
    while (!take('}')) {
      value.items.push_back(any(depth + 1));
      if (!take(':')) refuse("a ':' is missing after a key");
      value.items.push_back(any(depth + 1));
      if (take(',')) continue;
      if (take('}')) return;
      refuse("a ',' or '}' is missing");
    }
  }

  void sequence(python_literal& value, int depth, char closing) {
    value.is = closing == ']' ? python_literal::kind::list : python_literal::kind::tuple;
    ++at_;
    bool has_comma = false;
    while (!take(closing)) {
      value.items.push_back(any(depth + 1));
      if (take(',')) {
        has_comma = true;
        continue;
      }
      if (!take(closing)) refuse("a ',' or a closing bracket is missing");
      break;
    }
    // Python reads (x) as x.
    if (closing == ')' && value.items.size() == 1 && !has_comma) {
      python_literal only = std::move(value.items[0]);
      std::size_t const begin = value.begin;
      value = std::move(only);
      value.begin = begin;
    }
  }

  void integer(python_literal& value) {
    value.is = python_literal::kind::integer;
    bool const is_negative = peek() == '-';
    if (is_negative) ++at_;
    if (peek() < '0' || peek() > '9') refuse("a number has no digits");
    for (; peek() >= '0' && peek() <= '9'; ++at_)
      if (__builtin_mul_overflow(value.number, std::int64_t{10}, &value.number) ||
          __builtin_sub_overflow(value.number, std::int64_t{peek() - '0'}, &value.number))
        refuse("a number that does not fit 64 bits stands");
    // Gathered below zero, whose range is the larger by one.
    if (!is_negative && __builtin_sub_overflow(std::int64_t{0}, value.number, &value.number))
      refuse("a number that does not fit 64 bits stands");
    if (peek() == 'L') ++at_;  // NumPy on Python 2 wrote (3L, 4L)
  }

  void string(python_literal& value) {
    value.is = peek() == 'b' ? python_literal::kind::bytes : python_literal::kind::string;
    if (peek() == 'u' || peek() == 'b') ++at_;
    char const quote = peek();
    if (quote != '\'' && quote != '"') refuse("a value that is no Python literal stands");
    ++at_;
    while (peek() != quote) {
      if (at_ >= text_.size() || peek() == '\n') refuse("a string does not end");
      if (peek() == '\\') escape(value.string);
      else value.string += text_[at_++];
    }
    ++at_;
  }

  void escape(std::string& text) {
    ++at_;
    char const c = peek();
    constexpr char const* letters = "abfnrtv\\'\"";
    constexpr char const* meanings = "\a\b\f\n\r\t\v\\'\"";
    if (char const* found = c == '\0' ? nullptr : std::strchr(letters, c)) {
      text += meanings[found - letters];
      ++at_;
    } else if (c == 'x' || c == 'u' || c == 'U') {
      ++at_;
      append_utf8(text, digits(c == 'x' ? 2 : c == 'u' ? 4 : 8, 16));
    } else if (c >= '0' && c <= '7') {
      append_utf8(text, digits(0, 8));
    } else {
      refuse("an unknown escape stands");
    }
  }

  /// Exactly count digits; octal: one to three.
  std::uint32_t digits(int count, int base) {
    std::uint32_t code = 0;
    int const most = base == 8 ? 3 : count;
    int taken = 0;
    for (; taken < most && digit_value(peek()) < base; ++taken, ++at_)
      code =
          code * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit_value(peek()));
    if (taken < count || code > 0x10ffff) refuse("a malformed escape stands");
    return code;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

python_literal parse_python_literal(std::string_view text) { return parser(text).whole(); }

}  // namespace xpose::tools
