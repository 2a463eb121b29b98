// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The regret of a choice: the time of the chosen config over that of the fastest, over many cases.
// 1 is the best there is. A selection is tuned by its mean and its 95th percentile, never by single
// shapes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace xpose::bench {

/// "regret SEED CASES" or "times SEED CASES" at the start of a tuner's command line, with "=SUITE"
/// behind the first word for another random suite than "random", and "warm-" before it for operands
/// that the call before has read and written too.
struct regret_request {
  static constexpr int words = 3;
  std::string suite;
  std::uint64_t seed;
  int cases;
  bool lists_times;
  bool is_warm;
};

/// Nothing: the first word is another. Ends the program with status 2 if seed or cases are missing.
inline std::optional<regret_request> regret_asked_for(int argc, char** argv) {
  std::string const word = argc > 1 ? argv[1] : "";
  auto const equals = word.find('=');
  std::string const warm = "warm-";
  bool const is_warm = word.compare(0, warm.size(), warm) == 0;
  std::string const what = word.substr(0, equals).substr(is_warm ? warm.size() : 0);
  bool const lists_times = what == "times";
  if (!lists_times && what != "regret") return std::nullopt;
  int const cases = argc > regret_request::words ? std::atoi(argv[3]) : 0;
  if (cases < 1) {
    std::fprintf(stderr, "%s: %s takes a seed and a number of cases of 1 or more\n", argv[0],
                 argv[1]);
    std::exit(2);
  }
  return regret_request{equals == std::string::npos ? "random" : word.substr(equals + 1),
                        std::strtoull(argv[2], nullptr, 10), cases, lists_times, is_warm};
}

struct regret {
  double ratio;  ///< seconds of the chosen config / seconds of the fastest
  std::string shape;
  std::string shape_class;
  std::string chosen;
  std::string fastest;
  double over_vendor = 0;  ///< seconds of the vendor's library / seconds of the chosen; 0: none
};

class regrets {
 public:
  void add(regret r) { all_.push_back(std::move(r)); }
  /// Mean, 95th percentile (nearest rank), share of fastest choices, and the worst ten.
  void print() {
    if (all_.empty()) {
      std::printf("no case ran\n");
      return;
    }
    std::sort(all_.begin(), all_.end(),
              [](regret const& a, regret const& b) { return a.ratio > b.ratio; });
    double sum = 0;
    for (regret const& r : all_) sum += r.ratio;
    auto const count = static_cast<double>(all_.size());
    auto const best =
        std::count_if(all_.begin(), all_.end(), [](regret const& r) { return r.ratio <= 1.02; });
    std::printf(
        "regret of %zu cases: mean %.3f, 95th percentile %.3f, worst %.3f; %.0f %% within "
        "2 %% of the fastest\n",
        all_.size(), sum / count, all_[all_.size() / 20].ratio, all_.front().ratio,
        100 * static_cast<double>(best) / count);
    for (std::size_t k = 0; k < std::min<std::size_t>(10, all_.size()); ++k)
      std::printf("  %.3f  %s (%s): %s, fastest %s\n", all_[k].ratio, all_[k].shape.c_str(),
                  all_[k].shape_class.c_str(), all_[k].chosen.c_str(), all_[k].fastest.c_str());
    print_over_vendor();
    std::fflush(stdout);
  }

 private:
  void print_over_vendor() const {
    std::vector<double> ratios;
    double logs = 0;
    for (regret const& r : all_)
      if (r.over_vendor > 0) {
        ratios.push_back(r.over_vendor);
        logs += std::log(r.over_vendor);
      }
    if (ratios.empty()) return;
    std::sort(ratios.begin(), ratios.end());
    std::printf(
        "speed over the vendor's library, %zu cases: geometric mean %.3f, 10th percentile "
        "%.3f\n",
        ratios.size(), std::exp(logs / static_cast<double>(ratios.size())),
        ratios[ratios.size() / 10]);
  }

  std::vector<regret> all_;
};

}  // namespace xpose::bench
