// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// From the command line's words to the list of cases.
#pragma once

#include "core/settings.hpp"

#include <string>
#include <vector>

namespace xpose::bench {

/// policies x types x shapes of the settings, or of their suite.
job_list make_jobs(bench_settings const& settings);

/// What else the settings' suite asks for.
void adopt_suite(bench_settings& settings);

/// Drops unknown peers from the settings; returns a message for each.
std::vector<std::string> drop_unknown_peers(bench_settings& settings);

}  // namespace xpose::bench
