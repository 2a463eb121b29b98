// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// How tune() compares candidates, and when one is better than the built-in choice.
#pragma once

#include <xpose/backends/core/tuning/tuning_file.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace xpose {
inline namespace v0 {
namespace detail {

/// A candidate replaces the built-in choice if it is so many times as fast, twice in a row: medians
/// of repeated runs differ by up to 2 % on a quiet machine.
inline constexpr double least_gain = 1.03;
/// No built-in choice is so many times too slow: something else ran. On two cores that also
/// compiled, teams took 600 times as long as one thread.
inline constexpr double most_gain = 8;

struct tuned_candidate {
  std::size_t number;
  double gain;  // over the built-in one
};
/// Of the seconds of candidates, the fastest if it is clearly faster. Times that are no positive
/// numbers, or against which the built-in choice would be most_gain times too slow, decide nothing.
XPOSE_EXPORT tuned_candidate best_of(std::vector<double> const& seconds, std::size_t built_in);

/// Work of one size, done in two ways: `below` is for sizes up to a threshold, `above` for others.
struct two_ways {
  double size;
  double below, above;  // seconds
};
struct tuned_threshold {
  double size;  // the built-in one where no other is clearly better
  double gain;
  std::size_t first, end;  // the sizes that it treats otherwise than the built-in one
};
/// The threshold with the least product of times, halfway between two of the sizes, which ascend.
/// It moves over no size whose times best_of() would not let decide.
XPOSE_EXPORT tuned_threshold fit_threshold(std::vector<two_ways> const& times, double built_in);

/// The time that there is, shared by a number of comparisons of the same length.
class tuning_clock {
 public:
  using progress = std::function<void(double done, std::string const& what)>;

  XPOSE_EXPORT tuning_clock(double seconds, int comparisons, progress report);

  /// The median seconds of each candidate, or no number where they were disturbed; run(candidate)
  /// returns those of one run. Candidates take turns, so that what disturbs the machine disturbs
  /// all of them. At least three rounds behind one that warms up.
  XPOSE_EXPORT std::vector<double> compare(std::string const& what, std::size_t candidates,
                                           std::function<double(std::size_t)> const& run);

  /// The candidate that is clearly faster than the built-in one among all of them, and once more
  /// against it alone. Takes two comparisons.
  XPOSE_EXPORT tuned_candidate choose(std::string const& what, std::size_t candidates,
                                      std::size_t built_in,
                                      std::function<double(std::size_t)> const& run);

  /// A comparison that is not made.
  void skip(int comparisons = 1) { finished_ += comparisons; }

 private:
  void tell(double share, std::string const& what) const;

  double seconds_each_;
  int count_;
  int finished_ = 0;
  progress report_;
};

/// Seconds of one run of work(), of many in a row that take about a millisecond.
template <class Work>
double seconds_of(Work const& work) {
  using clock = std::chrono::steady_clock;
  constexpr double wanted = 1e-3;
  double seconds = 0;
  int runs = 0;
  auto const begin = clock::now();
  for (int more = 1; seconds < wanted; more = runs) {
    for (int n = 0; n < more; ++n) work();
    runs += more;
    seconds = std::chrono::duration<double>(clock::now() - begin).count();
  }
  return seconds / runs;
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
