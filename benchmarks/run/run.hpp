// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// One run of the bench, from its settings to its exit code.
#pragma once

#include "run/supervisor.hpp"

#include <string>
#include <vector>

namespace xpose::bench {

/// 0: everything ran and xpose's results are right; 1: something was refused, failed or is wrong;
/// 3: --compare found cases that got slower. command is what the user typed, for the record.
int run_bench(bench_settings settings, std::string const& command);

/// Times the jobs, all of the settings' operation, and hands their results to the listener.
void time_jobs(bench_settings const& settings, std::vector<job> const& jobs,
               std::string const& command, run_listener& listener);

/// Prints suites, types and peers.
int list_everything();

}  // namespace xpose::bench
