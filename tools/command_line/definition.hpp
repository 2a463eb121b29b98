// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The subcommands and their options: the one definition from which the command line is parsed, and
// from which help, man pages and completions are written.
#pragma once

#include <functional>
#include <memory>

namespace CLI {
class App;
}

namespace xpose::tools {

/// Parsing sets `run` to what does the work and returns the exit code.
std::shared_ptr<CLI::App> define_command_line(std::function<int()>& run);

}  // namespace xpose::tools
