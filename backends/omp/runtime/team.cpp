// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include <xpose/backends/omp/runtime/team.hpp>

#include <xpose/backends/omp/runtime/cpu_quota.hpp>

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>

namespace xpose {
inline namespace v0 {
namespace detail {
namespace {

/// fork() copies only the thread that calls it. In the child, libgomp still has its record of the
/// team and waits for ever for its threads.
std::atomic<bool> has_lost_team{false};

void watch_forks() {
  static int const refused = pthread_atfork(
      nullptr, nullptr, [] { has_lost_team.store(true, std::memory_order_relaxed); });
  static_cast<void>(refused);  // for lack of memory: a child may then wait
}

/// What OpenMP would use. Where nobody said how many, that is every processor that the process may
/// run on, although a quota may grant fewer.
int own_choice_of_threads() {
  int const of_openmp = omp_get_max_threads();
  int const quota = cpu_quota();
  return quota == 0 || quota >= of_openmp || of_openmp != omp_get_num_procs() ? of_openmp : quota;
}

}  // namespace

int team_size(int threads, index count) {
  if (threads == 1 || count <= 1 || omp_in_parallel() ||
      has_lost_team.load(std::memory_order_relaxed))
    return 1;
  int const own_choice = own_choice_of_threads();
  int wanted = threads > 0 ? threads : own_choice;
  // libgomp ends the process when the system has no thread left to give, so a request is bounded.
  // What the machine has costs a system call.
  if (wanted > own_choice) wanted = std::min(wanted, std::max(own_choice, 4 * omp_get_num_procs()));
  return static_cast<int>(std::min<index>(wanted, count));
}

int team_for(int threads, index count) {
  return count <= 1 ? 1 : team_size(threads, std::numeric_limits<index>::max());
}

void parallel_for(int team, index count, void (*task)(void const* context, index i, int member),
                  void const* context) {
  if (team <= 1 || count <= 1) {
    for (index i = 0; i < count; ++i) task(context, i, 0);
    return;
  }

  watch_forks();
  index const size = count / team;
  index const longer = count % team;  // ranges that have one task more, the first ones
  std::exception_ptr failure;
  std::atomic<bool> has_failed{false};
#pragma omp parallel for num_threads(team) schedule(static)
  for (int member = 0; member < team; ++member) {
    index const first = member * size + std::min<index>(member, longer);
    index const end = first + size + (member < longer ? 1 : 0);
    try {
      for (index i = first; i < end && !has_failed.load(std::memory_order_relaxed); ++i)
        task(context, i, member);
    } catch (...) {
      if (!has_failed.exchange(true)) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
