// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "run/logged_calls.hpp"

#include "run/command_line.hpp"
#include "run/jobs.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace xpose::bench {
namespace {

constexpr char const* not_replayable = "# not replayable: ";
constexpr char const* comment = " #";

/// "  # calls 12, seconds 0.5; ..." behind a line: of one call where it is missing.
void read_weight(std::string const& text, logged_calls& what) {
  what.calls = 1;
  what.seconds = 0;
  long long calls = 0;
  double seconds = 0;
  if (std::sscanf(text.c_str(), " # calls %lld, seconds %lf", &calls, &seconds) != 2) return;
  if (calls < 1 || !(seconds >= 0)) throw std::invalid_argument("no count of calls: " + text);
  what.calls = calls;
  what.seconds = seconds;
}

bench_settings parse_settings(std::vector<std::string> words) {
  CLI::App app;
  std::optional<bench_settings> settings;
  add_operations(app, [&](bench_settings const& parsed) { settings = parsed; });
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app.parse(words);
  } catch (CLI::ParseError const& error) {
    throw std::invalid_argument(error.what());
  }
  if (!settings || settings->operation == "ladder")
    throw std::invalid_argument("expected transpose, copy, permute, add or gemm");
  adopt_suite(*settings);
  return *settings;
}

/// Nothing for a comment.
std::optional<logged_calls> read_line(std::string const& line) {
  auto const begin = line.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return std::nullopt;
  bool const is_comment = line[begin] == '#';
  bool const has_calls =
      line.compare(begin, std::string(not_replayable).size(), not_replayable) == 0;
  if (is_comment && !has_calls) return std::nullopt;
  auto const end = line.find(comment, begin + 1);
  logged_calls read{};
  read.is_replayable = !is_comment;
  read_weight(end == std::string::npos ? "" : line.substr(end), read);
  std::istringstream stream(line.substr(begin, end == std::string::npos ? end : end - begin));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  if (!is_comment && words[0] != "xpose-bench")
    throw std::invalid_argument("expected a command line of xpose-bench or a comment");
  words.erase(words.begin(), words.begin() + (is_comment ? 3 : 1));
  for (auto const& word : words) read.text += (read.text.empty() ? "" : " ") + word;
  if (is_comment) return read;
  read.settings = parse_settings(words);
  job_list const list = make_jobs(read.settings);
  if (!list.problems.empty()) throw std::invalid_argument(list.problems[0]);
  if (list.jobs.size() != 1)
    throw std::invalid_argument("a line is one case, and this one has " +
                                std::to_string(list.jobs.size()));
  read.what = list.jobs[0];
  return read;
}

}  // namespace

std::vector<logged_calls> read_call_logs(std::vector<std::string> const& files) {
  std::vector<logged_calls> all;
  for (auto const& file : files) {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error(file + ": cannot be read");
    int number = 0;
    for (std::string line; std::getline(stream, line);) {
      ++number;
      try {
        auto const read = read_line(line);
        if (!read) continue;
        auto const known = std::find_if(all.begin(), all.end(), [&](logged_calls const& other) {
          return other.text == read->text && other.is_replayable == read->is_replayable;
        });
        if (known == all.end()) {
          all.push_back(*read);
          continue;
        }
        known->calls += read->calls;
        known->seconds += read->seconds;
      } catch (std::invalid_argument const& error) {
        throw std::runtime_error(file + ":" + std::to_string(number) + ": " + error.what());
      }
    }
  }
  return all;
}

}  // namespace xpose::bench
