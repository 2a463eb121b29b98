// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What a device's memory moves at once, for kernels and for the host code that chooses them.
#pragma once

namespace xpose {
inline namespace v0 {
namespace detail {

inline constexpr int vec16_bytes = 16;   // the widest access of a thread
inline constexpr int sector_bytes = 32;  // of a cache line

}  // namespace detail
}  // namespace v0
}  // namespace xpose
