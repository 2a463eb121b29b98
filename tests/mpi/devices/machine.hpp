// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The device of a process of these tests: a real one (gpu_machine.cpp), or host memory that the
// runtime of tests/faults calls so (fake_machine.cpp).
#pragma once

#include <cstddef>

namespace machine {

/// Before anything else: makes the device of this process current.
void start(int rank);
/// Whether processes have devices of their own, which NCCL needs.
bool has_device_for_each(int processes);
/// Of the fake machine, an identity that another process has too, and back.
bool can_share_devices();
void share_devices(bool are_shared);
/// Of the fake machine: call number `call` of the runtime from here on fails; none if negative.
void fail_call(int call);
/// Calls of the runtime since.
int calls();
/// What calls did that a machine would not; empty if nothing.
char const* wrongs();

/// Memory of the device.
void* allocate(std::size_t bytes);
void release(void* data);
void to_device(void* to, void const* from, std::size_t bytes);
void from_device(void* to, void const* from, std::size_t bytes);

}  // namespace machine
