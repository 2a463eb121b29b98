// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/core/tuning/measure.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

bool is_time(double seconds) { return std::isfinite(seconds) && seconds > 0; }

/// The median; no number if the fastest run took less than two thirds of it: then something else
/// ran meanwhile.
double undisturbed_median(std::vector<double> seconds) {
  constexpr double most_over_least = 1.5;
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (!std::all_of(seconds.begin(), seconds.end(), is_time)) return none;
  std::sort(seconds.begin(), seconds.end());
  double const median = seconds[seconds.size() / 2];
  return median <= most_over_least * seconds.front() ? median : none;
}

/// The size between two neighbours, whole; outside them half of the first and twice the last.
double between(std::vector<two_ways> const& times, std::size_t above) {
  if (above == 0) return std::floor(times.front().size / 2);
  if (above == times.size()) return std::floor(times.back().size * 2);
  return std::floor(std::sqrt(times[above - 1].size * times[above].size));
}

}  // namespace

tuned_candidate best_of(std::vector<double> const& seconds, std::size_t built_in) {
  tuned_candidate const unchanged{built_in, 1};
  if (built_in >= seconds.size() || !is_time(seconds[built_in])) return unchanged;
  tuned_candidate best = unchanged;
  for (std::size_t k = 0; k < seconds.size(); ++k) {
    double const gain = seconds[built_in] / seconds[k];
    if (is_time(seconds[k]) && gain > best.gain && gain < most_gain) best = {k, gain};
  }
  return best.gain >= least_gain ? best : unchanged;
}

tuned_threshold fit_threshold(std::vector<two_ways> const& times, double built_in) {
  auto const is_above = [&](two_ways const& t) { return t.size > built_in; };
  auto const first_above =
      static_cast<std::size_t>(std::find_if(times.begin(), times.end(), is_above) - times.begin());
  tuned_threshold const unchanged{built_in, 1, first_above, first_above};
  // Of the seconds by the built-in threshold's way and by the other.
  auto const decide = [](double built_in_way, double other_way) {
    return is_time(built_in_way) && is_time(other_way) && built_in_way < most_gain * other_way;
  };
  tuned_threshold best = unchanged;
  double best_saved = 0;
  // What a threshold saves, as a sum of logarithms, over the built-in one: nothing there, and
  // downwards and upwards one size more each.
  auto const consider = [&](double saved, std::size_t above) {
    std::size_t const first = std::min(above, first_above);
    std::size_t const end = std::max(above, first_above);
    if (saved <= best_saved) return;
    best_saved = saved;
    best = {between(times, above), std::exp(saved / static_cast<double>(end - first)), first, end};
  };
  double saved = 0;
  for (std::size_t n = first_above; n-- > 0 && decide(times[n].below, times[n].above);)
    consider(saved += std::log(times[n].below / times[n].above), n);
  saved = 0;
  for (std::size_t n = first_above; n < times.size() && decide(times[n].above, times[n].below); ++n)
    consider(saved += std::log(times[n].above / times[n].below), n + 1);
  return best.gain >= least_gain ? best : unchanged;
}

tuning_clock::tuning_clock(double seconds, int comparisons, progress report)
    : seconds_each_(seconds / comparisons), count_(comparisons), report_(std::move(report)) {}

void tuning_clock::tell(double share, std::string const& what) const {
  if (report_) report_(std::min(1.0, (finished_ + std::min(1.0, share)) / count_), what);
}

std::vector<double> tuning_clock::compare(std::string const& what, std::size_t candidates,
                                          std::function<double(std::size_t)> const& run) {
  using clock = std::chrono::steady_clock;
  constexpr std::size_t least_rounds = 3;
  constexpr std::size_t most_rounds = 25;
  std::vector<std::vector<double>> seconds(candidates);
  auto const begin = clock::now();
  tell(0, what);
  for (std::size_t k = 0; k < candidates; ++k) run(k);
  for (std::size_t round = 0; round < most_rounds; ++round) {
    double const passed = std::chrono::duration<double>(clock::now() - begin).count();
    if (round >= least_rounds && passed > seconds_each_) break;
    tell(passed / seconds_each_, what);
    for (std::size_t k = 0; k < candidates; ++k) seconds[k].push_back(run(k));
  }
  ++finished_;
  std::vector<double> medians;
  for (std::vector<double>& of_candidate : seconds)
    medians.push_back(undisturbed_median(std::move(of_candidate)));
  return medians;
}

tuned_candidate tuning_clock::choose(std::string const& what, std::size_t candidates,
                                     std::size_t built_in,
                                     std::function<double(std::size_t)> const& run) {
  tuned_candidate const first = best_of(compare(what, candidates, run), built_in);
  if (first.number == built_in) {
    skip();
    return first;
  }
  std::size_t const both[] = {built_in, first.number};
  auto const again = best_of(compare(what, 2, [&](std::size_t k) { return run(both[k]); }), 0);
  return {both[again.number], again.gain};
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
