// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The processors' time that a control group of Linux (a container, a systemd slice) grants.
#pragma once

#include <xpose/config.hpp>

#include <string>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Whole processors that the process may keep busy by its control groups' quota, 1 at least; 0: no
/// quota. More threads would be stopped in every period, and a team waits for its last. `groups` is
/// where the groups are mounted, `membership` the file that names those of the process; of version
/// 1 and 2. The smallest quota counts, of the group and of those around it. What cannot be read
/// limits nothing.
XPOSE_EXPORT int cpu_quota(std::string const& groups, std::string const& membership);

/// Of this process, read once.
int cpu_quota();

}  // namespace detail
}  // namespace v0
}  // namespace xpose
