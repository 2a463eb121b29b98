// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// A run in tiles: how much memory they may take, which of them an earlier run has finished, and
// what happens between two of them.
#pragma once

#include "commands/report.hpp"
#include "commands/run_settings.hpp"
#include "npy/npy.hpp"
#include "terminal/progress_bar.hpp"

#include <xpose/explain.hpp>

#include <new>
#include <string>
#include <vector>

namespace xpose::tools {

/// What call(where) would do, of an operation of xpose.
template <class Call>
detail::explanation_text explain(detail::across_execution where, Call const& call) {
  detail::launch_report report{};
  report.explain_only = true;
  where.report = &report;
  call(where);
  return report;
}

/// Bytes of files that a tile may take. 0: no bound, as without an option and with files of less
/// than half of the machine's memory. Else --memory, or half of the machine's memory.
index memory_for_tiles(run_settings const& settings, std::vector<npy_input const*> const& inputs,
                       npy_header const& output);

/// Throws failure if an array of that type is read from a copy, which does not fit the memory.
void check_copy(npy_input const& in, detail::element_type type, index memory);

/// Throws failure for files that a run cannot be resumed with: standard input and output.
void check_resumable(run_settings const& settings, std::vector<std::string> const& files);

[[noreturn]] void refuse_device_memory(run_target const& target);
/// Runs call(), and adds its time. Throws failure if a device has not the memory that it takes.
template <class Call>
void run_call(run_target const& target, run_times& times, Call const& call) {
  try {
    times.add(&run_times::call, call);
  } catch (std::bad_alloc const&) {
    if (target.is_on_device) refuse_device_memory(target);
    throw;
  }
}

struct run_files {
  std::vector<npy_input const*> inputs;
  npy_output* output;
  index memory;  // 0: no bound

  /// Reads the pages of an input's part. Where memory is bounded, those alone, and all other pages
  /// of that file leave this process.
  void read(std::size_t input, detail::tensor_operand const& part, int threads) const;
};

/// All that decides the bits of an output and where its tiles are: versions, machine, options,
/// inputs. `work`: the options that decide what is computed; `tiles`: of what extents, where a
/// formula for speed chooses them. Without lines, unless the run is to be resumable.
run_identity identity_of(run_settings const& settings, run_target const& target,
                         std::string const& work, run_files const& files, npy_header const& output,
                         std::string const& tiles = {});

/// The tiles of a run, in an order that only shapes and options decide. Shows progress.
class tile_run {
 public:
  /// amount: of the whole work, in the unit that finish() counts in.
  tile_run(char const* label, run_files const& files, bool is_resumable, double amount);

  /// Whether an earlier run has finished the next tile; it counts as finished then. Never the last
  /// one, which is done again if only the output's name was missing.
  bool is_finished(double amount_of_tile);

  /// `where`, for the call of the next tile: one across memories shows how far it is.
  detail::across_execution watched(detail::across_execution where, double amount_of_tile);

  /// The next tile is in the output: takes its pages out of this process where memory is bounded,
  /// and records it. Throws failure if an input has changed meanwhile.
  void finish(double amount_of_tile);

  /// Share of the work that an earlier run has done.
  double done_before() const { return before_ / whole_; }

 private:
  run_files const& files_;
  bool is_resumable_;
  double whole_;
  double done_ = 0;
  double before_ = 0;
  double running_ = 0;  // of the tile whose call runs
  index tiles_ = 0;
  progress_bar bar_;
};

}  // namespace xpose::tools
