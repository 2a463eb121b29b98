// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The one parallel loop of the omp backend. Compiled, so that a user's translation unit needs no
// -fopenmp.
#pragma once

#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// How many threads take part in that many tasks: `threads`, 0 being OpenMP's own choice, within
/// what the machine has; 1 inside a parallel region of the caller.
XPOSE_EXPORT int team_size(int threads, index count);

/// Calls task(context, i) once for every i in [0, count), on `threads` threads (0: OpenMP's own
/// choice), each taking one contiguous range. The team is as large for few tasks, and then a part
/// of it idles: libgomp ends the threads that a smaller team leaves over and makes new ones for the
/// next, about a millisecond for 16. So calls in a row should ask for the same. Inside a parallel
/// region of the caller, and of a single task, it runs on the calling thread alone. The first
/// exception of a task is rethrown when all threads are done; tasks not yet begun are then skipped.
XPOSE_EXPORT void parallel_for(int threads, index count, void (*task)(void const* context, index i),
                               void const* context);

template <class Task>
void parallel_for(int threads, index count, Task const& task) {
  parallel_for(
      threads, count, [](void const* context, index i) { (*static_cast<Task const*>(context))(i); },
      &task);
}

/// task(n) for n from 0 to count on so many threads, as parallel_for takes them; on one without
/// OpenMP's door, which costs as much as a small product.
template <class Task>
void for_each_task(int threads, index count, Task const& task) {
  if (threads != 1) return parallel_for(threads, count, task);
  for (index n = 0; n < count; ++n) task(n);
}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
