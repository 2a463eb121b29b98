// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What the driver of bit copies tells the one of transpose_inplace.
#pragma once

#include <xpose/backends/core/backend.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Whether the kernel of a copy reads whole matrices of a batch before it writes them, so that each
/// may be turned in its own memory.
bool cuda_copy_can_run_in_place(copy_request const& request);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
