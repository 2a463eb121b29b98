// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose-bench: parses the command line and turns every failure into one line and an exit code.

#include "compare/compare.hpp"
#include "compare/summary.hpp"
#include "operations/ladder.hpp"
#include "run/run.hpp"
#include "types/cast.hpp"

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

void add_timing_options(CLI::App& command, bench_settings& settings) {
  command.add_option("--policy", settings.policies, "where xpose runs: seq, omp, cuda (a list)")
      ->delimiter(',')
      ->check(CLI::IsMember({"seq", "omp", "cuda"}))
      ->default_val(std::vector<std::string>{"omp"});
  command.add_option("--threads", settings.threads, "of omp and its peers; 0: all cores")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command.add_option("--peers", settings.peers, "all, none, self (xpose again), or a list")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--seconds", settings.rounds.seconds, "time for all candidates of a case")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--warmup", settings.rounds.warmup, "calls of each before the first round")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_option("--repeat", settings.rounds.repeat, "rounds; 0: until the seconds are used")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command
      .add_option("--longest-call", settings.longest_call,
                  "seconds; what takes longer is timed once, or not begun if its peak says so")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--json", settings.json_file, "write one JSON object a line");
  command.add_flag("--store", settings.stores,
                   "refuse to run unless what was built is a commit: its file is one to keep");
  command.add_option("--csv", settings.csv_file, "write a table");
  command.add_option("--compare", settings.compare_file,
                     "an earlier run's JSON file: say what got slower since");
}

void add_case_options(CLI::App& command, bench_settings& settings, std::string const& grammar) {
  command.add_option("--types", settings.types, "a list (see xpose-bench --list)")->delimiter(',');
  command.add_option("--shapes", settings.shapes, "a list of " + grammar)->delimiter(',');
  command.add_option("--suite", settings.suite, "types and shapes of that name");
  command.add_option("--seed", settings.seed, "of a random suite")->capture_default_str();
  command.add_option("--cases", settings.cases, "of a random suite, for each type")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command.add_option("--case", settings.one_case, "of a random suite: that one alone")
      ->check(CLI::Range(0, 1000000));
  command
      .add_option("--states", settings.states,
                  "where operands are: cold, warm, written (just, by other threads), by-size, or "
                  "sustained: two seconds of each candidate alone (a list)")
      ->delimiter(',')
      ->check(
          CLI::IsMember(std::vector<std::string>(std::begin(state_names), std::end(state_names))));
}

void add_batch_option(CLI::App& command, bench_settings& settings) {
  command
      .add_option("--batch", settings.batch, "matrices in a batch, for shapes without their own")
      ->check(CLI::Range(1ll, 1ll << 40))
      ->capture_default_str();
}

void add_cast_option(CLI::App& command, bench_settings& settings) {
  command
      .add_option("--cast", settings.casts,
                  "a list of FROM:TO, two of f16, bf16, f32, f64: elements change their type")
      ->delimiter(',')
      ->check([](std::string const& word) {
        return is_cast(word) ? std::string() : "expected FROM:TO, as f32:bf16";
      });
}

/// Where a sub-command's settings and the work to do meet.
using chosen_work = std::function<int()>;

bench_settings& add_operation(CLI::App& app, std::string const& name, std::string const& what,
                              CLI::App*& command, std::string const& typed, chosen_work& work) {
  auto const settings = std::make_shared<bench_settings>();
  settings->operation = name;
  command = app.add_subcommand(name, what);
  add_timing_options(*command, *settings);
  command->callback([settings, typed, &work] {
    work = [settings, typed] { return run_bench(*settings, typed); };
  });
  return *settings;
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
  CLI::App* command = nullptr;
  std::string const copy_grammar = "[BATCH*]ROWSxCOLS[:ld=IN[/OUT]][:offset=N]";
  auto& transpose = add_operation(app, "transpose", "out = in transposed", command, typed, work);
  add_case_options(*command, transpose, copy_grammar);
  add_batch_option(*command, transpose);
  add_cast_option(*command, transpose);
  command->add_flag("--in-place", transpose.in_place,
                    "the matrix changes places with its transpose in its own memory");
  auto& permute = add_operation(app, "permute", "out = in with its dimensions in another order",
                                command, typed, work);
  add_case_options(*command, permute, "EXTENTxEXTENT...:PERMUTATION[:offset=N], as 64x56x48:201");
  auto& add = add_operation(app, "add", "C = 1.5 op(A) - 0.5 op(B)", command, typed, work);
  add_case_options(*command, add, "ROWSxCOLS[:NT][:ld=A/B/C][:offset=N], N or T for A and B");
  auto& gemm = add_operation(app, "gemm", "C = op(A) op(B)", command, typed, work);
  add_case_options(*command, gemm, "[BATCH*]MxNxK[:NT][:ld=A/B/C][:offset=N]");
  add_batch_option(*command, gemm);
  auto& copy =
      add_operation(app, "copy", "the ceilings: how fast memory is copied", command, typed, work);
  add_case_options(*command, copy, copy_grammar);
  add_batch_option(*command, copy);
  add_cast_option(*command, copy);
  auto& ladder = add_operation(app, "ladder", "the source material's kernels, from naive to xpose",
                               command, typed, work);
  command->add_option("--tables", ladder.types, "a list (see xpose-bench --list); all if not given")
      ->delimiter(',');
  command->add_option("--shapes", ladder.shapes, "instead of each table's own")->delimiter(',');
  command->add_flag("--metrics", ladder.with_metrics,
                    "profile each rung with Nsight Compute: throughput and bank conflicts");
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
