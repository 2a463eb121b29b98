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
#include <sstream>

namespace xpose::tools {
namespace {

/// Throws failure if cuda alone is to be verified and cannot be: a run of omp in its place would
/// look like success.
std::vector<verify_target> find_targets(std::string const& policy) {
  using detail::backend_id;
  char reason[256];
  bool const has_cuda = detail::cuda_is_available(reason, sizeof reason);
  if (policy == "cuda" && !has_cuda)
    throw failure("cuda", "cannot be verified here: ", reason,
                  "; verify omp with --policy omp, or everything that is here without --policy");
  void* const stream = detail::stream_of(detail::default_stream_here);
  std::vector<verify_target> targets;
  if (policy == "seq") targets.push_back({the_reference, false});
  if (policy == "omp" || policy == "all")
    targets.push_back({{backend_id::omp, 0, nullptr, false, true}, false});
  if (has_cuda && (policy == "cuda" || policy == "all"))
    targets.push_back({{backend_id::cuda, 0, stream, false, true}, true});
  return targets;
}

void print_row(std::string const& operation, std::string const& type, std::string const& backend,
               std::string const& cases, std::string const& mismatches,
               std::string const& kernels) {
  std::ostringstream line;
  line << std::left << std::setw(11) << operation << std::setw(26) << type << std::setw(11)
       << backend << std::right << std::setw(8) << cases << std::setw(11) << mismatches << "  "
       << kernels;
  print_line(stdout, line.str());
  std::fflush(stdout);
}

json_object json_of(verify_row const& row) {
  json_object object;
  object.add_text("operation", row.operation)
      .add_text("type", row.type)
      .add_text("backend", row.backend)
      .add_text("kernels", row.kernels)
      .add_integer("cases", row.cases)
      .add_integer("mismatches", row.mismatches);
  return object;
}

}  // namespace

int run_verify(verify_arguments const& arguments) {
  bool const is_json = arguments.settings.is_json;
  std::vector<verify_target> const targets = find_targets(arguments.settings.policy);
  std::vector<json_object> rows;
  int cases = 0;
  int mismatches = 0;
  if (!is_json) print_row("operation", "type", "backend", "cases", "mismatches", "kernels");
  auto const take = [&](verify_row const& row) {
    cases += row.cases;
    mismatches += row.mismatches;
    if (is_json) rows.push_back(json_of(row));
    else
      print_row(row.operation, row.type, row.backend, std::to_string(row.cases),
                std::to_string(row.mismatches), row.kernels);
  };
  for (verify_target const& target : targets) {
    verify_run const run{target, arguments.cases, arguments.seed};
    verify_copies(run, take);
    verify_functions(run, take);
    verify_in_place(run, take);
    verify_adds(run, take);
    verify_gemms(run, take);
  }
  if (is_json)
    print_json(json_object()
                   .add_text("operation", "verify")
                   .add_text("policy", arguments.settings.policy)
                   .add_integer("seed", arguments.seed)
                   .add_objects("rows", rows)
                   .add_integer("cases", cases)
                   .add_integer("mismatches", mismatches));
  else
    print_line(stdout, text_of(cases, " cases, ", mismatches, " mismatches: ",
                               mismatches == 0 ? "every backend agrees with the reference"
                                               : "A BACKEND DISAGREES WITH THE REFERENCE"));
  return mismatches == 0 ? 0 : 1;
}

}  // namespace xpose::tools
