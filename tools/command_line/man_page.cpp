// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "command_line/pages.hpp"

#include <xpose/version.hpp>

#include <algorithm>
#include <sstream>

namespace xpose::tools {
namespace {

/// Text that roff prints as it is: hyphens that can be copied, no line that looks like a request.
std::string escaped(std::string const& text) {
  std::string result;
  bool is_at_line_begin = true;
  for (char const c : text) {
    if (is_at_line_begin && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') result += "\\e";
    else if (c == '-') result += "\\-";
    else result += c;
    is_at_line_begin = c == '\n';
  }
  return result;
}

/// Paragraphs; lines that begin with a blank as examples, one below the other.
std::string paragraphs(std::string const& text) {
  std::istringstream lines(text);
  std::string result;
  bool is_example = false;
  for (std::string line; std::getline(lines, line);) {
    bool const indented = !line.empty() && line.front() == ' ';
    if (indented != is_example) result += indented ? ".RS 2\n.nf\n" : ".fi\n.RE\n";
    is_example = indented;
    if (line.empty()) result += ".PP\n";
    else result += escaped(indented ? line.substr(2) : line) + "\n";
  }
  return result + (is_example ? ".fi\n.RE\n" : "");
}

std::string options_of(command_description const& command) {
  std::string text;
  for (option_description const& option : command.options) {
    text += ".TP\n";
    text += option.is_positional ? "\\fI" + option.name + "\\fR"
                                 : "\\fB" + escaped(option.name) + "\\fR";
    if (!option.is_positional && !option.value.empty()) text += " \\fI" + option.value + "\\fR";
    text += "\n" + escaped(option.text);
    for (std::size_t i = 0; i < option.choices.size(); ++i)
      text += (i == 0                           ? ": "
               : i + 1 == option.choices.size() ? " or "
                                                : ", ") +
              ("\\fB" + escaped(option.choices[i]) + "\\fR");
    if (!option.default_value.empty()) text += ". Default: " + escaped(option.default_value);
    text += ".\n";
  }
  return text;
}

std::string heading(std::string const& name, std::string const& text) {
  std::string title = name;
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  // No date: the page of one version is the same whenever it is built.
  return ".TH " + escaped(title) + " 1 \"\" \"xpose " XPOSE_VERSION "\" \"User Commands\"\n" +
         ".SH NAME\n" + escaped(name) + " \\- " + escaped(text) + "\n";
}

}  // namespace

std::string man_page(command_description const& command) {
  std::string page = heading(command.name, command.text) + ".SH SYNOPSIS\n.B " + command.name +
                     "\n.I SUBCOMMAND\n\\&...\n.SH SUBCOMMANDS\n";
  for (command_description const& sub : command.subcommands)
    page += ".TP\n\\fB" + escaped(command.name + "-" + sub.name) + "\\fR(1)\n" + escaped(sub.text) +
            ".\n";
  std::string see;
  for (std::size_t i = 0; i < command.subcommands.size(); ++i)
    see += ".BR " + escaped(command.name + "-" + command.subcommands[i].name) + " (1)" +
           (i + 1 < command.subcommands.size() ? ",\n" : "\n");
  return page + ".SH OPTIONS\n" + options_of(command) + ".SH NOTES\n" + paragraphs(command.footer) +
         ".SH SEE ALSO\n" + see;
}

std::string man_page(command_description const& command, command_description const& sub) {
  std::string const name = command.name + "-" + sub.name;
  return heading(name, sub.text) + ".SH SYNOPSIS\n.B " + command.name + " " + sub.name + "\n" +
         escaped(usage_of(sub)) + "\n.SH OPTIONS\n" + options_of(sub) +
         (sub.footer.empty() ? "" : ".SH NOTES\n" + paragraphs(sub.footer)) +
         ".SH EXIT STATUS\n0 if done, 1 if the work failed, 2 for a wrong command line.\n" +
         ".SH SEE ALSO\n.BR " + command.name + " (1)\n";
}

}  // namespace xpose::tools
