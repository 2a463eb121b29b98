// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "run/run.hpp"

#include "candidates/comparison.hpp"
#include "compare/compare.hpp"
#include "compare/summary.hpp"
#include "core/shape.hpp"
#include "operations/ladder.hpp"
#include "operations/operations.hpp"
#include "run/jobs.hpp"
#include "run/random_cases.hpp"
#include "run/result_files.hpp"
#include "run/suites.hpp"
#include "types/gemm_type.hpp"

#include <xpose/config.hpp>

#include <omp.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace xpose::bench {
namespace {

std::string time_now() {
  std::time_t const now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

/// Of the tree that the program was built from, if git is there; XPOSE_BENCH_COMMIT goes first.
std::string commit() {
  if (char const* const given = std::getenv("XPOSE_BENCH_COMMIT")) return given;
  FILE* const git = popen("git -C '" XPOSE_BENCH_SOURCE
                          "' describe --always --dirty --abbrev=7 --exclude '*' 2>/dev/null",
                          "r");
  char text[64] = "";
  if (git == nullptr) return "unknown";
  if (std::fgets(text, sizeof text, git) == nullptr) text[0] = '\0';
  pclose(git);
  std::string const line(text);
  return line.empty() ? "unknown" : line.substr(0, line.find('\n'));
}

json describe_run(session& told, machine& where, policy_choice const& policy,
                  std::string const& command) {
  json peers = json::object();
  json absent = json::object();
  for (auto const& p : peers_of(told, where)) {
    if (p.library == nullptr) absent[p.name] = p.absent;
    else peers[p.name] = as_script(p.library) != nullptr ? "script" : p.library->version();
  }
  return {{"operation", "run"},
          {"date", time_now()},
          {"commit", commit()},
          {"version", XPOSE_VERSION},
          {"device", where.name()},
          {"policy", policy.name},
          {"threads", where.is_device() ? 0 : policy.threads},
          {"software", where.software()},
          {"last_level_cache_bytes", where.last_level_cache_bytes()},
          {"command", command},
          {"peers", peers},
          {"peers_absent", absent}};
}

using operation = void (*)(work_site const&, job const&);

operation operation_named(std::string const& name) {
  if (name == "transpose") return time_transpose;
  if (name == "copy") return time_copy;
  if (name == "permute") return time_permute;
  if (name == "add") return time_add;
  if (name == "gemm") return time_gemm;
  return time_ladder;
}

/// The machines and policies of one worker, made when a job first needs them.
class work_sites {
 public:
  work_sites(session& told, std::string const& command) : told_(told), command_(command) {}

  work_site at(std::string const& policy) {
    auto& where = machines_[policy == "cuda"];
    if (where == nullptr) where = policy == "cuda" ? make_cuda_machine() : make_host_machine();
    int const asked = told_.settings().threads > 0 ? told_.settings().threads : all_threads_;
    int const threads = policy == "seq" ? 1 : asked;
    omp_set_num_threads(threads);
    policy_choice const choice{policy, threads, where->stream(), told_.settings().planned};
    if (policy != described_) told_.tell_run(describe_run(told_, *where, choice, command_));
    described_ = policy;
    return {told_, *where, choice};
  }

 private:
  session& told_;
  std::string command_;
  std::array<std::unique_ptr<machine>, 2> machines_;
  std::string described_;
  int all_threads_ = omp_get_max_threads();  // asked for before a policy sets it
};

bench_result failed_result(session& told, job const& j, std::string const& why) {
  bench_result failed;
  failed.operation = told.settings().operation;
  failed.policy = j.policy;
  failed.type = j.type;
  failed.shape = j.shape;
  set_origin(failed, j.origin);
  failed.implementation = "xpose";
  failed.note = why;
  return failed;
}

void do_jobs(session& told, std::vector<job> const& jobs, int first, std::string const& command) {
  work_sites sites(told, command);
  auto const time = operation_named(told.settings().operation);
  for (std::size_t j = static_cast<std::size_t>(first); j < jobs.size(); ++j) {
    told.begin(static_cast<int>(j), jobs[j]);
    try {
      time(sites.at(jobs[j].policy), jobs[j]);
    } catch (state_not_reached const&) {
      // another state of the case has its results
    } catch (std::bad_alloc const&) {
      told.tell(failed_result(told, jobs[j], "skipped: not enough memory"));
    } catch (std::exception const& error) {
      told.tell(failed_result(told, jobs[j], error.what()));
    }
  }
}

/// Calls of the bench are no program's, and must not overwrite the log that it replays. Results
/// that are stored are those of the built-in settings, unless a tuning is named. An environment may
/// pin OpenBLAS to an older processor's kernels, which halves it.
void prepare_environment() {
  unsetenv("XPOSE_LOG");
  setenv("XPOSE_TUNING", "off", 0);
  for (char const* const name : {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}) {
    if (std::getenv(name) == nullptr) continue;
    std::fprintf(stderr, "xpose-bench: note: %s is set and would slow OpenBLAS down; unset\n",
                 name);
    unsetenv(name);
  }
}

}  // namespace

void time_jobs(bench_settings const& settings, std::vector<job> const& jobs,
               std::string const& command, run_listener& listener) {
  prepare_environment();
  auto const work = [&](session& told, std::vector<job> const& all, int first) {
    do_jobs(told, all, first, command);
  };
  supervise(settings, jobs, work, listener);
}

int run_bench(bench_settings settings, std::string const& command) {
  auto problems = drop_unknown_peers(settings);
  adopt_suite(settings);
  job_list list = settings.operation == "ladder" ? make_ladder_jobs(settings) : make_jobs(settings);
  problems.insert(problems.end(), list.problems.begin(), list.problems.end());
  for (auto const& problem : problems) std::fprintf(stderr, "xpose-bench: %s\n", problem.c_str());
  if (list.jobs.empty()) {
    if (problems.empty())
      std::fprintf(stderr, "xpose-bench: nothing to time; give --shapes or --suite\n");
    return 1;
  }
  std::string const built = settings.stores ? commit() : "";
  if (settings.stores && (built == "unknown" || built.find("-dirty") != std::string::npos)) {
    std::fprintf(stderr,
                 "xpose-bench: --store keeps results of a commit, and this tree is %s: commit "
                 "first, or name the commit in XPOSE_BENCH_COMMIT\n",
                 built.c_str());
    return 1;
  }
  std::vector<json> before;
  if (!settings.compare_file.empty()) before = read_results(settings.compare_file);
  result_output out(settings, list.jobs.size());
  time_jobs(settings, list.jobs, command, out);
  if (find_random_suite(settings.operation, settings.suite) != nullptr)
    print_summary(out.bench_results());
  int const slower = before.empty() ? 0 : compare_runs(before, out.bench_results());
  if (!problems.empty() || out.failures() > 0) return 1;
  return slower > 0 ? 3 : 0;
}

int list_everything() {
  std::printf("suites\n");
  for (auto const& s : suites)
    std::printf("  %-24s %s: %zu types x %zu shapes (%zu more on a device): %s\n", s.name,
                s.operation, s.types.size(), s.shapes.size(), s.device_shapes.size(), s.what);
  for (auto const& s : random_suites())
    std::printf("  %-24s %s: %zu types, drawn by --seed, --cases and --case: %s\n", s.name,
                s.operation, s.types.size(), s.what);
  std::printf("types of transpose, copy and permute\n  %s\n", element_type_names().c_str());
  std::printf("types of add\n  %s\n", add_type_names);
  std::printf("types of gemm\n  %s\n", gemm_type_names().c_str());
  std::printf("tables of the ladder\n");
  for (auto const& line : ladder_table_lines()) std::printf("  %s\n", line.c_str());
  std::printf("peers\n");
  for (bool const is_device : {false, true})
    for (auto const& p : load_peers(peer_names(is_device), is_device)) {
      std::string const found = p.library == nullptr ? "absent: " + p.absent
                                : as_script(p.library) != nullptr
                                    ? "a script; starts when it is asked for"
                                    : p.library->version();
      std::printf("  %-13s %-6s %s\n", p.name.c_str(), is_device ? "device" : "host",
                  found.c_str());
    }
  std::printf("  %-13s %-6s xpose once more: how far the bench agrees with itself\n", "self",
              "both");
  return 0;
}

}  // namespace xpose::bench
