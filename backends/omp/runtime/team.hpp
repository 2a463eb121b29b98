// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The one parallel loop of the omp backend. Compiled, so that a user's translation unit needs no
// -fopenmp.
#pragma once

#include <xpose/config.hpp>

#include <type_traits>

namespace xpose {
inline namespace v0 {
namespace detail {

/// How many threads take part in that many tasks: `threads` (0: OpenMP's own choice, within the
/// quota of the process), within what the machine has. 1 inside a parallel region of the caller,
/// and in a child of fork() whose parent had a team, since libgomp would wait for it.
XPOSE_EXPORT int team_size(int threads, index count);

/// Whether one thread moves or adds an output of so many bytes, for which waking a team costs more.
XPOSE_EXPORT bool suits_one_thread(index bytes);

/// The team to ask for in loops over so many tasks: as large for few tasks as for many, even if a
/// part of it idles. libgomp ends the threads that a smaller team does not need and creates new
/// ones for the next, about a millisecond for 16: calls in a row should ask for the same.
XPOSE_EXPORT int team_for(int threads, index count);

/// Calls task(context, i, member) once for every i in [0, count); each of the team's `team` members
/// takes one contiguous range, and is run by one thread. `team` is what team_for() said, so that
/// the caller has memory for each member. A team of one is the calling thread. The first exception
/// of a task is rethrown when all threads are done; tasks not yet begun are then skipped.
XPOSE_EXPORT void parallel_for(int team, index count,
                               void (*task)(void const* context, index i, int member),
                               void const* context);

/// task(i) or task(i, member). A team of one does not enter OpenMP, which costs as much as a small
/// GEMM.
template <class Task>
void parallel_for(int team, index count, Task const& task) {
  auto const call = [](void const* context, index i, [[maybe_unused]] int member) {
    Task const& it = *static_cast<Task const*>(context);
    if constexpr (std::is_invocable_v<Task const&, index, int>) it(i, member);
    else it(i);
  };
  if (team > 1) return parallel_for(team, count, call, &task);
  for (index i = 0; i < count; ++i) call(&task, i, 0);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
