// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Where results go: a JSON file of one object a line, a CSV file, and a table on the terminal.
#pragma once

#include "run/supervisor.hpp"

#include <fstream>

namespace xpose::bench {

class result_output : public run_listener {
 public:
  /// Opens the files at once. Throws std::runtime_error if one cannot be written.
  result_output(bench_settings const& settings, std::size_t jobs);
  ~result_output() override;

  void take_run(json const& description) override;
  void take_result(json const& result) override;
  void take_note(std::string const& text) override;
  void take_progress(int job, std::string const& candidate) override;

  std::vector<json> const& bench_results() const { return results_; }
  /// Results of xpose that failed or differ from the reference.
  int failures() const { return failures_; }

 private:
  void print(json const& result);
  void wipe_progress();

  std::ofstream json_stream_;
  std::ofstream csv_stream_;
  std::string json_file_;
  std::string csv_file_;
  std::size_t jobs_;
  bool is_terminal_;
  bool is_progress_shown_ = false;
  std::string heading_;
  std::vector<json> results_;
  std::vector<std::string> policies_told_;
  int failures_ = 0;
};

}  // namespace xpose::bench
