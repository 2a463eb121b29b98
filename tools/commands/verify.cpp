// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose verify: every backend of this machine against the reference, on random shapes and layouts.

#include "commands/commands.hpp"
#include "terminal/failure.hpp"
#include "terminal/json_text.hpp"
#include "terminal/standard_streams.hpp"
#include "verify/operations.hpp"

#include <xpose/explain.hpp>

#include <cstdio>
#include <iomanip>
#include <optional>
#include <sstream>

namespace xpose::tools {
namespace {

struct named_target {
  char const* policy;
  std::string what;  // that the policy is, for the reader of the table
  verify_target target;
};

/// Throws failure if cuda alone is to be verified and cannot be: a run of omp in its place would
/// look like success.
std::vector<named_target> find_targets(std::string const& policy) {
  char reason[256];
  bool const has_cuda = detail::cuda_is_available(reason, sizeof reason);
  if (policy == "cuda" && !has_cuda)
    throw failure("verify", "cuda was asked for and no CUDA device can run it: ", reason,
                  "; verify omp with --policy omp, or everything that is here without --policy");
  auto on_device = detail::execution_of(cuda, nullptr);
  on_device.strict = true;
  std::vector<named_target> targets;
  if (policy == "seq" || policy == "all")
    targets.push_back({"seq",
                       "the vectorised kernels on the calling thread",
                       {detail::execution_of(seq, nullptr), false}});
  if (policy == "omp" || policy == "all")
    targets.push_back({"omp",
                       "the vectorised kernels on all cores",
                       {detail::execution_of(omp, nullptr), false}});
  if (has_cuda && (policy == "cuda" || policy == "all"))
    targets.push_back({"cuda", reason, {on_device, true}});
  return targets;
}

char const* text_of_criterion(pass_criterion criterion) {
  return criterion == pass_criterion::equal_bits ? "equal bits" : "error bound";
}

void print_row(std::string const& policy, std::string const& operation, std::string const& type,
               std::string const& passes, std::string const& cases, std::string const& mismatches,
               std::string const& kernels) {
  std::ostringstream line;
  line << std::left << std::setw(8) << policy << std::setw(19) << operation << std::setw(24) << type
       << std::setw(11) << passes << std::right << std::setw(7) << cases << std::setw(11)
       << mismatches;
  if (!kernels.empty()) line << "  " << kernels;
  print_line(stdout, line.str());
  std::fflush(stdout);
}

json_object json_of(verify_row const& row, char const* policy) {
  json_object object;
  object.add_text("policy", policy)
      .add_text("operation", row.operation)
      .add_text("type", row.type)
      .add_text("passes", text_of_criterion(row.criterion))
      .add_text("backend", row.backend)
      .add_text("kernels", row.kernels)
      .add_integer("cases", row.cases)
      .add_integer("mismatches", row.mismatches);
  return object;
}

/// Prints the rows of the checks: all of them, or one for the types of an operation, and then those
/// with mismatches.
class table {
 public:
  table(char const* policy, bool shows_all) : policy_(policy), shows_all_(shows_all) {}

  void add(verify_row const& row) {
    if (shows_all_) return print(row, row.type, row.kernels);
    if (sum_ && (sum_->operation != row.operation || sum_->criterion != row.criterion)) finish();
    if (!sum_) {
      sum_ = row;
      sum_->cases = sum_->mismatches = types_ = 0;
    }
    ++types_;
    sum_->cases += row.cases;
    sum_->mismatches += row.mismatches;
    if (row.mismatches != 0) failed_.push_back(row);
  }

  void finish() {
    if (!sum_) return;
    bool const are_sizes = sum_->type.find("byte") != std::string::npos;
    print(*sum_,
          text_of(types_, are_sizes     ? " element sizes"
                          : types_ == 1 ? " type"
                                        : " types"),
          "");
    for (verify_row const& row : failed_) print(row, "  " + row.type, row.kernels);
    failed_.clear();
    sum_.reset();
  }

 private:
  void print(verify_row const& row, std::string const& type, std::string const& kernels) const {
    print_row(policy_, row.operation, type, text_of_criterion(row.criterion),
              std::to_string(row.cases), std::to_string(row.mismatches), kernels);
  }

  char const* policy_;
  bool shows_all_;
  std::optional<verify_row> sum_;
  int types_ = 0;
  std::vector<verify_row> failed_;
};

void print_heading(std::vector<named_target> const& targets, verify_arguments const& arguments) {
  print_line(stdout, text_of("Compared with the reference (plain loops, one thread), ",
                             arguments.cases, " random cases a type, seed ", arguments.seed, ":"));
  for (auto const& t : targets) print_line(stdout, text_of("  ", t.policy, ", ", t.what));
  print_row("policy", "operation", "type", "passes if", "cases", "mismatches",
            arguments.shows_all ? "kernels" : "");
}

void run_checks(verify_run const& run, row_taker const& take) {
  verify_copies(run, take);
  verify_functions(run, take);
  verify_in_place(run, take);
  verify_adds(run, take);
  verify_gemms(run, take);
}

}  // namespace

int run_verify(verify_arguments const& arguments) {
  bool const is_json = arguments.settings.is_json;
  std::vector<named_target> const targets = find_targets(arguments.settings.policy);
  std::vector<json_object> rows;
  int cases = 0;
  int mismatches = 0;
  std::string policies;
  if (!is_json) print_heading(targets, arguments);
  for (named_target const& t : targets) {
    policies += (policies.empty() ? "" : ", ") + std::string(t.policy);
    table printed(t.policy, arguments.shows_all);
    run_checks({t.target, arguments.cases, arguments.seed}, [&](verify_row const& row) {
      cases += row.cases;
      mismatches += row.mismatches;
      if (is_json) rows.push_back(json_of(row, t.policy));
      else printed.add(row);
    });
    printed.finish();
  }
  if (is_json)
    print_json(json_object()
                   .add_text("operation", "verify")
                   .add_text("policy", arguments.settings.policy)
                   .add_text("compared_with", "reference")
                   .add_integer("seed", arguments.seed)
                   .add_objects("rows", rows)
                   .add_integer("cases", cases)
                   .add_integer("mismatches", mismatches));
  else
    print_line(stdout, text_of(cases, " cases, ", mismatches, " mismatches: ", policies,
                               mismatches == 0 ? " agrees with the reference"
                                               : " DISAGREES WITH THE REFERENCE"));
  return mismatches == 0 ? 0 : 1;
}

}  // namespace xpose::tools
