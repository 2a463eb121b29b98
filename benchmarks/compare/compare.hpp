// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What changed between two runs, beyond the noise of both.
#pragma once

#include "core/result.hpp"

#include <string>
#include <vector>

namespace xpose::bench {

/// The results of a file that a run wrote. Throws std::runtime_error, naming the file and the line.
std::vector<json> read_results(std::string const& file);

/// Prints a line for each case of xpose that got slower or faster, and a summary. Cases are judged
/// by their ratio to the ceiling of their own run where both have one, else by their median.
/// Returns how many got slower.
int compare_runs(std::vector<json> const& before, std::vector<json> const& after);

}  // namespace xpose::bench
