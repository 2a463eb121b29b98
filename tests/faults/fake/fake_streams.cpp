// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#include "fake_streams.hpp"

#include "fake_state.hpp"

#include <deque>
#include <random>

using xpose::detail::residency;

namespace fake {
namespace {

struct operation {
  std::function<bool()> act;  // false: it is not done yet
  cudaEvent_t event;          // recorded, or waited for
  bool is_wait;
  long version;
};
struct event_state {
  long issued = 0;
  long done = 0;
};

bool are_late = false;
xpose::detail::backend_id kernels_used = xpose::detail::backend_id::reference;
std::minstd_rand random_numbers;
std::map<cudaStream_t, std::deque<operation>> queues;
std::map<cudaEvent_t, event_state> events;

bool can_run(operation const& o) { return !o.is_wait || events[o.event].done >= o.version; }

/// One operation of a stream drawn at random; false if none can run.
bool run_one() {
  std::vector<cudaStream_t> ready;
  for (auto const& [stream, queue] : queues)
    if (!queue.empty() && can_run(queue.front())) ready.push_back(stream);
  if (ready.empty()) return false;
  auto& queue = queues[ready[random_numbers() % ready.size()]];
  operation const next = queue.front();
  if (next.act && !next.act()) return true;
  queue.pop_front();
  if (next.event != nullptr && !next.is_wait) events[next.event].done = next.version;
  return true;
}

template <class IsDone>
void run_until(IsDone const& is_done) {
  while (!is_done() && run_one()) continue;
}

}  // namespace

bool streams_run_late() { return are_late; }

xpose::detail::backend_id kernels_of_late_streams() { return kernels_used; }

void run_late(unsigned seed, xpose::detail::backend_id kernels) {
  guard const lock;
  are_late = true;
  kernels_used = kernels;
  random_numbers.seed(seed);
}

void on_stream(cudaStream_t stream, std::function<void()> act) {
  on_stream_until_done(stream, [act = std::move(act)] {
    act();
    return true;
  });
}
void on_stream_until_done(cudaStream_t stream, std::function<bool()> is_done) {
  if (are_late) queues[stream].push_back({std::move(is_done), nullptr, false, 0});
  else
    while (!is_done()) continue;
}
void record_on_stream(cudaEvent_t event, cudaStream_t stream) {
  if (are_late) queues[stream].push_back({{}, event, false, ++events[event].issued});
}
void wait_on_stream(cudaStream_t stream, cudaEvent_t event) {
  if (are_late) queues[stream].push_back({{}, event, true, events[event].issued});
}
void finish_stream(cudaStream_t stream) {
  run_until([&] { return queues[stream].empty(); });
}
void finish_event(cudaEvent_t event) {
  long const version = events[event].issued;
  run_until([&] { return events[event].done >= version; });
}

bool is_event_done(cudaEvent_t event) {
  auto const is_done = [event] { return events[event].done >= events[event].issued; };
  return is_done() || (run_one() && is_done());
}

int operations_left() {
  guard const lock;
  std::size_t count = 0;
  for (auto const& [stream, queue] : queues) count += queue.size();
  return static_cast<int>(count);
}

}  // namespace fake
