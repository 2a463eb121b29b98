// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "command_line/definition.hpp"

#include "command_line/pages.hpp"
#include "commands/axes.hpp"
#include "commands/commands.hpp"
#include "commands/gemm_types.hpp"
#include "npy/element_types.hpp"
#include "terminal/standard_streams.hpp"

#include <xpose/version.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>

namespace xpose::tools {
namespace {

using run_function = std::function<int()>;

constexpr char const* notes =
    "A file is a .npy file of NumPy's; - is standard input or output.\n\n"
    "Exit codes: 0 done, 1 failed (one line on standard error says why), 2 wrong command line.";

constexpr char const* of_types =
    "Types: bool, i1 u1 i2 u2 i4 u4 i8 u8 (bytes of an integer), f2 f4 f8, c8 c16 (complex), "
    "bf16, e4m3 e5m2 (8-bit floats). NumPy's long names do too: float32.";

CLI::Option* add_file(CLI::App& command, char const* name, std::string& file, char const* text) {
  // An empty name would be an error of the system's without a subject.
  auto const refuse_empty = [](std::string const& given) {
    return given.empty() ? "the file name is empty" : "";
  };
  return command.add_option(name, file, text)
      ->type_name("FILE")
      ->check(CLI::Validator(refuse_empty, ""));
}

CLI::Option* add_choice(CLI::App& command, char const* name, char const* value, std::string& choice,
                        std::vector<std::string> const& choices, char const* text) {
  CLI::Option* const option =
      command.add_option(name, choice, text)->type_name(value)->check(CLI::IsMember(choices));
  if (!choice.empty()) option->default_str(choice);
  return option;
}

CLI::Option* add_type(CLI::App& command, char const* name, std::string& type, char const* text) {
  std::vector<std::string> names;
  for (named_type const& t : named_types()) names.push_back(t.name);
  auto const shorten = [](std::string& given) -> std::string {
    if (named_type const* const known = find_type(given)) given = known->name;
    return "";
  };
  return add_choice(command, name, "TYPE", type, names, text)
      ->transform(CLI::Validator(shorten, ""));
}

void add_settings(CLI::App& command, run_settings& settings) {
  add_choice(command, "--policy", "POLICY", settings.policy,
             {"automatic", "seq", "omp", "cuda", "reference"},
             "where to run; without a CUDA device cuda runs on omp and says so");
  command.add_option("--threads", settings.threads, "threads of omp; 0: all that OpenMP offers")
      ->type_name("N")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command
      .add_option(
          "--memory", settings.memory_bytes,
          "bytes of files in memory at once, such as 8G; half of the machine's for larger ones")
      ->type_name("BYTES")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62));
  command
      .add_option("--device-memory", settings.device_memory_bytes,
                  "bytes of the device's memory that --policy cuda takes, such as 4G; half of it "
                  "at most if not given")
      ->type_name("BYTES")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62));
  command.add_flag("--resume", settings.is_resumable,
                   "keep what is finished if the run ends early, and go on from there");
  command.add_flag("--json", settings.is_json, "print one JSON object instead of one line");
}

template <class Arguments>
void run_with(CLI::App* command, std::shared_ptr<Arguments> arguments, run_function& run,
              int (*work)(Arguments const&)) {
  command->callback([=, &run] { run = [=] { return work(*arguments); }; });
}

void add_info(CLI::App& app, run_function& run) {
  CLI::App* const command = app.add_subcommand(
      "info", "version, machine, backends and build, as reports of bugs need them");
  auto const is_json = std::make_shared<bool>(false);
  command->add_flag("--json", *is_json, "print one JSON object");
  command->callback([is_json, &run] { run = [is_json] { return run_info(*is_json); }; });
}

/// A subcommand with one file in and one out.
CLI::App* add_move(CLI::App& app, char const* name, char const* text, char const* of_input,
                   std::shared_ptr<move_arguments> const& arguments, run_function& run,
                   int (*work)(move_arguments const&)) {
  CLI::App* const command = app.add_subcommand(name, text);
  add_file(*command, "IN", arguments->input, of_input)->required();
  add_file(*command, "OUT", arguments->output, ".npy file to write; may be IN")->required();
  run_with(command, arguments, run, work);
  return command;
}

