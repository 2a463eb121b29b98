// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Timing of candidates against each other: interleaved round by round in one process, so that what
// disturbs the machine disturbs all of them alike.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace xpose::bench {

/// Of calls together. On a device these are its own seconds, and beside them those of the host,
/// which enqueues.
struct seconds_of_calls {
  double seconds;
  double enqueue_seconds = 0;  ///< 0: not measured
};

/// One way to do the work of a case. call(slot) does it once on buffer set number slot; on a device
/// it enqueues on the bench's stream.
struct candidate {
  std::string name;
  std::function<void(int slot)> call;
  /// For a candidate in another process, which times itself. Else empty.
  std::function<seconds_of_calls(int calls)> timed_calls;
};

/// Seconds of the calls, made back to back: by the host's clock, or between two events on a stream.
/// Candidates that time themselves are not asked of it.
class stopwatch {
 public:
  virtual ~stopwatch() = default;
  virtual double seconds(candidate const& who, int first_slot, int slots, int calls) = 0;
  /// One call by the host's clock until its work is done, launch cost included; 0 where seconds()
  /// is that already.
  virtual double host_seconds(candidate const&, int /*slot*/) { return 0; }
  /// The host's share of one of many calls, enqueued one after the other; 0 where seconds() is
  /// that.
  virtual double enqueue_seconds(candidate const&, int /*first_slot*/, int /*slots*/) { return 0; }
  /// A sample holds as many calls as reach this time.
  virtual double shortest_sample() const = 0;
};

struct round_settings {
  double seconds = 1;  ///< for all candidates of a case together
  int warmup = 2;      ///< calls of each candidate before the first round
  int repeat = 0;      ///< rounds; 0: until the seconds are used
};

/// Of one candidate, in seconds a call.
struct timing {
  double median = 0;
  double min = 0;
  double mean = 0;
  double stddev = 0;
  double host_median = 0;     ///< call until it is done, by the host's clock; 0 if not measured
  double enqueue_median = 0;  ///< the host's share of a call that is only enqueued; likewise
  int repeats = 0;            ///< samples
  int calls = 0;              ///< calls in a sample
  double drift = 0;  ///< median of the second half of the samples over that of the first, - 1
};

/// Every round times each candidate once, in an order that rotates; the slots rotate from call to
/// call. A candidate leaves the rounds when its share of the seconds is used, but never before
/// three rounds.
std::vector<timing> time_in_rounds(std::vector<candidate> const& candidates, stopwatch& watch,
                                   int slots, round_settings const& settings);

/// One candidate, back to back for `seconds`: a chip that its power or its heat limits reaches its
/// lasting rate. The second half of that time counts. Calls at_end() behind the last call.
timing time_sustained(candidate const& who, stopwatch& watch, int slots, double seconds,
                      std::function<void()> const& at_end);

}  // namespace xpose::bench
