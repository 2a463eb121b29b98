// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "core/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace xpose::bench {
namespace {

constexpr int fewest_rounds = 3;
constexpr int most_rounds = 1000;
constexpr double shortest_warmup = 2e-3;  // seconds
constexpr int most_calls_in_sample = 1000;
constexpr double longest_for_enqueue = 20e-6;  // 64 longer calls would take longer than a sample
constexpr int most_calls_for_enqueue = 500;    // more fill the stream's queue, where a call waits
constexpr double shortest_for_host_clock = 1e-3;  // a longer call hides its launch cost

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// The samples of one candidate.
struct series {
  std::vector<double> seconds;  ///< of a call
  std::vector<double> host_seconds;
  std::vector<double> enqueue_seconds;
  int calls = 1;
  double used = 0;  ///< of its share of the time
};

timing summarise(series const& s) {
  timing t;
  auto const n = static_cast<double>(s.seconds.size());
  t.median = median_of(s.seconds);
  t.min = *std::min_element(s.seconds.begin(), s.seconds.end());
  t.mean = std::accumulate(s.seconds.begin(), s.seconds.end(), 0.0) / n;
  double squares = 0;
  for (double const x : s.seconds) squares += (x - t.mean) * (x - t.mean);
  t.stddev = n > 1 ? std::sqrt(squares / (n - 1)) : 0;
  t.host_median = median_of(s.host_seconds);
  t.enqueue_median = median_of(s.enqueue_seconds);
  t.repeats = static_cast<int>(s.seconds.size());
  t.calls = s.calls;
  auto const half = s.seconds.begin() + static_cast<std::ptrdiff_t>(s.seconds.size() / 2);
  double const before = median_of({s.seconds.begin(), half});
  if (before > 0) t.drift = median_of({half, s.seconds.end()}) / before - 1;
  return t;
}

seconds_of_calls time_calls(candidate const& who, stopwatch& watch, int first_slot, int slots,
                            int calls) {
  if (who.timed_calls) return who.timed_calls(calls);
  return {watch.seconds(who, first_slot, slots, calls)};
}

class round_robin {
 public:
  round_robin(std::vector<candidate> const& candidates, stopwatch& watch, int slots,
              round_settings const& settings)
      : candidates_(candidates),
        watch_(watch),
        slots_(slots),
        settings_(settings),
        series_(candidates.size()) {}

  std::vector<timing> run() {
    for (std::size_t c = 0; c < candidates_.size(); ++c) warm_up(c);
    int const rounds = settings_.repeat > 0 ? settings_.repeat : most_rounds;
    for (int r = 0; r < rounds; ++r) {
      bool is_anybody_left = false;
      for (std::size_t i = 0; i < candidates_.size(); ++i) {
        std::size_t const c = (i + static_cast<std::size_t>(r)) % candidates_.size();
        if (!wants_round(c, r)) continue;
        is_anybody_left = true;
        sample(c);
      }
      if (!is_anybody_left) break;
    }
    std::vector<timing> timings;
    for (auto const& s : series_) timings.push_back(summarise(s));
    return timings;
  }

 private:
  double share() const { return settings_.seconds / static_cast<double>(candidates_.size()); }

  bool wants_round(std::size_t c, int round) const {
    return settings_.repeat > 0 || round < fewest_rounds || series_[c].used < share();
  }

  seconds_of_calls time_next(std::size_t c, int calls) {
    auto const spent = time_calls(candidates_[c], watch_, next_slot_, slots_, calls);
    next_slot_ = (next_slot_ + calls) % slots_;
    return spent;
  }

  /// Warms the candidate up (code, pages, branch predictors, clock rates) and decides how many
  /// calls make a sample. The number of short calls at once doubles: a script rests before and
  /// after.
  void warm_up(std::size_t c) {
    double call = 0;
    double spent = 0;
    int at_once = 1;
    for (int w = 0; w < settings_.warmup || spent < shortest_warmup; ++w) {
      if (w >= settings_.warmup) at_once = std::min(2 * at_once, most_calls_in_sample);
      double const seconds = time_next(c, at_once).seconds;
      call = seconds / at_once;
      spent += seconds;
      if (spent > share() && w > 0) break;
    }
    double const wanted = watch_.shortest_sample() / std::max(call, 1e-9);
    int const calls = std::clamp(static_cast<int>(std::ceil(wanted)), 1, most_calls_in_sample);
    // Samples are multiples of a rotation over the slots. Slots differ in speed by up to a quarter
    // (their addresses), and a median of samples of one slot each would jump between them.
    int const rotations = (calls + slots_ - 1) / slots_ * slots_;
    series_[c].calls = call * rotations < share() / fewest_rounds ? rotations : calls;
  }

  void sample(std::size_t c) {
    auto& s = series_[c];
    // An untimed call writes back what the previous candidate left dirty in the caches. On a host
    // with 36 MB of cache, the candidate after ordinary stores of 64 MB lost a quarter.
    s.used += time_next(c, 1).seconds;
    auto const [seconds, enqueued] = time_next(c, s.calls);
    s.seconds.push_back(seconds / s.calls);
    s.used += seconds;
    if (seconds / s.calls < shortest_for_host_clock && !candidates_[c].timed_calls) {
      double const host = watch_.host_seconds(candidates_[c], next_slot_);
      if (host > 0) s.host_seconds.push_back(host);
      s.used += host;
    }
    double enqueue = 0;
    if (candidates_[c].timed_calls) {
      if (s.calls <= most_calls_for_enqueue) enqueue = enqueued / s.calls;
    } else if (seconds / s.calls < longest_for_enqueue) {
      enqueue = watch_.enqueue_seconds(candidates_[c], next_slot_, slots_);
    }
    if (enqueue > 0) s.enqueue_seconds.push_back(enqueue);
  }

  std::vector<candidate> const& candidates_;
  stopwatch& watch_;
  int slots_;
  round_settings settings_;
  std::vector<series> series_;
  int next_slot_ = 0;
};

}  // namespace

std::vector<timing> time_in_rounds(std::vector<candidate> const& candidates, stopwatch& watch,
                                   int slots, round_settings const& settings) {
  return round_robin(candidates, watch, slots, settings).run();
}

timing time_sustained(candidate const& who, stopwatch& watch, int slots, double seconds,
                      std::function<void()> const& at_end) {
  constexpr double sample_seconds = 20e-3;
  double const call = std::max(time_calls(who, watch, 0, slots, 1).seconds, 1e-9);
  series s;
  s.calls = static_cast<int>(std::clamp(sample_seconds / call, 1.0, 10000.0));
  int slot = 0;
  for (double spent = 0; spent < seconds || s.seconds.size() < fewest_rounds;) {
    double const sample = time_calls(who, watch, slot, slots, s.calls).seconds;
    slot = (slot + s.calls) % slots;
    if (spent >= seconds / 2) s.seconds.push_back(sample / s.calls);
    spent += sample;
  }
  at_end();
  return summarise(s);
}

}  // namespace xpose::bench
