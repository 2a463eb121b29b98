// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "peers/cuda/pick_fastest.hpp"

#include "cuda/stream_timer.cuh"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace xpose::bench {
namespace {

class fastest_call {
 public:
  fastest_call(std::vector<call_on_set> const& calls, int sets, cudaStream_t stream)
      : calls_(calls), sets_(sets), stream_(stream), timer_(stream) {}

  std::size_t pick() {
    warm_up();
    play(screening_rounds, calls_in_screening);
    keep(finalists);
    play(final_rounds, calls_in_final);
    keep(1);
    return entrants_.front().call;
  }

 private:
  static constexpr double hopeless = 3;  // times the best first call
  static constexpr int screening_rounds = 5;
  static constexpr int calls_in_screening = 4;
  static constexpr std::size_t finalists = 3;
  static constexpr int final_rounds = 10;
  static constexpr int calls_in_final = 10;
  static constexpr double long_call = 1e-3;  // seconds; one of them is a sample
  static constexpr double most_seconds = 2;  // of screening, and of the finals; one round at least

  struct entrant {
    std::size_t call;  ///< index in calls_
    double first_call;
    std::vector<double> seconds;

    double median() const {
      auto sorted = seconds;
      std::sort(sorted.begin(), sorted.end());
      return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
    }
  };

  /// A call untimed, which loads the kernel, and a timed one.
  void warm_up() {
    double best = 0;
    for (std::size_t call = 0; call < calls_.size(); ++call) {
      entrant e{call, 0, {}};
      bool const runs = attempt([&] {
        calls_[call](0);
        check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
        e.first_call = timer_.seconds(1, [&](int) { calls_[call](1 % sets_); });
      });
      if (!runs) continue;
      if (best == 0 || e.first_call < best) best = e.first_call;
      entrants_.push_back(std::move(e));
    }
    drop_if([&](entrant const& e) { return e.first_call > hopeless * best; });
  }

  /// Round by round, so that a clock that changes changes for all. A round's calls are on the same
  /// sets for all.
  void play(int rounds, int calls) {
    for (auto& e : entrants_) e.seconds.clear();
    if (entrants_.size() == 1) return;
    double spent = 0;
    for (int round = 0; round < rounds && spent < most_seconds; ++round)
      drop_if([&](entrant& e) {
        int const timed = e.first_call < long_call ? calls : 1;
        return !attempt([&] {
          double const seconds =
              timer_.seconds(timed, [&](int i) { calls_[e.call]((round * calls + i) % sets_); });
          e.seconds.push_back(seconds / timed);
          spent += seconds;
        });
      });
  }

  void keep(std::size_t count) {
    if (entrants_.size() <= count) return;
    std::sort(entrants_.begin(), entrants_.end(),
              [](entrant const& e, entrant const& f) { return e.median() < f.median(); });
    entrants_.resize(count);
  }

  template <class Condition>
  void drop_if(Condition const& condition) {
    std::vector<entrant> left;
    for (auto& e : entrants_)
      if (!condition(e)) left.push_back(std::move(e));
    entrants_ = std::move(left);
    if (entrants_.empty()) throw std::runtime_error("no algorithm runs: " + failure_);
  }

  template <class Action>
  bool attempt(Action const& action) {
    try {
      action();
      return true;
    } catch (std::exception const& error) {
      failure_ = error.what();
      cudaStreamSynchronize(stream_);
      cudaGetLastError();  // the next call starts clean
      return false;
    }
  }

  std::vector<call_on_set> const& calls_;
  int sets_;
  cudaStream_t stream_;
  stream_timer timer_;
  std::vector<entrant> entrants_;
  std::string failure_;
};

}  // namespace

std::size_t pick_fastest(std::vector<call_on_set> const& calls, int sets, cudaStream_t stream) {
  return fastest_call(calls, sets, stream).pick();
}

}  // namespace xpose::bench