void finish_move(CLI::App& command, move_arguments& arguments) {
  add_choice(command, "--order", "ORDER", arguments.order, {"C", "F"}, "memory order of OUT");
  add_settings(command, arguments.settings);
}

void add_moves(CLI::App& app, run_function& run) {
  auto arguments = std::make_shared<move_arguments>();
  CLI::App* command = add_move(
      app, "transpose", "transpose a matrix, or each matrix of a batch (3-D: swapaxes(1, 2))",
      ".npy file; any dtype of fixed size", arguments, run, run_transpose);
  finish_move(*command, *arguments);
  command->footer(
      "OUT may be IN: the file is replaced when its transpose is complete.\n\n"
      "Example:\n  xpose transpose in.npy out.npy --policy cuda");

  arguments = std::make_shared<move_arguments>();
  command = add_move(app, "permute", "permute the axes of an array, as numpy.transpose(IN, AXES)",
                     ".npy file of up to 8 dimensions; any dtype of fixed size", arguments, run,
                     run_permute);
  auto const refuse_others = [](std::string const& given) -> std::string {
    std::vector<int> axes;
    return read_axes(given, axes) && !axes.empty() ? ""
                                                   : "'" + given + "' is no list such as 2,0,1";
  };
  command
      ->add_option("--axes", arguments->axes,
                   "axes of IN in the order of OUT, such as 2,0,1; reversed if not given")
      ->type_name("AXES")
      ->check(CLI::Validator(refuse_others, ""));
  finish_move(*command, *arguments);
  command->footer(
      "OUT.shape[k] = IN.shape[AXES[k]]. A negative axis counts from the last.\n\n"
      "Example: images, channels last to channels first\n"
      "  xpose permute nhwc.npy nchw.npy --axes 0,3,1,2");

  arguments = std::make_shared<move_arguments>();
  command = add_move(app, "cast", "convert the elements of an array to another type",
                     ".npy file of up to 8 dimensions", arguments, run, run_cast);
  add_type(*command, "--to", arguments->to, "type of OUT")->required();
  add_type(*command, "--type", arguments->type, "type of raw elements (V2, V1, unsigned) of IN");
  finish_move(*command, *arguments);
  command->footer(std::string(of_types) +
                  "\n\nValues convert as in C++; to f2, bf16, e4m3 and e5m2 they round to nearest "
                  "even, through f4.\n\nExample:\n  xpose cast in.npy out.npy --to bf16");
}

/// Throws for inputs of which two are standard input.
void check_inputs(std::vector<std::string> const& inputs) {
  if (std::count(inputs.begin(), inputs.end(), "-") > 1)
    throw CLI::ValidationError("-", "one input at most can be standard input");
}

/// A and B, their options, and OUT.
void add_operands(CLI::App& command, product_arguments& arguments, char const* of_alpha) {
  add_file(command, "A", arguments.a, ".npy file: a matrix, or a batch (3-D)")->required();
  add_file(command, "B", arguments.b, ".npy file of the same type")->required();
  add_file(command, "OUT", arguments.output, ".npy file to write; may be an input")->required();
  command.add_option("--alpha", arguments.alpha, of_alpha)->type_name("X");
  command.add_option("--beta", arguments.beta)->type_name("X");
  command.add_flag("--transpose-a", arguments.transpose_a, "use A transposed");
  command.add_flag("--transpose-b", arguments.transpose_b, "use B transposed");
  command.add_flag("--conjugate-a", arguments.conjugate_a, "use A conjugated");
  command.add_flag("--conjugate-b", arguments.conjugate_b, "use B conjugated");
  add_type(command, "--type", arguments.type, "type of raw elements (V2, V1, unsigned)");
}

