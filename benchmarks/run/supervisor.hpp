// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Runs the timing in a process of its own, so that a peer that crashes, exits or hangs costs its
// result and not the run.
#pragma once

#include "core/session.hpp"

#include <functional>

namespace xpose::bench {

/// Times jobs first, first + 1, ... and sends the results through the session.
using worker = std::function<void(session&, std::vector<job> const&, int first)>;

/// What the supervisor hands on, in the order of the jobs.
class run_listener {
 public:
  virtual ~run_listener() = default;
  virtual void take_run(json const& description) = 0;
  virtual void take_result(json const& result) = 0;
  virtual void take_note(std::string const& text) = 0;
  /// Several times a second. job counts from 0.
  virtual void take_progress(int job, std::string const& candidate) = 0;
};

/// Forks the worker until all jobs are done: after each crash anew, without the candidate that
/// crashed.
/// The caller must not have started threads or CUDA.
void supervise(bench_settings const& settings, std::vector<job> const& jobs, worker const& work,
               run_listener& listener);

}  // namespace xpose::bench
