// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The report of a finished run: one line for people, one JSON object for programs.
#pragma once

#include "commands/run_settings.hpp"

#include <xpose/config.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace xpose::tools {

struct report {
  std::string operation;
  std::string backend;  // that really ran
  std::string kernel;
  std::vector<index> shape;
  std::string descr;
  std::string output;
  double seconds;
};

class stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// To standard output; and to standard error a note if cuda was asked for and something else ran.
void print_report(run_settings const& settings, run_target const& target, report const& r);

}  // namespace xpose::tools
