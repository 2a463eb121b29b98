// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Transposes matrices of at most tuning.most_unplanned_bytes in all, contiguous along one
/// dimension in the input and along the other in the output, or copies a contiguous vector, and
/// returns true; false: the request is another. A plan would take as long as 16x16 of 4 bytes.
/// Assumes a checked request to copy bits.
bool transpose_small(execution const& where, copy_request const& r);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
