// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/parallel.hpp>

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>

namespace xpose {
inline namespace v0 {
namespace detail {

int team_size(int threads, index count) {
  if (threads == 1 || count <= 1 || omp_in_parallel()) return 1;
  int const own_choice = omp_get_max_threads();
  int wanted = threads > 0 ? threads : own_choice;
  // libgomp ends the process when the system has no thread left to give, so a request is bounded.
  // What the machine has costs a system call.
  if (wanted > own_choice) wanted = std::min(wanted, std::max(own_choice, 4 * omp_get_num_procs()));
  return static_cast<int>(std::min<index>(wanted, count));
}

void parallel_for(int threads, index count, void (*task)(void const* context, index i),
                  void const* context) {
  int const team = count <= 1 ? 1 : team_size(threads, std::numeric_limits<index>::max());
  if (team <= 1) {
    for (index i = 0; i < count; ++i) task(context, i);
    return;
  }

  std::exception_ptr failure;
  std::atomic<bool> has_failed{false};
#pragma omp parallel for num_threads(team) schedule(static)
  for (index i = 0; i < count; ++i) {
    if (has_failed.load(std::memory_order_relaxed)) continue;
    try {
      task(context, i);
    } catch (...) {
      if (!has_failed.exchange(true)) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
