// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose verify: every backend of this machine against the reference, on random shapes and layouts.

#include "commands.hpp"
#include "json_text.hpp"
#include "verify_operations.hpp"

#include <xpose/explain.hpp>

#include <cstdio>

namespace xpose::tools {
namespace {

std::vector<verify_target> find_targets(std::string const& policy) {
  using detail::backend_id;
  char reason[256];
  bool const has_cuda = detail::cuda_is_available(reason, sizeof reason);
  void* const stream = detail::stream_of(detail::default_stream_here);
  std::vector<verify_target> targets;
  if (policy == "seq") targets.push_back({{backend_id::reference, 1, nullptr, false, true}, false});
  if (policy == "omp" || policy == "all")
    targets.push_back({{backend_id::omp, 0, nullptr, false, true}, false});
  if (policy == "cuda" || (policy == "all" && has_cuda))
    targets.push_back({{backend_id::cuda, 0, stream, false, false}, has_cuda});
  if (policy == "cuda" && !has_cuda)
    std::fprintf(stderr, "xpose: note: --policy cuda ran on the processor (omp): %s\n", reason);
  return targets;
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
  std::vector<json_object> rows;
  int cases = 0;
  int mismatches = 0;
  if (!is_json)
    std::printf("%-10s %-24s %-10s %8s %10s  %s\n", "operation", "type", "backend", "cases",
                "mismatches", "kernels");
  auto const take = [&](verify_row const& row) {
    cases += row.cases;
    mismatches += row.mismatches;
    if (is_json) {
      rows.push_back(json_of(row));
      return;
    }
    std::printf("%-10s %-24s %-10s %8d %10d  %s\n", row.operation.c_str(), row.type.c_str(),
                row.backend.c_str(), row.cases, row.mismatches, row.kernels.c_str());
    std::fflush(stdout);
  };
  for (verify_target const& target : find_targets(arguments.settings.policy)) {
    verify_run const run{target, arguments.cases, arguments.seed};
    verify_copies(run, take);
    verify_functions(run, take);
    verify_gemms(run, take);
  }
  if (is_json) {
    json_object object;
    object.add_text("operation", "verify")
        .add_text("policy", arguments.settings.policy)
        .add_integer("seed", arguments.seed)
        .add_objects("rows", rows)
        .add_integer("cases", cases)
        .add_integer("mismatches", mismatches);
    std::printf("%s\n", object.text().c_str());
  } else {
    std::printf("%d cases, %d mismatches: %s\n", cases, mismatches,
                mismatches == 0 ? "every backend agrees with the reference"
                                : "A BACKEND DISAGREES WITH THE REFERENCE");
  }
  return mismatches == 0 ? 0 : 1;
}

}  // namespace xpose::tools
