// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A bar on standard error for work that takes longer than a second, on a terminal only.
#pragma once

#include <chrono>
#include <string>

namespace xpose::tools {

class progress_bar {
 public:
  /// XPOSE_PROGRESS_AFTER in the environment sets the seconds of silence (tests use 0).
  explicit progress_bar(std::string label);
  progress_bar(progress_bar const&) = delete;
  progress_bar& operator=(progress_bar const&) = delete;
  /// Wipes the bar.
  ~progress_bar();

  /// How much is done, 0 to 1.
  void show(double done);
  /// So much was done before this work began: what is left is estimated from the rest.
  void begin_at(double done) { done_before_ = done; }

 private:
  std::string label_;
  bool is_terminal_;
  bool is_shown_ = false;
  double silent_seconds_;
  double done_before_ = 0;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace xpose::tools
