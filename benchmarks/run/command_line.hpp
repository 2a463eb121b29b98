// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The options of xpose-bench that say what is timed and how: those of its command line, and of each
// line of a log that it replays.
#pragma once

#include "core/settings.hpp"

#include <functional>

namespace CLI {
class App;
}

namespace xpose::bench {

using settings_taker = std::function<void(bench_settings const&)>;

/// The sub-commands that time an operation; take() gets the settings of the one that is parsed.
void add_operations(CLI::App& app, settings_taker const& take);

/// Peers, rounds and files.
void add_round_options(CLI::App& command, bench_settings& settings);

}  // namespace xpose::bench
