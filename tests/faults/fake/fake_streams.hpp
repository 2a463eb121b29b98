// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Streams of the runtime in fake_runtime.hpp that run late: what is enqueued is done when the host
// waits for it, in an order drawn at random of those that streams and events allow. A wait that is
// missing then shows as a wrong result.
#pragma once

#include "fake_runtime.hpp"

#include <functional>

namespace fake {

bool streams_run_late();
/// From here on streams run late, in the order of this seed; and kernels of copy, add and gemm do
/// their work, by the loops of xpose::reference or, where operands are large, by those of omp.
void run_late(unsigned seed,
              xpose::detail::backend_id kernels = xpose::detail::backend_id::reference);
xpose::detail::backend_id kernels_of_late_streams();

/// Does it now, or enqueues it if streams run late. The caller holds the runtime's lock.
void on_stream(cudaStream_t stream, std::function<void()> act);
/// What takes until it says that it is done, and is asked each time that its turn has come.
void on_stream_until_done(cudaStream_t stream, std::function<bool()> is_done);
/// The same of events and waits, of which there is nothing to do if streams do not run late.
void record_on_stream(cudaEvent_t event, cudaStream_t stream);
void wait_on_stream(cudaStream_t stream, cudaEvent_t event);
/// Runs streams until all before is done.
void finish_stream(cudaStream_t stream);
void finish_event(cudaEvent_t event);
/// Does one operation that can be done, of any stream.
bool is_event_done(cudaEvent_t event);
/// Enqueued, and not done.
int operations_left();

/// Memory of the runtime's own, which ends may lie in.
void add_memory(void const* data, std::size_t bytes, xpose::detail::residency where);
void remove_memory(void const* data);
/// Of that, or of fake::memory; device -1 if the byte is of neither.
struct known_memory {
  std::size_t bytes;
  xpose::detail::residency where;
  int device;
};
known_memory memory_of_byte(char const* byte);

/// What calls did that a machine would not, or not well: a kernel of memory out of its reach, a
/// copy from pageable memory, more device memory than was allowed.
std::string wrongs();
void allow_device_bytes(std::size_t bytes);

struct traffic {
  std::size_t bytes;              // by engines, and by kernels that copy pinned memory
  int copies;                     // of engines
  std::size_t most_device_bytes;  // of temporary memory
};
traffic traffic_so_far();

}  // namespace fake