void add_sum(CLI::App& app, run_function& run) {
  CLI::App* const command = app.add_subcommand("add", "OUT = alpha op(A) + beta op(B)");
  auto const arguments = std::make_shared<add_arguments>();
  add_operands(*command, *arguments, "scales op(A), 1 if not given; complex: 1+2j");
  command->get_option("--beta")->description("scales op(B), 1 if not given");
  add_settings(*command, arguments->settings);
  command->footer(std::string(of_types) +
                  " add takes all but bool, e4m3 and e5m2.\n\n"
                  "A single matrix stands for each of a batch.\n\n"
                  "Example: a matrix and its transpose\n"
                  "  xpose add m.npy m.npy sum.npy --transpose-b --alpha 0.5 --beta 0.5");
  command->callback([arguments, &run] {
    check_inputs({arguments->a, arguments->b});
    run = [arguments] { return run_add(*arguments); };
  });
}

void add_gemm(CLI::App& app, run_function& run) {
  CLI::App* const command = app.add_subcommand("gemm", "OUT = alpha op(A) op(B) + beta C");
  auto const arguments = std::make_shared<gemm_arguments>();
  add_operands(*command, *arguments, "scales op(A) op(B), 1 if not given; complex: 1+2j");
  command->get_option("--beta")->description("scales C; 1 if only --c is given");
  add_type(*command, "--type-b", arguments->type_b, "type of raw elements of B, if it is not A's");
  add_file(*command, "--c", arguments->c, ".npy file C, of OUT's shape and type");
  add_type(*command, "--to", arguments->to, "type of OUT, where there is a choice");
  add_choice(*command, "--semiring", "SEMIRING", arguments->semiring, semiring_names(),
             "what adds and multiplies");
  add_choice(*command, "--precision", "PRECISION", arguments->precision,
             {"full", "fast_f32", "tf32", "three_products"},
             "how products are made on cuda: of f4, or, three_products, of c8 and c16");
  add_settings(*command, arguments->settings);
  command->footer(
      std::string(of_types) +
      " gemm takes f2, f4, f8, bf16, c8, c16, i1 and u1 (OUT: i4), i4, i8, e4m3 and e5m2 "
      "(OUT: f4); --to gives f4 of f2 and bf16, and bf16 of e4m3. min_plus and max_plus take f4, "
      "f8, i4 and i8; or_and takes u1 and bool.\n\n"
      "A single matrix stands for each of a batch, as in numpy.matmul.\n\n"
      "Examples:\n"
      "  xpose gemm a.npy b.npy out.npy --alpha 2 --beta -1 --c c.npy --transpose-a\n"
      "  xpose gemm d.npy d.npy two_steps.npy --semiring min_plus");
  command->callback([arguments, &run] {
    check_inputs({arguments->a, arguments->b, arguments->c});
    run = [arguments] { return run_gemm(*arguments); };
  });
}

void add_verify(CLI::App& app, run_function& run) {
  CLI::App* const command = app.add_subcommand(
      "verify", "compare the backends with the reference on random shapes and layouts");
  auto const arguments = std::make_shared<verify_arguments>();
  arguments->settings.policy = "all";
  add_choice(*command, "--policy", "POLICY", arguments->settings.policy,
             {"all", "seq", "omp", "cuda"}, "what to verify; all: what this machine has");
  command->add_option("--cases", arguments->cases, "random cases of each type")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "of the random numbers")
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--all", arguments->shows_all,
                    "a line for each type, with the kernels that ran");
  command->add_flag("--json", arguments->settings.is_json, "print one JSON object");
  command->footer(
      "Runs transpose, copy, permute, casts, conjugate, transpose_inplace, add and gemm, of every "
      "element size or type that the library compiles. Results must have equal bits; gemm of real "
      "numbers must be within its error bound.\n\n"
      "--policy cuda fails without a usable device.");
  run_with(command, arguments, run, run_verify);
}

