// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// The rules that arguments obey, apart from where their memory lies. All of them, in one place, for
// every backend.
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

/// Throws backend_error: a request of types that no list of compiled ones has. The typed calls send
/// none; to run nothing would leave the output as it was.
[[noreturn]] void refuse_types(operation op);

/// Whether no two elements share an address. Exact for matrices, and wherever at most two
/// dimensions have more than one element. Of more, one is set aside after the other: the one of the
/// largest stride, if that is beyond the span of all others together (it is outside), or the one of
/// the smallest, if its span is below the greatest common divisor of the other strides (it is
/// inside). The last two are decided exactly. False where neither can be set aside, though some
/// such layouts are distinct.
bool has_distinct_elements(tensor_operand const& o);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
