// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// How long the kernels of the runtime in fake_runtime.hpp are said to take.
#pragma once

namespace fake {

/// Of each launch of the kernel; 1 ms unless said.
void set_time_of(void const* kernel, double milliseconds);

/// Blocks of memory, streams and events that there are.
int things_of_tuning();

}  // namespace fake
