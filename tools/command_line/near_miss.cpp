// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "command_line/near_miss.hpp"

#include <algorithm>

namespace xpose::tools {
namespace {

/// Letters to insert, delete, replace or swap with their neighbour until a is b.
std::size_t slips_between(std::string const& a, std::string const& b) {
  std::vector<std::vector<std::size_t>> slips(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        slips[i][j] = i + j;
        continue;
      }
      bool const is_same = a[i - 1] == b[j - 1];
      slips[i][j] = std::min(
          {slips[i - 1][j] + 1, slips[i][j - 1] + 1, slips[i - 1][j - 1] + (is_same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        slips[i][j] = std::min(slips[i][j], slips[i - 2][j - 2] + 1);
    }
  return slips[a.size()][b.size()];
}

std::string suggestion(std::string const& word, std::vector<std::string> const& candidates,
                       std::string const& help) {
  std::string const near = nearest(word, candidates);
  return (near.empty() ? "" : "; did you mean " + near + "?") + " (see " + help + ")";
}

}  // namespace

std::string nearest(std::string const& word, std::vector<std::string> const& candidates) {
  std::string best;
  std::size_t fewest = 1 + std::max<std::size_t>(1, std::min(word.size(), std::size_t{12}) / 3);
  for (std::string const& candidate : candidates) {
    // The beginning of a name is a shorter way to write it.
    bool const is_prefix = word.size() > 2 && candidate.compare(0, word.size(), word) == 0;
    std::size_t const slips = is_prefix ? 1 : slips_between(word, candidate);
    if (slips >= fewest) continue;
    fewest = slips;
    best = candidate;
  }
  return best;
}

std::string explain_wrong_words(command_description const& command,
                                std::vector<std::string> const& words) {
  if (words.empty()) return "";
  std::vector<std::string> names;
  for (auto const& sub : command.subcommands) names.push_back(sub.name);
  command_description const* used = &command;
  std::string help = command.name + " --help";
  for (auto const& sub : command.subcommands)
    if (sub.name == words[0]) used = &sub;
  if (used == &command) {
    if (words[0][0] != '-')
      return "there is no subcommand '" + words[0] + "'" + suggestion(words[0], names, help);
  } else {
    help = command.name + " " + used->name + " --help";
  }
  std::vector<std::string> options;
  for (auto const& option : used->options)
    if (!option.is_positional) options.push_back(option.name);
  for (std::string const& word : words) {
    if (word == "--") break;
    std::string const name = word.substr(0, word.find('='));
    bool const is_known = std::find(options.begin(), options.end(), name) != options.end();
    if (word.compare(0, 2, "--") == 0 && !is_known && name != "--help")
      return (used == &command ? "there is" : used->name + " has") + std::string(" no option ") +
             name + suggestion(name, options, help);
  }
  return "";
}

}  // namespace xpose::tools
