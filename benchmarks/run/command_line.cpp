// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "run/command_line.hpp"

#include "types/cast.hpp"

#include <CLI/CLI.hpp>

#include <iterator>
#include <memory>

namespace xpose::bench {

void add_round_options(CLI::App& command, bench_settings& settings) {
  command
      .add_option("--peers", settings.peers,
                  "all, python (those called from Python), none, self (xpose again), or a list")
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
  command.add_option("--csv", settings.csv_file, "write a table");
}

namespace {

void add_timing_options(CLI::App& command, bench_settings& settings) {
  command.add_option("--policy", settings.policies, "where xpose runs: seq, omp, cuda (a list)")
      ->delimiter(',')
      ->check(CLI::IsMember({"seq", "omp", "cuda"}))
      ->default_val(std::vector<std::string>{"omp"});
  command.add_option("--threads", settings.threads, "of omp and its peers; 0: all cores")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  add_round_options(command, settings);
  command.add_flag("--store", settings.stores,
                   "refuse to run unless what was built is a commit: its file is one to keep");
  command.add_option("--compare", settings.compare_file,
                     "an earlier run's JSON file: say what got slower since");
}

struct sub_command {
  CLI::App& command;
  bench_settings& settings;
};

void add_case_options(sub_command const& to, std::string const& grammar) {
  auto& [command, settings] = to;
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

void add_batch_option(sub_command const& to) {
  auto& [command, settings] = to;
  command
      .add_option("--batch", settings.batch, "matrices in a batch, for shapes without their own")
      ->check(CLI::Range(1ll, 1ll << 40))
      ->capture_default_str();
}

void add_cast_option(sub_command const& to) {
  auto& [command, settings] = to;
  command
      .add_option("--cast", settings.casts,
                  "a list of FROM:TO, two of f16, bf16, f32, f64: elements change their type")
      ->delimiter(',')
      ->check([](std::string const& word) {
        return is_cast(word) ? std::string() : "expected FROM:TO, as f32:bf16";
      });
}

sub_command add_operation(CLI::App& app, std::string const& name, std::string const& what,
                          settings_taker const& take) {
  auto const settings = std::make_shared<bench_settings>();
  settings->operation = name;
  CLI::App* const command = app.add_subcommand(name, what);
  add_timing_options(*command, *settings);
  command->callback([settings, take] { take(*settings); });
  return {*command, *settings};
}

}  // namespace

void add_operations(CLI::App& app, settings_taker const& take) {
  std::string const copy_grammar = "[BATCH*]ROWSxCOLS[:ld=IN[/OUT]][:offset=N]";
  auto const transpose = add_operation(app, "transpose", "out = in transposed", take);
  add_case_options(transpose, copy_grammar);
  add_batch_option(transpose);
  add_cast_option(transpose);
  transpose.command.add_flag("--in-place", transpose.settings.in_place,
                             "the matrix changes places with its transpose in its own memory");
  auto const permute =
      add_operation(app, "permute", "out = in with its dimensions in another order", take);
  add_case_options(permute, "EXTENTxEXTENT...:PERMUTATION[:offset=N], as 64x56x48:201");
  auto const add = add_operation(app, "add", "C = 1.5 op(A) - 0.5 op(B)", take);
  add_case_options(add, "ROWSxCOLS[:NT][:ld=A/B/C][:offset=N], N or T for A and B");
  auto const gemm = add_operation(app, "gemm", "C = op(A) op(B)", take);
  add_case_options(gemm, "[BATCH*]MxNxK[:NT][:ld=A/B/C][:offset=N]");
  add_batch_option(gemm);
  gemm.command.add_flag("--planned", gemm.settings.planned,
                        "xpose multiplies by a plan made before: libxsmm and MKL make code before");
  auto const copy = add_operation(app, "copy", "the ceilings: how fast memory is copied", take);
  add_case_options(copy, copy_grammar);
  add_batch_option(copy);
  add_cast_option(copy);
  auto const ladder =
      add_operation(app, "ladder", "kernels of five tutorials, from naive to xpose", take);
  ladder.command
      .add_option("--tables", ladder.settings.types,
                  "a list (see xpose-bench --list); all if not given")
      ->delimiter(',');
  ladder.command.add_option("--shapes", ladder.settings.shapes, "instead of each table's own")
      ->delimiter(',');
  ladder.command.add_flag("--metrics", ladder.settings.with_metrics,
                          "profile each rung with Nsight Compute: throughput and bank conflicts");
}

}  // namespace xpose::bench
