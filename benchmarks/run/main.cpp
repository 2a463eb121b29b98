// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose-bench: parses the command line and turns every failure into one line and an exit code.

#include "compare/compare.hpp"
#include "compare/summary.hpp"
#include "operations/ladder.hpp"
#include "run/command_line.hpp"
#include "run/replay.hpp"
#include "run/run.hpp"

#include <xpose/config.hpp>

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>

namespace xpose::bench {
namespace {

constexpr char const* exit_codes =
    "Exit codes: 0 done, 1 something was refused, failed or computed wrongly (a line says what), "
    "2 wrong command line, 3 a comparison found cases that got slower.";

/// Where a sub-command's settings and the work to do meet.
using chosen_work = std::function<int()>;

void add_replay(CLI::App& app, chosen_work& work, std::string const& typed) {
  CLI::App* const command =
      app.add_subcommand("replay", "times the calls that a program logged, XPOSE_LOG=bench:FILE");
  auto const files = std::make_shared<std::vector<std::string>>();
  auto const settings = std::make_shared<bench_settings>();
  command->add_option("logs", *files, "what it wrote; of several processes together")->required();
  add_round_options(*command, *settings);
  command->callback([=, &work] { work = [=] { return replay(*settings, *files, typed); }; });
}

void add_report(CLI::App& app, chosen_work& work) {
  CLI::App* const command = app.add_subcommand("report", "a page of figures from result files");
  auto const files = std::make_shared<std::vector<std::string>>();
  auto const output = std::make_shared<std::string>("report.html");
  auto const figures = std::make_shared<std::string>();
  command->add_option("results", *files, "JSON files of runs")->required();
  command->add_option("-o,--output", *output, "the page: one HTML file")->capture_default_str();
  command->add_option("--figures", *figures, "a folder to write the figures to, as SVG files");
  command->callback([=, &work] {
    work = [=] {
      auto const script =
          std::filesystem::read_symlink("/proc/self/exe").parent_path() / "report" / "report.py";
      std::vector<std::string> words = {XPOSE_BENCH_PYTHON, script.string()};
      words.insert(words.end(), files->begin(), files->end());
      words.insert(words.end(), {"-o", *output});
      if (!figures->empty()) words.insert(words.end(), {"--figures", *figures});
      std::vector<char*> arguments;
      for (auto& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      execvp(arguments[0], arguments.data());
      std::fprintf(stderr, "xpose-bench: cannot start %s\n", arguments[0]);
      return 1;
    };
  });
}

void add_compare(CLI::App& app, chosen_work& work) {
  CLI::App* const command = app.add_subcommand("compare", "what changed between two runs");
  auto const files = std::make_shared<std::vector<std::string>>();
  command->add_option("files", *files, "the earlier and the later JSON file")
      ->required()
      ->expected(2);
  command->callback([files, &work] {
    work = [files] {
      return compare_runs(read_results(files->at(0)), read_results(files->at(1))) > 0 ? 3 : 0;
    };
  });
}

void add_summary(CLI::App& app, chosen_work& work) {
  CLI::App* const command =
      app.add_subcommand("summary", "means, tails and the worst cells of random suites");
  auto const files = std::make_shared<std::vector<std::string>>();
  command->add_option("results", *files, "JSON files of runs")->required();
  command->callback([files, &work] {
    work = [files] {
      std::vector<json> all;
      for (auto const& file : *files)
        for (auto& result : read_results(file)) all.push_back(std::move(result));
      print_summary(all);
      return 0;
    };
  });
}

int run_command(int count, char** words) {
  CLI::App app("Times xpose among its peers and against what the hardware allows");
  app.set_version_flag("--version", std::string("xpose-bench ") + XPOSE_VERSION);
  app.footer(exit_codes);
  app.require_subcommand(0, 1);
  bool is_list = false;
  app.add_flag("--list", is_list, "suites, types, tables of the ladder, and peers");
  std::string typed = "xpose-bench";
  for (int w = 1; w < count; ++w) typed += std::string(" ") + words[w];

  chosen_work work;
  add_operations(app, [&](bench_settings const& settings) {
    work = [settings, typed] { return run_bench(settings, typed); };
  });
  add_replay(app, work, typed);
  add_report(app, work);
  add_compare(app, work);
  add_summary(app, work);
  add_rungs_once(app, work);
  try {
    app.parse(count, words);
  } catch (CLI::ParseError const& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::fprintf(stderr, "xpose-bench: %s (see xpose-bench --help)\n", error.what());
    return 2;
  }
  if (is_list) return list_everything();
  if (!work) {
    std::fprintf(stderr, "xpose-bench: no sub-command (see xpose-bench --help)\n");
    return 2;
  }
  return work();
}

}  // namespace
}  // namespace xpose::bench

int main(int count, char** words) {
  try {
    return xpose::bench::run_command(count, words);
  } catch (std::bad_alloc const&) {
    std::fprintf(stderr, "xpose-bench: not enough memory\n");
  } catch (std::exception const& error) {
    std::fprintf(stderr, "xpose-bench: %s\n", error.what());
  }
  return 1;
}
