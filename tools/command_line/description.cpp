// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "command_line/description.hpp"

#include <CLI/CLI.hpp>

#include <sstream>

namespace xpose::tools {
namespace {

std::vector<std::string> split(std::string const& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

option_description describe(CLI::Option const& option) {
  option_description described;
  described.is_positional = option.get_positional();
  described.is_required = option.get_required();
  described.text = option.get_description();
  described.default_value = option.get_default_str();
  described.name = option.get_positional() ? option.get_name(true, false) : option.get_name();
  if (option.get_type_size() == 0) return described;
  // CLI11 writes "POLICY:{omp,cuda}" for a value with choices, and "N:INT in [0 - 4096]".
  std::string const type = option.get_type_name();
  described.value = type.substr(0, type.find(':'));
  std::size_t const begin = type.find(":{");
  if (begin != std::string::npos)
    described.choices = split(type.substr(begin + 2, type.rfind('}') - begin - 2), ',');
  return described;
}

}  // namespace

command_description describe(CLI::App const& app) {
  command_description described;
  described.name = app.get_name();
  described.text = app.get_description();
  described.footer = app.get_footer();
  // As they stand on the command line: files first, and help last.
  std::vector<option_description> options, help;
  for (CLI::Option const* option : app.get_options()) {
    option_description const o = describe(*option);
    (o.is_positional ? described.options : o.name == "--help" ? help : options).push_back(o);
  }
  for (auto const* some : {&options, &help})
    described.options.insert(described.options.end(), some->begin(), some->end());
  for (CLI::App const* sub : app.get_subcommands([](CLI::App const*) { return true; }))
    if (!sub->get_group().empty()) described.subcommands.push_back(describe(*sub));
  return described;
}

}  // namespace xpose::tools
