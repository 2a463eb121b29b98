// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose-bench ladder: the tables of benchmarks/ladder/ as jobs.
#pragma once

#include "core/settings.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace xpose::bench {

/// policies x tables of the settings (in types), at the tables' own shapes or the settings'.
job_list make_ladder_jobs(bench_settings const& settings);

/// A line for each table, for --list.
std::vector<std::string> ladder_table_lines();

/// The hidden sub-command that a profiler runs: the rungs of a table, once each.
void add_rungs_once(CLI::App& app, std::function<int()>& work);

}  // namespace xpose::bench
