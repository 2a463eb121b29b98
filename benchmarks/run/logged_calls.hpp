// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Reads what a program wrote under XPOSE_LOG (backends/core/trace/call_log.hpp): command lines of
// xpose-bench, and how often and for how long the program made such calls.
#pragma once

#include "core/settings.hpp"

#include <string>
#include <vector>

namespace xpose::bench {

/// Equal calls of the program.
struct logged_calls {
  std::string text;  ///< the line without "xpose-bench" and comments; a reason if not replayable
  bool is_replayable;
  bench_settings settings;  ///< what the line asks for, and the one job of it
  job what;
  long long calls;
  double seconds;  ///< of all of them, in the program; 0: the line does not say
};

/// Those of all files, equal lines together, in the order in which they first appear. Comments are
/// skipped. Throws std::runtime_error, naming file and line, for a line that is no single case.
std::vector<logged_calls> read_call_logs(std::vector<std::string> const& files);

}  // namespace xpose::bench
