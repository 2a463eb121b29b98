// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/core/tuning/tuning_file.hpp>

#include <xpose/backends/core/message.hpp>
#include <xpose/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <limits>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

constexpr char const* digits = "0123456789";

/// Where the JSON number that begins at text[at] ends; `at` if there is none.
std::size_t end_of_number(std::string const& text, std::size_t at) {
  auto const skip_digits = [&](std::size_t from) {
    return std::min(text.find_first_not_of(digits, from), text.size());
  };
  std::size_t const first = at + (text[at] == '-' ? 1 : 0);
  std::size_t end = skip_digits(first);
  if (end == first || (end > first + 1 && text[first] == '0')) return at;
  if (end < text.size() && text[end] == '.') {
    std::size_t const fraction = skip_digits(end + 1);
    if (fraction == end + 1) return at;
    end = fraction;
  }
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    std::size_t const sign = text.find_first_of("+-", end + 1) == end + 1 ? end + 2 : end + 1;
    std::size_t const exponent = skip_digits(sign);
    if (exponent == sign) return at;
    end = exponent;
  }
  return end;
}

/// The value of a JSON number. Streams would hide a lack of memory as a wrong number, and strtod()
/// reads as the program's locale writes.
double value_of_number(std::string const& text) {
  double value = 0;
  std::size_t at = text[0] == '-' ? 1 : 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    value = 10 * value + (text[at] - '0');
  if (at < text.size() && text[at] == '.') {
    double unit = 1;
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      value += (unit /= 10) * (text[at] - '0');
  }
  if (at < text.size()) value *= std::pow(10., std::atoi(text.c_str() + at + 1));
  return text[0] == '-' ? -value : value;
}

bool is_number(std::string const& text) {
  return !text.empty() && end_of_number(text, 0) == text.size();
}

std::string quoted(std::string const& text) {
  std::string result = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}

struct member {
  std::string name;
  std::string value;
};

/// A strict reader of one flat object: no nesting, no escapes but \" and \\, each name once.
class object_reader {
 public:
  explicit object_reader(std::string const& text) : text_(text) {}

  std::vector<member> read() {
    expect('{', "'{' is expected");
    if (next() == '}') ++at_;
    else read_members();
    if (next() != '\0' || at_ < text_.size()) fail("something stands behind the object");
    return std::move(members_);
  }

 private:
  void read_members() {
    for (;;) {
      std::string name = read_string();
      for (member const& before : members_)
        if (before.name == name) fail(message('"', name, "\" is there twice"));
      expect(':', "':' is expected");
      members_.push_back({std::move(name), next() == '"' ? read_string() : read_number()});
      if (next() != ',') break;
      ++at_;
    }
    expect('}', "',' or '}' is expected");
  }

  /// The next character that is no blank; 0 at the end.
  char next() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  void expect(char wanted, char const* otherwise) {
    if (next() != wanted) fail(otherwise);
    ++at_;
  }

  std::string read_string() {
    expect('"', "a string in double quotes is expected");
    std::string result;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (static_cast<unsigned char>(text_[at_]) < ' ') fail("a string does not end in its line");
      if (text_[at_] == '\\') {
        ++at_;
        if (at_ == text_.size() || (text_[at_] != '"' && text_[at_] != '\\'))
          fail("a string has an escape other than \\\" and \\\\");
      }
      result += text_[at_];
    }
    if (at_ == text_.size()) fail("the file ends within a string");
    ++at_;
    return result;
  }

  std::string read_number() {
    std::size_t const end = at_ < text_.size() ? end_of_number(text_, at_) : at_;
    if (end == at_) fail("a number or a string is expected");
    std::string const number = text_.substr(at_, end - at_);
    at_ = end;
    return number;
  }

  [[noreturn]] void fail(std::string const& what) const {
    auto const end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size()));
    refuse<backend_error>("line ", 1 + std::count(text_.begin(), end, '\n'), ": ", what);
  }

  std::string const& text_;
  std::size_t at_ = 0;
  std::vector<member> members_;
};

/// The value of the member, which must be there. Takes it from the list.
std::string take(std::vector<member>& members, std::string const& name) {
  auto const found =
      std::find_if(members.begin(), members.end(), [&](member const& m) { return m.name == name; });
  if (found == members.end()) refuse<backend_error>('"', name, "\" is missing");
  std::string value = std::move(found->value);
  members.erase(found);
  return value;
}

double take_number(std::vector<member>& members, std::string const& name) {
  return number_of({name, take(members, name), {}}, 0, 1e9);
}

}  // namespace

double number_of(tuned_setting const& setting, double least, double most) {
  double const number = is_number(setting.value) ? value_of_number(setting.value)
                                                 : std::numeric_limits<double>::quiet_NaN();
  if (!(number >= least && number <= most))
    refuse<backend_error>(std::setprecision(15), '"', setting.name, "\" is ", setting.value,
                          ", and must be a number from ", least, " to ", most);
  return number;
}

std::string text_of(tuning_file const& tuning) {
  auto const value_of = [](std::string const& value) {
    return is_number(value) ? value : quoted(value);
  };
  std::string text = message(
      "{\n  \"xpose_tuning\": ", tuning.format, ",\n  \"version\": ", quoted(tuning.version),
      ",\n  \"backend\": ", quoted(tuning.backend), ",\n  \"device\": ", quoted(tuning.device));
  for (tuned_setting const& s : tuning.settings)
    text += message(",\n  ", quoted(s.name), ": ", value_of(s.value), ",\n  ",
                    quoted(s.name + ".built_in"), ": ", value_of(s.built_in), ",\n  ",
                    quoted(s.name + ".gain"), ": ", s.gain);
  return text + "\n}\n";
}

tuning_file parse_tuning(std::string const& text) {
  std::vector<member> members = object_reader(text).read();
  tuning_file tuning;
  tuning.format = static_cast<int>(take_number(members, "xpose_tuning"));
  if (tuning.format != tuning_file::known_format) return tuning;
  tuning.version = take(members, "version");
  tuning.backend = take(members, "backend");
  tuning.device = take(members, "device");
  while (!members.empty()) {
    tuned_setting setting;
    setting.name = members.front().name;
    setting.value = take(members, setting.name);
    setting.built_in = take(members, setting.name + ".built_in");
    setting.gain = take_number(members, setting.name + ".gain");
    tuning.settings.push_back(std::move(setting));
  }
  return tuning;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
