// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "operations/ladder.hpp"

#include "candidates/combine.hpp"
#include "candidates/copy.hpp"
#include "candidates/gemm_task.hpp"
#include "candidates/transpose_task.hpp"
#include "ladder/metrics.hpp"
#include "operations/operations.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace xpose::bench {
namespace {

using ladder::table;

table const* find_table(std::string const& id) {
  for (auto const& t : ladder::tables())
    if (id == t.id) return &t;
  return nullptr;
}

int dimensions_of(table const& t) {
  return static_cast<int>(std::count(t.shape.begin(), t.shape.end(), 'x')) + 1;
}

/// The figures of the source, those that it printed.
json source_members(ladder::source_figure const& figure) {
  json members = json::object();
  auto const add = [&](char const* name, double value) {
    if (value > 0) members[name] = value;
  };
  add("seconds", figure.seconds);
  add("gbps", figure.gbps);
  add("load_gbps", figure.load_gbps);
  add("store_gbps", figure.store_gbps);
  return members;
}

json metric_members(ladder::launch_metrics const& m) {
  return {{"seconds", m.seconds},
          {"load_gbps", m.load_gbps},
          {"store_gbps", m.store_gbps},
          {"dram_gbps", m.dram_gbps},
          {"shared_load_requests", m.shared_load_requests},
          {"shared_store_requests", m.shared_store_requests},
          {"shared_load_wavefronts", m.shared_load_wavefronts},
          {"shared_store_wavefronts", m.shared_store_wavefronts},
          {"shared_load_conflicts", m.shared_load_conflicts},
          {"shared_store_conflicts", m.shared_store_conflicts}};
}

/// Of the table's rungs, in their order; empty if there are none.
std::vector<ladder::launch_metrics> measure(session& told, table const& t,
                                            std::string const& shape) {
  if (!told.settings().with_metrics || !t.is_device) return {};
  try {
    auto launches = ladder::profile({"rungs-once", t.id, shape});
    if (launches.size() == t.rungs.size()) return launches;
    told.tell_note("ladder " + std::string(t.id) + ": the profiler saw " +
                   std::to_string(launches.size()) + " launches of " +
                   std::to_string(t.rungs.size()));
  } catch (std::runtime_error const& error) {
    told.tell_note("ladder " + std::string(t.id) + ": " + error.what());
  }
  return {};
}

bench_result ladder_result(bench_result common, table const& t) {
  common.extra["table"] = t.id;
  common.extra["table_title"] = t.title;
  common.extra["source_gpu"] = t.source;
  common.extra["reading"] = t.reading;
  return common;
}

/// Times the table's rungs among xpose, the ceilings and the peers. enter(rung, extra) adds one.
template <class Comparison, class Enter>
void time_rungs(Comparison& comparison, session& told, table const& t, std::string const& shape,
                Enter const& enter) {
  auto const metrics = measure(told, t, shape);
  for (std::size_t r = 0; r < t.rungs.size(); ++r) {
    auto const* const rung = ladder::find_rung(t.rungs[r].rung);
    if (rung == nullptr) continue;
    json extra = {{"idea", rung->idea}};
    json const source = source_members(t.rungs[r]);
    if (!source.empty()) extra["source"] = source;
    if (!metrics.empty()) extra["metrics"] = metric_members(metrics[r]);
    if (rung->occupies) {
      auto const o = rung->occupies();
      extra["block"] = {{"threads", o.threads_in_block},
                        {"registers", o.registers},
                        {"shared_bytes", o.shared_bytes},
                        {"blocks_on_multiprocessor", o.blocks_on_multiprocessor}};
    }
    enter(*rung, extra);
  }
  comparison.enter_all();
  comparison.run();
}

}  // namespace

void time_ladder(work_site const& site, job const& j) {
  table const& t = *find_table(j.type);
  bool const is_gemm = dimensions_of(t) == 3;
  shape const s = parse_shape(j.shape, dimensions_of(t));
  if (is_gemm) {
    gemm_type const type = gemm_type_named(t.type);
    auto const what = make_gemm_case(s, type.in, type.out);
    gemm_task const task(type, what);
    combine_comparison comparison(site, ladder_result(result_of(site, "ladder", s, type.name), t),
                                  task, 0);
    time_rungs(comparison, site.told, t, j.shape, [&](ladder::rung const& r, json const& extra) {
      comparison.enter_rung(r, what, extra);
    });
  } else {
    auto const what = make_transpose_case(s, element_type_named(t.type), false);
    transpose_task const task(what, false);
    copy_comparison comparison(site, ladder_result(result_of(site, "ladder", s, t.type), t), task,
                               0);
    time_rungs(comparison, site.told, t, j.shape, [&](ladder::rung const& r, json const& extra) {
      comparison.enter_rung(r, what, extra);
    });
  }
}

job_list make_ladder_jobs(bench_settings const& settings) {
  job_list list;
  std::string ids;
  for (auto const& t : ladder::tables()) ids += (ids.empty() ? "" : ", ") + std::string(t.id);
  for (auto const& id : settings.types)
    if (find_table(id) == nullptr)
      list.problems.push_back("unknown table '" + id + "'; tables are " + ids);
  for (auto const& policy : settings.policies)
    for (auto const& t : ladder::tables()) {
      bool const is_asked_for =
          settings.types.empty() ||
          std::find(settings.types.begin(), settings.types.end(), t.id) != settings.types.end();
      if (!is_asked_for || t.is_device != (policy == "cuda")) continue;
      int const dimensions = dimensions_of(t);
      auto const shapes =
          settings.shapes.empty() ? std::vector<std::string>{t.shape} : settings.shapes;
      for (auto const& text : shapes) {
        auto const extents = std::count(text.begin(), text.end(), 'x') + 1;
        if (extents != dimensions && (extents == 2 || extents == 3)) continue;  // other tables'
        try {
          shape const s = parse_shape(text, dimensions);
          if (s.batch != 1 || s.layout() != (dimensions == 3 ? "NN" : "packed"))
            throw std::invalid_argument("shape '" + text +
                                        "': the ladder takes single packed matrices");
          list.jobs.push_back({policy, t.id, text, {"ladder", {}, 0, ""}});
        } catch (std::invalid_argument const& error) {
          list.problems.emplace_back(error.what());
        }
      }
    }
  return list;
}

std::vector<std::string> ladder_table_lines() {
  std::vector<std::string> lines;
  for (auto const& t : ladder::tables())
    lines.push_back(std::string(t.id) + (t.is_device ? "  (device)  " : "  (host)  ") + t.shape +
                    " " + t.type + ": " + t.title);
  return lines;
}

void add_rungs_once(CLI::App& app, std::function<int()>& work) {
  CLI::App* const command = app.add_subcommand("rungs-once", "run a table's rungs once");
  command->group("");  // not in --help: a profiler's entry
  auto const words = std::make_shared<std::vector<std::string>>();
  command->add_option("table", *words, "table and shape")->required()->expected(2);
  command->callback([words, &work] {
    work = [words] {
      table const* const t = find_table(words->at(0));
      if (t == nullptr) throw std::invalid_argument("unknown table '" + words->at(0) + "'");
      int const dimensions = dimensions_of(*t);
      ladder::run_rungs_once(*t, parse_shape(words->at(1), dimensions).extents);
      return 0;
    };
  });
}

}  // namespace xpose::bench
