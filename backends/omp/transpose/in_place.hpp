// SPDX-FileCopyrightText: 2026 The xpose authors
// SPDX-License-Identifier: Apache-2.0

// omp's transpose_inplace, for elements of any number of bytes.
#pragma once

#include <xpose/detail/request.hpp>

namespace xpose::detail {

/// Swaps element (i, j) with (j, i) in every matrix, by pairs of tiles. Assumes square matrices
/// with distinct elements; takes any strides. Throws std::bad_alloc before anything is written.
void transpose_square_inplace(execution const& where, operand const& view);

/// Copies as many matrices as fit 4 MB, one at least, to the workspace, and transposes them back.
/// Assumes packed matrices that do not interleave. Throws std::bad_alloc before anything is
/// written.
void transpose_packed_inplace(execution const& where, operand const& view);

}  // namespace xpose::detail
