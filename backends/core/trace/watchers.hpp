// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What watches the calls of this process, as its environment says. The first call reads it, and
// with it the tuning: calls then cost one branch for both.
#pragma once

#include <xpose/backends/core/environment.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Bits; nothing, as a rule.
enum watcher : unsigned { verbose_lines = 1, call_log = 2, nvtx_ranges = 4 };

/// Throws backend_error for values of XPOSE_LOG and XPOSE_TUNING that cannot be followed.
extern environment_setting<unsigned> watchers;

/// Whether XPOSE_VERBOSE asks for lines.
bool is_verbose();

}  // namespace detail
}  // namespace v0
}  // namespace xpose
