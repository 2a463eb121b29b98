// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// All rules for arguments but residency, in one place for every backend.
#pragma once

#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Throw shape_error, layout_error or alias_error.
void check(copy_request const& request);
void check(gemm_request const& request);
void check(inplace_request const& request);
void check(add_request const& request);

/// Throws backend_error for a request whose types are in no list of compiled ones. Typed calls send
/// none; to return silently would leave the output unwritten.
[[noreturn]] void refuse_types(operation op);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
