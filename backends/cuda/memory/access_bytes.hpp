// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// Sizes of memory accesses on a GPU, for kernels and for the host code that chooses them.
#pragma once

#include <xpose/config.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

inline constexpr int vec16_bytes = 16;   // the widest load or store of one thread
inline constexpr int sector_bytes = 32;  // the unit in which global memory is read and written

}  // namespace detail
}  // namespace v0
}  // namespace xpose
