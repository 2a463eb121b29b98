// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// All rules for arguments but residency, in one place for every backend.
#pragma once

#include <xpose/detail/request.hpp>

namespace xpose::detail {

/// Throw shape_error, layout_error or alias_error.
void check(copy_request const& request);
void check(gemm_request const& request);
void check(inplace_request const& request);
void check(add_request const& request);

/// Throws backend_error for a request whose types are in no list of compiled ones. Typed calls send
/// none; to return silently would leave the output unwritten.
[[noreturn]] void refuse_types(operation op);

/// Whether no two elements share an address. Exact if at most two dimensions have more than one
/// element. With more, one dimension after the other is removed:
///     the largest stride,  if it exceeds the span of all others together, or
///     the smallest stride, if its span is below the gcd of the other strides;
/// the last two are decided exactly. If neither can be removed the answer is false, although some
/// such layouts are distinct.
bool has_distinct_elements(tensor_operand const& o);

}  // namespace xpose::detail
