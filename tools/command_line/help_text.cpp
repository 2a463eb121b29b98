// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "command_line/description.hpp"

#include <sstream>

namespace xpose::tools {
namespace {

constexpr std::size_t text_column = 26;

/// A name on the left, text on the right, below the name if that is long.
std::string two_columns(std::string const& name, std::string const& text) {
  std::string const right = wrapped(text, text_column);
  std::string const left = "  " + name;
  if (left.size() + 2 > text_column) return left + "\n" + right;
  return left + std::string(text_column - left.size(), ' ') + right.substr(text_column);
}

std::string text_of(option_description const& option) {
  std::string text = option.text;
  if (option.choices.size() <= 6)  // the element types are in the notes
    for (std::size_t i = 0; i < option.choices.size(); ++i)
      text += (i == 0 ? ": " : i + 1 == option.choices.size() ? " or " : ", ") + option.choices[i];
  if (!option.default_value.empty()) text += " [" + option.default_value + "]";
  return text;
}

std::string section(std::string const& title, command_description const& command,
                    bool is_positional) {
  std::string text;
  for (option_description const& option : command.options)
    if (option.is_positional == is_positional) {
      std::string const value =
          option.is_positional || option.value.empty() ? "" : " " + option.value;
      text += two_columns(option.name + value, text_of(option));
    }
  return text.empty() ? "" : "\n" + title + ":\n" + text;
}

}  // namespace

std::string wrapped(std::string const& text, std::size_t indent, std::size_t width) {
  std::string result;
  std::string const margin(indent, ' ');
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == ' ') {
      result += (line.empty() ? line : margin + line) + "\n";
      continue;
    }
    std::istringstream words(line);
    std::string filled = margin;
    for (std::string word; words >> word;) {
      if (filled.size() > indent && filled.size() + 1 + word.size() > width) {
        result += filled + "\n";
        filled = margin;
      }
      filled += (filled.size() > indent ? " " : "") + word;
    }
    result += filled + "\n";
  }
  return result;
}

std::string usage_of(command_description const& command) {
  std::string usage = command.subcommands.empty() ? "[OPTIONS]" : "SUBCOMMAND ...";
  for (option_description const& option : command.options)
    if (option.is_positional)
      usage += " " + (option.is_required ? option.name : "[" + option.name + "]");
  return usage;
}

std::string help_text(command_description const& command, std::string const& parent) {
  std::string const name = parent.empty() ? command.name : parent + " " + command.name;
  std::string text = wrapped(command.text, 0) + "\nUsage: " + name + " " + usage_of(command) + "\n";
  if (!command.subcommands.empty()) text += "\nSubcommands:\n";
  for (command_description const& sub : command.subcommands)
    text += two_columns(sub.name, sub.text);
  text += section("Files", command, true) + section("Options", command, false);
  if (!command.footer.empty()) text += "\n" + wrapped(command.footer, 0);
  return text;
}

}  // namespace xpose::tools
