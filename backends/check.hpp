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

/// Whether no two elements share an address. Exact for matrices; a batch must in addition be
/// nested: matrices apart from each other, or interleaved within the distance of rows or columns.
bool has_distinct_elements(operand const& o);

/// Whether bytes of x and y may coincide. Never false for operands that do coincide; true for some
/// that interleave in ways no pair of blocks, rows, columns or stripes of one array does.
bool may_overlap(operand const& x, operand const& y);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