void add_tune(CLI::App& app, run_function& run) {
  CLI::App* const command =
      app.add_subcommand("tune", "measure this machine, for later calls of xpose on it");
  auto const arguments = std::make_shared<tune_arguments>();
  add_choice(*command, "--policy", "POLICY", arguments->policy, {"all", "omp", "cuda"},
             "what to measure; all: what this machine has");
  command->add_option("--seconds", arguments->seconds, "about so many at most")
      ->type_name("N")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  add_file(*command, "--path", arguments->path,
           "file of one device, or folder; standard: ~/.cache/xpose");
  command->add_flag("--gemm-order", arguments->gemm_order,
                    "on cuda also tune gemm; its sums may be added in another order");
  command->add_flag("--show", arguments->shows, "print what is found there, and measure nothing");
  command->add_flag("--json", arguments->is_json, "print one JSON object");
  command->footer(
      "Writes one file for each device. Programs read it at their first call, if the variable "
      "XPOSE_TUNING is not set, or names the file or its folder; XPOSE_TUNING=off keeps them from "
      "it. A setting differs from the built-in one only if that is 3 % faster, twice in a row. "
      "Results stay the same to the bit, but for gemm on cuda with --gemm-order.\n\n"
      "Nothing else should run meanwhile.\n\n"
      "Examples:\n"
      "  xpose tune\n"
      "  xpose tune --show");
  run_with(command, arguments, run, run_tune);
}

/// help, completion, and man, which writes what is installed.
void add_descriptions(CLI::App& app, run_function& run) {
  std::vector<std::string> names;
  for (CLI::App const* sub : app.get_subcommands([](CLI::App const*) { return true; }))
    names.push_back(sub->get_name());
  names.push_back("help");
  names.push_back("completion");
  auto const chosen = std::make_shared<std::string>();
  CLI::App* const help = app.add_subcommand("help", "help of a subcommand");
  add_choice(*help, "SUBCOMMAND", "NAME", *chosen, names, "the subcommand");
  auto const print = [](std::string const& text) {
    print_text(text);
    return 0;
  };
  help->callback([&app, &run, chosen, print] {
    run = [&app, chosen, print] {
      return print(chosen->empty() ? help_text(describe(app), "")
                                   : help_text(describe(*app.get_subcommand(*chosen)), "xpose"));
    };
  });

  CLI::App* const completion = app.add_subcommand("completion", "print the completion of a shell");
  add_choice(*completion, "SHELL", "SHELL", *chosen, {"bash", "zsh", "fish"}, "the shell")
      ->required();
  completion->footer(
      "cmake --install puts them where the shells look. Without it:\n"
      "  source <(xpose completion bash)");
  completion->callback([&app, &run, chosen, print] {
    run = [&app, chosen, print] {
      command_description const all = describe(app);
      return print(*chosen == "bash"  ? bash_completion(all)
                   : *chosen == "zsh" ? zsh_completion(all)
                                      : fish_completion(all));
    };
  });

  CLI::App* const man = app.add_subcommand("man", "print a man page")->group("");
  add_choice(*man, "SUBCOMMAND", "NAME", *chosen, names, "the subcommand");
  man->callback([&app, &run, chosen, print] {
    run = [&app, chosen, print] {
      command_description const all = describe(app);
      return print(chosen->empty() ? man_page(all)
                                   : man_page(all, describe(*app.get_subcommand(*chosen))));
    };
  });
}

}  // namespace

std::shared_ptr<CLI::App> define_command_line(run_function& run) {
  auto app = std::make_shared<CLI::App>(
      "transpose, permute, add, cast and multiply matrices on CUDA, OpenMP and plain C++", "xpose");
  app->set_version_flag("--version", std::string("xpose ") + XPOSE_VERSION, "print the version");
  app->set_help_flag("--help,-h", "print this help");
  app->formatter_fn([](CLI::App const* command, std::string, CLI::AppFormatMode) {
    return help_text(describe(*command), command->get_parent() == nullptr ? "" : "xpose");
  });
  app->require_subcommand(0, 1);
  add_info(*app, run);
  add_moves(*app, run);
  add_sum(*app, run);
  add_gemm(*app, run);
  add_verify(*app, run);
  add_tune(*app, run);
  add_descriptions(*app, run);
  app->footer(notes);  // last, as subcommands take over the footer that they find
  return app;
}

}  // namespace xpose::tools
