// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/parallel.hpp>

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>

namespace xpose {
inline namespace v0 {
namespace detail {

int team_size(int threads, index count) {
  // libgomp ends the process when the system has no thread left to give, so a request is bounded.
  int const most = std::max(omp_get_max_threads(), 4 * omp_get_num_procs());
  int const wanted = threads > 0 ? std::min(threads, most) : omp_get_max_threads();
  return omp_in_parallel() ? 1 : static_cast<int>(std::min<index>(wanted, count));
}

void parallel_for(int threads, index count, void (*task)(void const* context, index i),
                  void const* context) {
  int const team = team_size(threads, count);
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
