// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// xpose-bench replay: times the calls of a program, as it logged them under XPOSE_LOG, against the
// peers, and says what share of its time each is and what would be gained.
#pragma once

#include "core/settings.hpp"

#include <string>
#include <vector>

namespace xpose::bench {

/// settings: peers, rounds and files; operations, policies, threads, types and shapes are those of
/// the lines. Returns an exit code as run_bench() does. command is what the user typed.
int replay(bench_settings const& settings, std::vector<std::string> const& logs,
           std::string const& command);

}  // namespace xpose::bench
