// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Distributed calls of a build without CUDA: xpose::cuda falls back to the processor, so that these
// are never called.

#include "device.hpp"

#include <xpose/error.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

constexpr char const* reason = "xpose was built without CUDA";

bool is_same_device(device_identity const&, device_identity const&) { return true; }
int device_of_call(execution const&) { throw backend_error(reason); }
message_memory device_memory(execution const&, index) { throw backend_error(reason); }
bool pin(void*, index) noexcept { return false; }
void unpin(void*) noexcept {}

void device_queues::begin(execution const&) { throw backend_error(reason); }
void device_queues::reserve_pinned(index) { throw backend_error(reason); }
device_identity device_queues::identity() const { throw backend_error(reason); }
execution device_queues::on(device_stream) const noexcept { return local_; }
void device_queues::record(int, device_stream) noexcept {}
void device_queues::wait(device_stream, int) noexcept {}
bool device_queues::is_done(int) noexcept { return true; }
void device_queues::finish() noexcept {}
void device_queues::note_fault() noexcept {}
void device_queues::note_fault(refusal const&) noexcept {}
refusal device_queues::take_fault() noexcept { return {}; }
void device_queues::free() noexcept {}

}  // namespace detail
}  // namespace v0
}  // namespace xpose
