// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The xpose command: parses the command line and turns every failure into one line and an exit
// code (1: the work failed, 2: the command line is wrong).

#include "command_line/definition.hpp"
#include "command_line/near_miss.hpp"
#include "files/unfinished_file.hpp"
#include "terminal/standard_streams.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <new>
#include <string>

namespace xpose::tools {
namespace {

void print_error(std::string const& text) { print_line(stderr, "xpose: " + text); }

/// What is wrong with the command line, and where its help is.
std::string text_of(CLI::ParseError const& error, CLI::App const& app,
                    std::vector<std::string> const& words) {
  std::string const wrong = explain_wrong_words(describe(app), words);
  if (!wrong.empty()) return wrong;
  std::string text = error.what();
  std::string subcommand;
  for (CLI::App const* used : app.get_subcommands()) subcommand = " " + used->get_name();
  if (!subcommand.empty() && text.find("required") != std::string::npos)
    text = subcommand.substr(1) + ": " + text;
  return text + " (see xpose" + subcommand + " --help)";
}

int run_command(int count, char** words) {
  std::function<int()> run;
  std::shared_ptr<CLI::App> const app = define_command_line(run);
  try {
    app->parse(count, words);
  } catch (CLI::ParseError const& error) {
    if (error.get_exit_code() == 0) return app->exit(error);  // --help, --version
    print_error(text_of(error, *app, {words + 1, words + count}));
    return 2;
  }
  int code = 0;
  if (run) code = run();
  else print_text(app->help());
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    print_error("standard output: cannot be written");
    return 1;
  }
  return code;
}

}  // namespace
}  // namespace xpose::tools

int main(int count, char** words) {
  xpose::tools::open_standard_streams();
  xpose::tools::remove_unfinished_file_at_the_end();
  try {
    return xpose::tools::run_command(count, words);
  } catch (std::bad_alloc const&) {
    xpose::tools::print_error("memory: not enough for this work");
  } catch (std::exception const& error) {
    xpose::tools::print_error(error.what());
  }
  return 1;
}
