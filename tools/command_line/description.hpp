// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The command line as plain data, read from CLI11's definitions: what help, man pages and
// completions are written from.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace xpose::tools {

struct option_description {
  std::string name;                  // "--policy", or "IN" of a positional
  std::string value;                 // what stands behind it, "POLICY"; empty for a flag
  std::vector<std::string> choices;  // all values there are; empty: any
  std::string default_value;
  std::string text;
  bool is_positional;
  bool is_required;

  bool takes_file() const { return value == "FILE"; }
};

struct command_description {
  std::string name;  // "transpose"; of the whole command "xpose"
  std::string text;
  std::string footer;  // paragraphs, and examples, whose lines begin with two spaces
  std::vector<option_description> options;
  std::vector<command_description> subcommands;  // those that help lists
};

command_description describe(CLI::App const& app);

/// Breaks text into lines of at most `width` characters, `indent` of them blanks. Lines that begin
/// with a blank stay as they are.
std::string wrapped(std::string const& text, std::size_t indent, std::size_t width = 80);

/// The help of a command, for 80 columns. `parent` is "xpose" for a subcommand.
std::string help_text(command_description const& command, std::string const& parent);

/// "[OPTIONS] IN OUT"
std::string usage_of(command_description const& command);

}  // namespace xpose::tools
