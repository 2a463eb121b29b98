// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The report of a finished run: one line for people, one JSON object for programs.
#pragma once

#include "commands/run_settings.hpp"
#include "npy/npy_header.hpp"

#include <xpose/config.hpp>

#include <chrono>
#include <string>

namespace xpose::tools {

class stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Seconds of a run, by what took them.
struct run_times {
  double call = 0;   // xpose's own work, operands and result in the host's memory
  double files = 0;  // reading, writing and paging

  /// Runs work() and adds its time to one of them.
  template <class Work>
  void add(double run_times::*kind, Work const& work) {
    stopwatch const watch;
    work();
    this->*kind += watch.seconds();
  }
};

/// What a call moved or calculated, for its rate: 1e9 of the unit are one GB, GFLOP or GOP.
struct work_done {
  double amount;
  char const* unit;  // "B", "FLOP" or "OP"
};

struct report {
  std::string operation;
  std::string backend;  // that really ran
  std::string kernel;
  npy_header const* header;  // of the output
  std::string output;        // the file's name; "-": standard output
  work_done work;
  run_times times;
  double seconds;          // of the whole command
  double done_before = 0;  // share of the work that an earlier run has done
};

/// To standard output, or to standard error if the array itself went to standard output; and to
/// standard error a note if cuda was asked for and something else ran.
void print_report(run_settings const& settings, run_target const& target, report const& r);

}  // namespace xpose::tools
