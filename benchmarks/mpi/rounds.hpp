// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Candidates that take their turns in rounds. A time is that of the slowest process; a table has
// medians.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

struct candidate {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds;
};

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

inline double seconds_of(std::function<void()> const& run) {
  MPI_Barrier(MPI_COMM_WORLD);
  double const start = MPI_Wtime();
  run();
  double const own = MPI_Wtime() - start;
  double slowest = 0;
  MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

/// `amount` over the time is the rate.
inline void measure(char const* title, std::vector<candidate>& candidates, int rounds,
                    double amount, int rank, char const* unit = "GB/s") {
  for (int round = 0; round <= rounds; ++round)
    for (std::size_t number = 0; number < candidates.size(); ++number) {
      // From another one on in each round: the first finds the caches as the last left them.
      auto const at = (number + static_cast<std::size_t>(round)) % candidates.size();
      candidate& c = candidates[at];
      double const seconds = seconds_of(c.run);
      if (round > 0) c.seconds.push_back(seconds);  // the first one touches memory
    }
  if (rank != 0) return;
  std::printf("%s\n", title);
  double const ours = median(candidates.front().seconds);
  for (candidate const& c : candidates) {
    double const seconds = median(c.seconds);
    std::printf("  %-22s %9.3f ms  %8.2f %s  %5.2f of the first one's time\n", c.name.c_str(),
                seconds * 1e3, amount / seconds * 1e-9, unit, seconds / ours);
  }
}
