// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "command_line/pages.hpp"

namespace xpose::tools {
namespace {

std::string joined(std::vector<std::string> const& words) {
  std::string text;
  for (std::string const& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> names_of(std::vector<command_description> const& commands) {
  std::vector<std::string> names;
  for (auto const& command : commands) names.push_back(command.name);
  return names;
}

std::vector<std::string> options_of(command_description const& command) {
  std::vector<std::string> names;
  for (auto const& option : command.options)
    if (!option.is_positional) names.push_back(option.name);
  return names;
}

/// Values of the positionals, if they are no files.
std::vector<std::string> words_of(command_description const& command) {
  for (auto const& option : command.options)
    if (option.is_positional && !option.choices.empty()) return option.choices;
  return {};
}

bool takes_files(command_description const& command) {
  for (auto const& option : command.options)
    if (option.is_positional && option.takes_file()) return true;
  return false;
}

/// In single quotes, for all three shells.
std::string quoted(std::string const& text) {
  std::string result = "'";
  for (char const c : text) {
    if (c == '\'') result += "'\\''";
    else result += c;
  }
  return result + "'";
}

std::string bash_cases_of_values(command_description const& command) {
  std::string cases;
  for (auto const& sub : command.subcommands)
    for (auto const& option : sub.options) {
      if (option.is_positional || option.value.empty()) continue;
      std::string const reply =
          option.takes_file() ? "_xpose_files \"$cur\"; return"
          : option.choices.empty()
              ? "return"
              : "_xpose_words " + quoted(joined(option.choices)) + " \"$cur\"; return";
      cases += "    " + sub.name + ":" + option.name + ") " + reply + " ;;\n";
    }
  return cases;
}

}  // namespace

std::string bash_completion(command_description const& command) {
  std::string cases;
  for (auto const& sub : command.subcommands) {
    cases += "    " + sub.name + ")\n      if [[ $cur == -* ]]; then _xpose_words " +
             quoted(joined(options_of(sub))) + " \"$cur\"\n";
    if (takes_files(sub)) cases += "      else _xpose_files \"$cur\"\n";
    else if (!words_of(sub).empty())
      cases += "      else _xpose_words " + quoted(joined(words_of(sub))) + " \"$cur\"\n";
    cases += "      fi ;;\n";
  }
  std::vector<std::string> first = names_of(command.subcommands);
  for (auto const& option : options_of(command)) first.push_back(option);
  return R"(# bash completion for xpose. Written by "xpose completion bash".
_xpose_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2"); }

_xpose_files() {
  compopt -o filenames
  mapfile -t COMPREPLY < <(compgen -f -X '!*.npy' -- "$1"; compgen -d -- "$1")
}

_xpose() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  # bash takes --option=value apart at the sign.
  if [[ $cur == = ]]; then cur=
  elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    _xpose_words )" +
         quoted(joined(first)) + R"( "$cur"
    return
  fi
  case ${COMP_WORDS[1]}:$prev in
)" + bash_cases_of_values(command) +
         "  esac\n  case ${COMP_WORDS[1]} in\n" + cases + "  esac\n}\ncomplete -F _xpose xpose\n";
}

std::string zsh_completion(command_description const& command) {
  std::string text = R"(#compdef xpose
# Written by "xpose completion zsh".
_xpose() {
  if (( CURRENT == 2 )); then
    local -a subcommands=(
)";
  for (auto const& sub : command.subcommands)
    text += "      " + quoted(sub.name + ":" + sub.text) + "\n";
  text +=
      "    )\n    _describe subcommand subcommands\n    return\n  fi\n"
      "  local subcommand=$words[2]\n"
      "  shift words\n  (( CURRENT-- ))\n  case $subcommand in\n";
  for (auto const& sub : command.subcommands) {
    text += "    " + sub.name + ") _arguments";
    for (auto const& option : sub.options) {
      std::string const values = option.takes_file()      ? ":_files -g \"*.npy(-.)\""
                                 : option.choices.empty() ? ": "
                                                          : ":(" + joined(option.choices) + ")";
      if (option.is_positional) text += " \\\n      " + quoted(":" + option.name + values);
      else
        text += " \\\n      " + quoted(option.name + (option.value.empty() ? "" : "=")) +
                quoted("[" + option.text + "]") +
                (option.value.empty() ? "" : quoted(":" + option.value + values));
    }
    text += " ;;\n";
  }
  return text + "  esac\n}\n_xpose \"$@\"\n";
}

std::string fish_completion(command_description const& command) {
  std::string text = "# Written by \"xpose completion fish\".\ncomplete -c xpose -f\n";
  for (auto const& sub : command.subcommands) {
    text += "complete -c xpose -n __fish_use_subcommand -a " + sub.name + " -d " +
            quoted(sub.text) + "\n";
    std::string const here = "complete -c xpose -n '__fish_seen_subcommand_from " + sub.name + "'";
    if (takes_files(sub)) text += here + " -F\n";
    if (!words_of(sub).empty()) text += here + " -a " + quoted(joined(words_of(sub))) + "\n";
    for (auto const& option : sub.options) {
      if (option.is_positional) continue;
      text += here + " -l " + option.name.substr(2) + " -d " + quoted(option.text);
      if (option.takes_file()) text += " -r -F";
      else if (!option.choices.empty()) text += " -x -a " + quoted(joined(option.choices));
      else if (!option.value.empty()) text += " -x";
      text += "\n";
    }
  }
  return text;
}

}  // namespace xpose::tools
