// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// What omp's transpose_inplace is made of.
#pragma once

#include <xpose/detail/request.hpp>

namespace xpose {
inline namespace v0 {
namespace detail {

/// Transposes packed matrices that are not square and do not interleave, through a workspace that
/// does not grow with the matrix (in_place_packed.cpp). Throws std::bad_alloc before anything is
/// written.
void transpose_packed(execution const& where, operand const& view);

/// For tests: matrices of more bytes are cut into panels, and panels of how many bytes; 0: the
/// built-in numbers.
XPOSE_EXPORT void set_in_place_limits(index most_copied, index most_in_panel);

}  // namespace detail
}  // namespace v0
}  // namespace xpose
