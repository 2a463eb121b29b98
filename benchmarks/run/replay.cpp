// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "run/replay.hpp"

#include "run/jobs.hpp"
#include "run/logged_calls.hpp"
#include "run/result_files.hpp"
#include "run/run.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>

namespace xpose::bench {
namespace {

/// One case of the program and what was measured of it.
struct replayed_case {
  logged_calls logged;
  double xpose = 0;  ///< seconds a call; 0: not timed
  double peer = 0;   ///< of the fastest verified peer; 0: none
  std::string peer_name = {};
  std::string note = {};  ///< why it was not timed

  /// In the program, or else in the replay.
  double seconds() const {
    return logged.seconds > 0 ? logged.seconds : static_cast<double>(logged.calls) * xpose;
  }
  double gain() const {
    return peer > 0 && peer < xpose ? static_cast<double>(logged.calls) * (xpose - peer) : 0;
  }
};

/// Hands the results of one group of cases on, and keeps those of xpose.
class group_listener : public run_listener {
 public:
  /// first: number of the group's first job among those of all groups.
  group_listener(result_output& out, std::vector<replayed_case>& cases, int first)
      : out_(out), cases_(cases), first_(first) {}

  void take_run(json const& description) override { out_.take_run(description); }
  void take_note(std::string const& text) override { out_.take_note(text); }
  void take_progress(int number, std::string const& candidate) override {
    out_.take_progress(first_ + number, candidate);
  }
  void take_result(json const& result) override {
    out_.take_result(result);
    if (result.value("role", "") != "xpose") return;
    auto& found = cases_.at(result.at("case").get<std::size_t>());
    if (result.contains("note")) found.note = result["note"].get<std::string>();
    if (!result.value("verified", false) || !result["median_s"].is_number()) return;
    found.xpose = result["median_s"].get<double>();
    if (!result["best_peer"].is_string()) return;
    found.peer_name = result["best_peer"].get<std::string>();
    found.peer = found.xpose * result["ratio_to_best_peer"].get<double>();
  }

 private:
  result_output& out_;
  std::vector<replayed_case>& cases_;
  int first_;
};

/// What all jobs of a worker share.
using group_key = std::tuple<std::string, bool, int>;
group_key group_of(bench_settings const& line) {
  return {line.operation, line.in_place, line.threads};
}

void time_cases(bench_settings const& settings, std::vector<replayed_case>& cases,
                std::string const& command, result_output& out) {
  std::map<group_key, std::vector<job>> groups;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    auto const& [logged, xpose, peer, peer_name, note] = cases[c];
    if (!logged.is_replayable) continue;
    job what = logged.what;
    // The results carry the number of their case.
    what.origin = {"replay", 0, static_cast<int>(c), logged.text};
    groups[group_of(logged.settings)].push_back(what);
  }
  int first = 0;
  for (auto const& [key, jobs] : groups) {
    bench_settings of_group = settings;
    std::tie(of_group.operation, of_group.in_place, of_group.threads) = key;
    group_listener listener(out, cases, first);
    time_jobs(of_group, jobs, command, listener);
    first += static_cast<int>(jobs.size());
  }
}

std::string time_text(double seconds) {
  char text[32];
  if (seconds <= 0) return "-";
  if (seconds < 1e-6) std::snprintf(text, sizeof text, "%.0f ns", seconds * 1e9);
  else if (seconds < 1e-3) std::snprintf(text, sizeof text, "%.2f us", seconds * 1e6);
  else if (seconds < 1) std::snprintf(text, sizeof text, "%.2f ms", seconds * 1e3);
  else std::snprintf(text, sizeof text, "%.2f s", seconds);
  return text;
}

void print_case(replayed_case const& c, double total) {
  auto const calls = static_cast<double>(c.logged.calls);
  std::string const peer = c.peer > 0 ? time_text(c.peer) + " " + c.peer_name : "-";
  char ratio[16] = "-";
  if (c.peer > 0) std::snprintf(ratio, sizeof ratio, "%.2f", c.peer / c.xpose);
  bool const is_timed = c.xpose > 0;
  std::string const what =
      c.logged.is_replayable ? c.logged.text : "not replayable: " + c.logged.text;
  std::printf("%5.1f %% %10lld %10s %10s  %-24s %6s %10s  %s%s%s\n",
              total > 0 ? 100 * c.seconds() / total : 0, c.logged.calls,
              time_text(c.logged.seconds / calls).c_str(), time_text(c.xpose).c_str(), peer.c_str(),
              ratio, time_text(c.gain()).c_str(), what.c_str(),
              is_timed || c.note.empty() ? "" : "  ", is_timed ? "" : c.note.c_str());
}

/// The cases by their share of the program's time, then what all of them say together.
void print_table(std::vector<replayed_case> cases) {
  std::stable_sort(cases.begin(), cases.end(),
                   [](auto const& a, auto const& b) { return a.seconds() > b.seconds(); });
  double total = 0;
  double timed = 0;
  double of_xpose = 0;
  double gain = 0;
  long long calls = 0;
  int slower = 0;
  int with_peer = 0;
  for (auto const& c : cases) {
    total += c.seconds();
    calls += c.logged.calls;
    gain += c.gain();
    slower += c.gain() > 0;
    with_peer += c.peer > 0;
    if (c.xpose > 0) timed += c.seconds();
    of_xpose += static_cast<double>(c.logged.calls) * c.xpose;
  }
  std::printf("\n%7s %10s %10s %10s  %-24s %6s %10s  %s\n", "share", "calls", "in program", "xpose",
              "best peer", "ratio", "to gain", "case");
  for (auto const& c : cases) print_case(c, total);
  std::printf("%lld calls, %s in the program; timed here: %.1f %% of it, which takes xpose %s\n",
              calls, time_text(total).c_str(), total > 0 ? 100 * timed / total : 0,
              time_text(of_xpose).c_str());
  if (slower == 0)
    std::printf("no peer is faster in any of the %d cases that one has\n", with_peer);
  else
    std::printf("to gain: %s (%.1f %%) in %d of %zu cases, where a peer is faster\n",
                time_text(gain).c_str(), 100 * gain / of_xpose, slower, cases.size());
}

}  // namespace

int replay(bench_settings const& settings, std::vector<std::string> const& logs,
           std::string const& command) {
  bench_settings known = settings;
  auto const problems = drop_unknown_peers(known);
  for (auto const& problem : problems) std::fprintf(stderr, "xpose-bench: %s\n", problem.c_str());
  std::vector<replayed_case> cases;
  for (auto& logged : read_call_logs(logs)) cases.push_back({std::move(logged)});
  if (cases.empty()) {
    std::fprintf(stderr, "xpose-bench: nothing to replay: %s holds no call\n", logs[0].c_str());
    return 1;
  }
  auto const is_replayable = [](auto const& c) { return c.logged.is_replayable; };
  auto const jobs = std::count_if(cases.begin(), cases.end(), is_replayable);
  result_output out(known, static_cast<std::size_t>(jobs));
  time_cases(known, cases, command, out);
  print_table(cases);
  return problems.empty() && out.failures() == 0 ? 0 : 1;
}

}  // namespace xpose::bench
