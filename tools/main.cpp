// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The xpose command: parses the command line and turns every failure into one line and an exit
// code (1: the work failed, 2: the command line is wrong).

#include "commands/commands.hpp"
#include "files/unfinished_file.hpp"
#include "terminal/standard_streams.hpp"

#include <xpose/config.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <string>

namespace xpose::tools {
namespace {

constexpr char const* exit_codes =
    "Exit codes: 0 done, 1 failed (one line on standard error says why), 2 wrong command line.";

void print_error(std::string const& text) { print_line(stderr, "xpose: " + text); }

/// An empty name would be an error of the system's without a subject.
CLI::Option* add_file(CLI::App& command, char const* name, std::string& file,
                      char const* description) {
  auto const refuse_empty = [](std::string const& given) {
    return given.empty() ? "the file name is empty" : "";
  };
  return command.add_option(name, file, description)->check(CLI::Validator(refuse_empty, ""));
}

void add_settings(CLI::App& command, run_settings& settings) {
  command
      .add_option("--policy", settings.policy,
                  "where to run; without a CUDA device cuda runs on omp and says so")
      ->check(CLI::IsMember({"automatic", "seq", "omp", "cuda"}))
      ->capture_default_str();
  command.add_option("--threads", settings.threads, "threads of omp; 0: all that OpenMP offers")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command.add_flag("--json", settings.is_json, "print one JSON object instead of one line");
}

void add_info(CLI::App& app, std::function<int()>& run) {
  CLI::App* const command = app.add_subcommand("info", "version and backends of this machine");
  auto const is_json = std::make_shared<bool>(false);
  command->add_flag("--json", *is_json, "print one JSON object");
  command->callback([is_json, &run] { run = [is_json] { return run_info(*is_json); }; });
}

void add_transpose(CLI::App& app, std::function<int()>& run) {
  CLI::App* const command = app.add_subcommand(
      "transpose",
      "out = transpose of a matrix (2-D), or of each matrix of a batch (3-D: swapaxes(1, 2))");
  auto const arguments = std::make_shared<transpose_arguments>();
  add_file(*command, "in", arguments->input, ".npy file; any dtype of fixed size")->required();
  add_file(*command, "out", arguments->output, ".npy file to write; may be the input")->required();
  command->add_option("--order", arguments->order, "memory order of the output")
      ->check(CLI::IsMember({"C", "F"}))
      ->capture_default_str();
  add_settings(*command, arguments->settings);
  command->callback([arguments, &run] { run = [arguments] { return run_transpose(*arguments); }; });
}

void add_gemm(CLI::App& app, std::function<int()>& run) {
  CLI::App* const command = app.add_subcommand(
      "gemm",
      "out = alpha op(A) op(B) + beta C, for f2, f4, f8, c8, c16, i1, u1 (out: i4), i4 and i8");
  auto const arguments = std::make_shared<gemm_arguments>();
  add_file(*command, "a", arguments->a, ".npy file: a matrix, or a batch (3-D)")->required();
  add_file(*command, "b", arguments->b, ".npy file of the same dtype")->required();
  add_file(*command, "out", arguments->output, ".npy file to write; may be an input")->required();
  command->add_option("--alpha", arguments->alpha, "scales op(A) op(B); complex: 1+2j")
      ->capture_default_str();
  command->add_option("--beta", arguments->beta, "scales C; 1 if only --c is given");
  add_file(*command, "--c", arguments->c, ".npy file C, of the output's shape and dtype");
  command->add_flag("--transpose-a", arguments->transpose_a, "use A transposed");
  command->add_flag("--transpose-b", arguments->transpose_b, "use B transposed");
  command->add_flag("--conjugate-a", arguments->conjugate_a, "use A conjugated");
  command->add_flag("--conjugate-b", arguments->conjugate_b, "use B conjugated");
  add_settings(*command, arguments->settings);
  command->callback([arguments, &run] { run = [arguments] { return run_gemm(*arguments); }; });
}

void add_verify(CLI::App& app, std::function<int()>& run) {
  CLI::App* const command = app.add_subcommand(
      "verify", "compare the backends with the reference on random shapes and layouts");
  auto const arguments = std::make_shared<verify_arguments>();
  arguments->settings.policy = "all";
  command->add_option("--policy", arguments->settings.policy, "the backend to verify")
      ->check(CLI::IsMember({"all", "seq", "omp", "cuda"}))
      ->capture_default_str();
  command->add_option("--cases", arguments->cases, "random cases for each row of the table")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "of the random numbers")->capture_default_str();
  command->add_flag("--json", arguments->settings.is_json, "print one JSON object");
  command->callback([arguments, &run] { run = [arguments] { return run_verify(*arguments); }; });
}

int run_command(int count, char** words) {
  CLI::App app("Matrix transpose and multiplication on CUDA, OpenMP and plain C++", "xpose");
  app.set_version_flag("--version", std::string("xpose ") + XPOSE_VERSION);
  app.footer(exit_codes);
  app.require_subcommand(1);
  std::function<int()> run;
  add_info(app, run);
  add_transpose(app, run);
  add_gemm(app, run);
  add_verify(app, run);
  try {
    app.parse(count, words);
  } catch (CLI::ParseError const& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    print_error(std::string(error.what()) + " (see xpose --help)");
    return 2;
  }
  int const code = run();
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
