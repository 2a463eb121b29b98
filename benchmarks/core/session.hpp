// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The worker's side of a run: what it sends to the supervisor, which outlives a candidate that
// crashes.
#pragma once

#include "core/machine.hpp"
#include "core/result.hpp"
#include "core/settings.hpp"

#include <atomic>
#include <string>
#include <vector>

namespace xpose::bench {

/// Memory that worker and supervisor share: an update costs the timed process one store.
struct shared_status {
  std::atomic<int> job;
  char candidate[64];  ///< that runs just now
};

/// A candidate of a job that crashed an earlier worker.
struct crashed_candidate {
  int job;
  std::string candidate;
  std::string reason;
};

class session {
 public:
  session(bench_settings const& settings, std::vector<crashed_candidate> const& crashed_candidates,
          shared_status& status, int pipe)
      : settings_(settings),
        crashed_candidates_(crashed_candidates),
        status_(status),
        pipe_(pipe) {}

  bench_settings const& settings() const { return settings_; }

  void begin(int number, job const& begun) {
    status_.job = number;
    job_ = begun;
    about("");
  }
  /// A crash from here on is that candidate's.
  void about(std::string const& candidate);
  /// Why the candidate must not run again; null if it may.
  std::string const* crash_reason_of(std::string const& candidate) const;

  void tell(bench_result const& result);
  void tell_run(json const& description) { send({{"run", description}}); }
  /// A line for the user.
  void tell_note(std::string const& text) { send({{"note", text}}); }
  case_origin const& origin() const { return job_.origin; }
  operand_state state() const { return job_.state; }

 private:
  void send(json const& message);

  bench_settings const& settings_;
  std::vector<crashed_candidate> const& crashed_candidates_;
  shared_status& status_;
  int pipe_;
  job job_;
};

}  // namespace xpose::bench
